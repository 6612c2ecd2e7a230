import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWebhook, type RepliedWebhook } from "../../client/api.js";
import { describeResult, reasonOf, statusLine } from "../../client/api-error.js";
import type { SendResult } from "../../client/attempt.js";
import { createRequest, deleteRequest, mayBeGone, updateRequest } from "../../client/replies.js";
import { type ApiRequest, mayHaveHappened, type Outcome, Requester } from "../../client/request.js";
import type { NewWebhook } from "../../record/fields.js";
import { isSameCreation, parseTime } from "../../record/identity.js";
import type { UsableSettings } from "../../settings/settings.js";
import { describeExchange } from "./exchange.js";

/** The outcome of a request. After a success, `value` is its webhook. */
export type WebhookOutcome = Outcome<RepliedWebhook>;

/** The outcome of each request that was sent, in their order. An empty update has only the id; all others have all fields. */
export type Outcomes = Partial<Record<Step, WebhookOutcome>>;
type Step = "create" | "update" | "emptyUpdate" | "enabling" | "emptyUpdateOfEnabled" | "updateOfDeleted";

interface DoctorOptions extends UsableSettings {
  /** The user's receiver. Default: a URL that exists, and one that cannot exist for an enabled webhook. */
  url?: string | undefined;
  /** When it aborts, nothing more is tested. */
  signal: AbortSignal;
  logStep: (line: string) => unknown;
  /** Called with the text of each request and its reply. */
  logExchange: (text: string) => unknown;
}

const THROWAWAY_URL = "https://example.com/pulumi-webhooks-doctor";
/** The top-level domain is reserved: no host below it ever exists, and nothing can be delivered there. */
const NONEXISTENT_URL = "https://pulumi-webhooks-doctor.invalid";
/** As often as a webhook that the API does not find yet is tried again: see `FEW` in `client/request.ts`. */
const MAX_ATTEMPTS = 5;
/** Many APIs store whole seconds: a time that was set within the same second looks unchanged. */
const NEXT_SECOND_MILLISECONDS = 1100;

/**
 * The requests of the doctor, one after the other, with one throwaway webhook, which is deleted whatever happens.
 *
 * The API docs do not show where the reply to a create has the id. What looks like it may be the id of another webhook.
 * An id is ours if the reply to the create, or that to an update with only the id, has our name. If a reply contradicts that, nothing
 * more is sent with it.
 */
export class DoctorRun {
  readonly options: DoctorOptions;
  readonly outcomes: Outcomes = {};
  /** What came back to each request, those that were sent again included. */
  readonly replies: SendResult[] = [];
  /** A random part of its name, by which it is recognized: APIs cut names, prefix them, or write them in another way. */
  readonly token = randomBytes(3).toString("hex");
  readonly fields: NewWebhook & { secret: string };
  /** What must not be shown. */
  readonly secrets: readonly string[];
  /**
   * What is to be deleted, and why it may be left. It is always up to date, because the process may be ended at any time. It has no id
   * if the reply to the create had no usable one, or a wrong one. `taken`: the id of a webhook of the user, which the create changed.
   */
  leftover: { id?: string | undefined; taken?: string | undefined; why: string } | undefined;
  /** Why nothing more is sent with the id in the reply to the create; undefined if it is the webhook's. */
  idProblem: string | undefined;
  #requester: Requester;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(options: DoctorOptions) {
    const { settings, url } = options;
    const own = new URL(url ?? `${THROWAWAY_URL}/${this.token}`);
    if (url !== undefined) own.search += `${own.search && "&"}pulumi-webhooks-doctor=${this.token}`;
    this.options = options;
    this.fields = {
      // Some APIs cut names to 40 characters, and refuse a second webhook with the same URL.
      url: own.href,
      name: `webhooks doctor ${this.token} (safe to delete)`,
      secret: randomBytes(24).toString("base64url"),
      enabled: false,
    };
    this.secrets = [settings.apiKey, this.fields.secret];
    this.#requester = new Requester(settings);
  }

  /** Sends all requests. If the signal aborts, it deletes what was created and returns. */
  async run(): Promise<void> {
    try {
      await this.#testWebhook().finally(() => this.#cleanUp());
      await this.#testDeletedWebhook();
    } catch (error) {
      if (this.idProblem === undefined && !this.options.signal.aborted) throw error;
    } finally {
      await this.#requester.close();
    }
  }

  /** Describes what came back, without the secrets, such as `404 Not Found from POST /webhooks/update, No such webhook`. */
  describe({ operation, value, result }: WebhookOutcome): string {
    if (value !== undefined) return statusLine(result.status ?? 0);
    const reason = reasonOf(result, this.secrets) ?? "";
    return `${describeResult(operation, result)}${reason && `, ${reason.replace(/\.$/, "")}`}`;
  }

  async #testWebhook(): Promise<void> {
    const { fields, outcomes, token } = this;
    const { logStep, url: receiver } = this.options;
    const id = await this.#create();
    if (id === undefined) return;

    logStep("Updating all of its fields.");
    outcomes.update = await this.#ask(id, updateRequest(id, fields));
    if (outcomes.update.value === undefined) return;

    logStep("Sending an update with only its id.");
    outcomes.emptyUpdate = await this.#updateNothing(id);
    if (outcomes.emptyUpdate.value === undefined) return;
    // If the API's default were false, a disabled webhook would not show it, and a probe would disable all others.
    logStep("Enabling it for a moment, and sending the same.");
    const url = receiver === undefined ? `${NONEXISTENT_URL}/${token}` : fields.url;
    outcomes.enabling = await this.#ask(id, updateRequest(id, { ...fields, url, enabled: true }));
    const isEnabled = outcomes.enabling.value?.enabled && !outcomes.update.value.enabled;
    if (isEnabled) outcomes.emptyUpdateOfEnabled = await this.#updateNothing(id);
    logStep("Disabling it again.");
    await this.#ask(id, updateRequest(id, fields));
  }

  /**
   * Creates the webhook, and confirms its id before anything else is sent with it, by an update with only the id: that changes the least,
   * and its documented reply contains the name. An interruption does not prevent that, since the webhook is to be deleted.
   */
  async #create(): Promise<string | undefined> {
    const { logStep } = this.options;
    logStep("Creating a throwaway webhook, disabled.");
    this.leftover = { why: "the run ended before its create got a reply" };
    const create = await this.#send(createRequest(this.fields)).catch((error) => {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.leftover = undefined;
      throw error;
    });
    this.outcomes.create = create;
    this.#stopIfTaken(webhookIn(create));
    if (create.value === undefined) {
      const why = `the outcome of its create is unknown: ${this.describe(create)}`;
      this.leftover = mayHaveHappened(create) ? { why } : undefined;
      return undefined;
    }
    const { id } = create.value;
    this.leftover = { id, why: "the run ended before its delete was confirmed" };
    logStep(`Checking that ${id} is its id.`);
    // Whatever webhook the reply contains, it is not asked again.
    const request = { ...updateRequest(id), parse: parseWebhook, signal: undefined };
    const confirmation = await this.#ask(id, request);
    const webhook = webhookIn(confirmation);
    this.#stopIfTaken(webhook);
    const reply = webhook.name ? "another name" : this.describe(confirmation);
    const why = `nothing confirms that ${id} is the id of the new webhook: an update without fields got ${reply}`;
    // Without a name, or if the API does not find it yet, that in the reply to the create counts.
    if (!this.#isOurs(webhook.name ? webhook : create.value)) this.#stop(why);
    return id;
  }

  /** Sends an update with only the id, when the time of the last change shows whether it sets that. */
  async #updateNothing(id: string): Promise<WebhookOutcome> {
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.options.signal });
    return this.#ask(id, updateRequest(id));
  }

  /** Deletes the webhook. Neither an interruption nor a long pause of the rate limit prevents that. */
  async #cleanUp(): Promise<void> {
    const id = this.leftover?.id;
    if (id === undefined) return;
    await this.#requester.close();
    this.#requester = new Requester(this.options.settings);
    this.options.logStep(`Deleting webhook ${id}.`);
    const request = { ...deleteRequest(id), maxAttempts: Number.POSITIVE_INFINITY, signal: undefined };
    const outcome = await this.#send(request);
    // After an attempt that may have taken effect, an unknown id is its effect.
    const isDeleted = outcome.value !== undefined || (outcome.mayHaveHappenedBefore && mayBeGone(outcome));
    this.leftover = isDeleted ? undefined : { id, why: this.describe(outcome) };
  }

  /** Tests with the id of the deleted webhook: any other could be a stranger's. */
  async #testDeletedWebhook(): Promise<void> {
    const { outcomes, fields } = this;
    const id = outcomes.create?.value?.id;
    if (id === undefined || this.leftover !== undefined) return;
    this.options.logStep("Updating it again, now that it is deleted.");
    const request = updateRequest(id, outcomes.emptyUpdate?.value ? undefined : fields);
    outcomes.updateOfDeleted = await this.#send({ ...request, maxAttempts: 1 });
    const { id: sameId, name } = webhookIn(outcomes.updateOfDeleted);
    if (sameId !== undefined || name !== undefined)
      this.leftover = { id, why: "the API confirmed its delete, and still returns it" };
  }

  /** Sends a request with the id of the webhook. @throws if the reply has another one. */
  async #ask(id: string, request: ApiRequest<RepliedWebhook>): Promise<WebhookOutcome> {
    const outcome = await this.#send(request);
    const replied = webhookIn(outcome);
    if ((replied.id ?? id) === id) return outcome;
    if (!this.#isOurs(replied))
      this.#stop(`a request with ${id}, the id in the reply to a create, returned webhook ${replied.id}`);
    const why = `an update gave webhook ${id} another id, ${replied.id}: such an API is not supported`;
    this.#stop(why, { id: replied.id });
  }

  async #send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { logStep, logExchange, signal } = this.options;
    const log = (result: SendResult) => {
      this.replies.push(result);
      logExchange(describeExchange(request, result, this.secrets));
    };
    const outcome = await this.#requester.send({
      maxAttempts: MAX_ATTEMPTS,
      signal,
      ...request,
      onWait: ({ seconds, retried }) => {
        log(retried);
        logStep(`${describeResult(request.operation, retried)}. Retrying in ${seconds.toFixed(1)} s.`);
      },
    });
    log(outcome.result);
    return outcome;
  }

  /** Ends the requests with an id that is not our webhook's. */
  #stop(why: string, found = {}): never {
    this.idProblem = why;
    this.leftover = { ...found, why };
    throw new Error(why);
  }

  /** Stops if a create took over a webhook that has its URL: the time of its last change, by the same clock, is much later. */
  #stopIfTaken({ id, createdAt, updatedAt }: RepliedWebhook): void {
    const seconds = (parseTime(updatedAt) ?? 0) - (parseTime(createdAt) ?? Number.POSITIVE_INFINITY);
    const why = `the create took over a webhook that was created at ${createdAt}`;
    if (seconds > 10 * 60) this.#stop(why, { taken: id });
  }

  /**
   * Reports whether a record is our webhook's: by our name, or by name and time of the create of just now, which may ignore the name.
   * An API may return the webhook that has the URL already: only the doctor's own URLs are surely of no other one.
   */
  #isOurs({ name, createdAt }: RepliedWebhook): boolean {
    const created = this.options.url === undefined ? this.outcomes.create?.value : undefined;
    const isNamed = name !== undefined && name === created?.name;
    return (
      (isNamed && isSameCreation(createdAt, created.createdAt)) ||
      name?.toLowerCase().includes(this.token) === true
    );
  }
}

/** Parses the webhook in a 2xx, even if the reply is not the success that the API documents. */
function webhookIn({ result: { status = 500 }, reply }: Outcome<unknown>): RepliedWebhook {
  return status < 300 && reply !== undefined ? parseWebhook(reply) : {};
}
