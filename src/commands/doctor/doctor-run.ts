import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWebhook, type RepliedWebhook } from "../../client/api.js";
import { describeResult, reasonOf, statusLine } from "../../client/api-error.js";
import type { Post, SendResult } from "../../client/attempt.js";
import { createRequest, deleteRequest, isGone, mayBeGone, updateRequest } from "../../client/replies.js";
import { type ApiRequest, mayHaveHappened, type Outcome, Requester } from "../../client/request.js";
import type { NewWebhook, WebhookFields } from "../../record/fields.js";
import { isSameCreation, parseTime } from "../../record/identity.js";
import type { UsableSettings } from "../../settings/settings.js";

/** The requests, in their order. */
type Step =
  | "create"
  /** An update with only the id, which changes the least, and whose documented reply contains the name. */
  | "confirmation"
  /** An update of all fields. */
  | "update"
  /** An update with only the id, of the disabled webhook. */
  | "emptyUpdate"
  /** An update that enables the webhook, with a URL that cannot exist. */
  | "enabling"
  | "emptyUpdateOfEnabled"
  | "updateOfDeleted";

/** The outcome of a request. After a success, `value` is its webhook. */
export type WebhookOutcome = Outcome<RepliedWebhook>;

/** The outcome of each request that was sent. */
export type Outcomes = Partial<Record<Step, WebhookOutcome>>;

interface DoctorOptions extends UsableSettings {
  /** The user's receiver. Default: a URL that exists, and one that cannot exist for an enabled webhook. */
  url?: string | undefined;
  /** When it aborts, nothing more is tested. */
  signal: AbortSignal;
  /** Called with a line for the user. */
  logStep: (line: string) => unknown;
  /** Called with each request and its reply. */
  logExchange?: ((request: Post, result: SendResult) => unknown) | undefined;
}

const THROWAWAY_URL = "https://example.com/pulumi-webhooks-doctor";
/** The top-level domain is reserved: no host below it ever exists, and nothing can be delivered there. */
const NONEXISTENT_URL = "https://pulumi-webhooks-doctor.invalid";
const MAX_RETRIES = 2;
/** How long an API may take until it finds the new webhook: its replicas may lag. */
const MAX_LAG_SECONDS = 120;
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
  #signal: AbortSignal | undefined;
  /** Until then, the API may not find the webhook yet, as performance.now() counts. */
  #lagsUntil = 0;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(options: DoctorOptions) {
    const { settings, url, signal } = options;
    this.options = options;
    this.fields = {
      // Some APIs cut names to 40 characters, and refuse a second webhook with the same URL.
      url: url === undefined ? `${THROWAWAY_URL}/${this.token}` : withOwnQuery(url, this.token),
      name: `webhooks doctor ${this.token} (safe to delete)`,
      secret: randomBytes(24).toString("base64url"),
      enabled: false,
    };
    this.secrets = [settings.apiKey, this.fields.secret];
    this.#requester = new Requester(settings);
    this.#signal = signal;
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
    await this.#confirm(id);

    logStep("Updating all of its fields.");
    outcomes.update = await this.#update(id, fields);
    if (outcomes.update.value === undefined) return;

    logStep("Sending an update with only its id.");
    outcomes.emptyUpdate = await this.#updateNothing(id);
    if (outcomes.emptyUpdate.value === undefined) return;
    // If the API's default were false, a disabled webhook would not show it, and a probe would disable all others.
    logStep("Enabling it for a moment, and sending the same.");
    const url = receiver === undefined ? `${NONEXISTENT_URL}/${token}` : fields.url;
    outcomes.enabling = await this.#update(id, { ...fields, url, enabled: true });
    const isEnabled = fieldsIn(outcomes.enabling).enabled !== fieldsIn(outcomes.update).enabled;
    if (isEnabled && outcomes.enabling.value) outcomes.emptyUpdateOfEnabled = await this.#updateNothing(id);
    logStep("Disabling it again.");
    await this.#update(id, fields);
  }

  /** @returns the id in the reply. */
  async #create(): Promise<string | undefined> {
    this.options.logStep("Creating a throwaway webhook, disabled.");
    this.leftover = { why: "the run ended before its create got a reply" };
    const outcome = await this.#send(createRequest(this.fields)).catch((error) => {
      // Interrupted before it was sent, or during the wait after a refusal.
      this.leftover = undefined;
      throw error;
    });
    this.outcomes.create = outcome;
    this.#stopIfTaken(webhookIn(outcome));
    const { value } = outcome;
    if (value === undefined) {
      const why = `the outcome of its create is unknown: ${this.describe(outcome)}`;
      this.leftover = mayHaveHappened(outcome) ? { why } : undefined;
      return undefined;
    }
    this.leftover = { id: value.id, why: "the run ended before its delete was confirmed" };
    if (value.name !== undefined && !this.#isOurs(value))
      this.#stop("the reply to the create has another name");
    return value.id;
  }

  /** Confirms the id from the reply to the create, before anything else is sent with it. */
  async #confirm(id: string): Promise<void> {
    this.options.logStep(`Checking that ${id} is its id.`);
    // Whatever webhook the reply contains, it is not asked again.
    const outcome = await this.#ask(id, { ...updateRequest(id), parse: parseWebhook });
    this.outcomes.confirmation = outcome;
    const { deadlineSeconds } = this.options.settings;
    this.#lagsUntil = performance.now() + Math.min(MAX_LAG_SECONDS, deadlineSeconds) * 1000;
    const webhook = webhookIn(outcome);
    this.#stopIfTaken(webhook);
    const reply = webhook.name ? "another name" : this.describe(outcome);
    // Without a name, or if the API does not find it yet, that in the reply to the create counts.
    const isNamed = webhook.name ? this.#isOurs(webhook) : this.outcomes.create?.value?.name !== undefined;
    const why = `nothing confirms that ${id} is the id of the new webhook: an update without fields got ${reply}`;
    if (!isNamed) this.#stop(why);
  }

  /** Updates all fields. */
  #update(id: string, fields: WebhookFields): Promise<WebhookOutcome> {
    return this.#ask(id, updateRequest(id, fields));
  }

  /** Sends an update with only the id, when the time of the last change shows whether it sets that. */
  async #updateNothing(id: string): Promise<WebhookOutcome> {
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.#signal });
    return this.#ask(id, updateRequest(id));
  }

  /** Deletes the webhook. Neither an interruption nor a long pause of the rate limit prevents that. */
  async #cleanUp(): Promise<void> {
    const id = this.leftover?.id;
    if (id === undefined) return;
    this.#signal = undefined;
    await this.#requester.close();
    this.#requester = new Requester(this.options.settings);
    if (this.outcomes.confirmation === undefined && this.idProblem === undefined) await this.#confirm(id);
    this.options.logStep(`Deleting webhook ${id}.`);
    const outcome = await this.#sendOnceFound({
      ...deleteRequest(id),
      maxRetries: Number.POSITIVE_INFINITY,
    });
    this.#signal = this.options.signal;
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
    outcomes.updateOfDeleted = await this.#send({ ...request, maxRetries: 0 });
    const { id: sameId, name } = webhookIn(outcomes.updateOfDeleted);
    if (sameId !== undefined || name !== undefined)
      this.leftover = { id, why: "the API confirmed its delete, and still returns it" };
  }

  /** Sends a request with the id of the webhook. @throws if the reply has another one. */
  async #ask(id: string, request: ApiRequest<RepliedWebhook>): Promise<WebhookOutcome> {
    const outcome = await this.#sendOnceFound(request);
    const replied = webhookIn(outcome);
    if ((replied.id ?? id) === id) return outcome;
    if (!this.#isOurs(replied))
      this.#stop(`a request with ${id}, the id in the reply to a create, returned webhook ${replied.id}`);
    const why = `an update gave webhook ${id} another id, ${replied.id}: such an API is not supported`;
    this.#stop(why, { id: replied.id });
  }

  async #send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const keep = (result: SendResult) => {
      this.options.logExchange?.(request, result);
      this.replies.push(result);
    };
    const outcome = await this.#requester.send({
      maxRetries: MAX_RETRIES,
      ...request,
      signal: this.#signal,
      onWait: ({ seconds, retried: { result } }) => {
        keep(result);
        const what = describeResult(request.operation, result);
        this.options.logStep(`${what}. Retrying in ${seconds.toFixed(1)} s.`);
      },
    });
    keep(outcome.result);
    return outcome;
  }

  /** Sends a request with the id of the new webhook until the API finds it. */
  async #sendOnceFound<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { confirmation, update } = this.outcomes;
    // Once an update has succeeded, such a status refuses what was sent.
    const mayBeUnknown = confirmation && update?.value === undefined && mayBeGone(confirmation);
    const goneStatus = mayBeUnknown ? confirmation.result.status : undefined;
    for (;;) {
      const outcome = await this.#send(request);
      const mayBeFound = isGone(outcome, goneStatus) && performance.now() < this.#lagsUntil;
      if (!mayBeFound || outcome.mayHaveHappenedBefore) return outcome;
      await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.#signal });
    }
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
    const isCreated = name === created?.name && isSameCreation(createdAt, created?.createdAt) === true;
    return isCreated || name?.toLowerCase().includes(this.token) === true;
  }
}

/** Returns the fields that a probe compares; `enabled` even if this package does not know its value. */
export function fieldsIn({ value: { name, enabled, otherEnabled } = {} }: WebhookOutcome) {
  return { name, enabled: enabled ?? otherEnabled };
}

/** Parses the webhook in a 2xx, even if the reply is not the success that the API documents. */
function webhookIn({ result: { status = 500 }, reply }: Outcome<unknown>): RepliedWebhook {
  return status < 300 && reply !== undefined ? parseWebhook(reply) : {};
}

/** Adds a query to a URL, so that no webhook has it. */
function withOwnQuery(url: string, token: string): string {
  const own = new URL(url);
  own.search += `${own.search === "" ? "" : "&"}pulumi-webhooks-doctor=${token}`;
  return own.href;
}
