import { setTimeout as sleep } from "node:timers/promises";
import { idBody, type RepliedWebhook, updateBody, type WebhookFields } from "../../client/api.js";
import { deleteRequest, updateRequest } from "../../client/replies.js";
import type { SettingGuide } from "../../settings/setting-guide.js";
import { compareOmittedFields, type Outcomes, type WebhookOutcome, webhookIn } from "./outcome.js";
import { Sender, type SenderOptions } from "./sender.js";
import { type Leftover, ThrowawayWebhook } from "./throwaway-webhook.js";

/** Many APIs store whole seconds: a time that was set within the same second looks unchanged. */
const NEXT_SECOND_MILLISECONDS = 1100;
const WRONG_KEY = "pulumi-webhooks-doctor-wrong-key";
/** The top-level domain is reserved: no host below it ever exists, and nothing can be delivered there. */
const NONEXISTENT_URL = "https://pulumi-webhooks-doctor.invalid";

interface DoctorOptions extends SenderOptions {
  signal: AbortSignal;
  guide: SettingGuide;
  /** The URL that all requests name. Default: one that exists, and one that cannot exist for an enabled webhook. */
  url?: string | undefined;
}

/** The requests of the doctor, one after the other. Its throwaway webhook is deleted whatever happens. */
export class DoctorRun {
  readonly outcomes: Outcomes = {};
  /** What advice depends on: what must not be shown, the URL of the API, and how to name the settings. */
  readonly context: { secrets: readonly string[]; baseUrl: string; guide: SettingGuide };
  /** What the run created, and what the replies show of its id. */
  readonly webhook: ThrowawayWebhook;
  readonly options: DoctorOptions;
  /** Whether the reply to an update showed the webhook as it was before. */
  isReplyStale = false;
  readonly #sender: Sender;

  constructor(options: DoctorOptions) {
    const { settings, url } = options;
    this.options = options;
    this.#sender = new Sender(options);
    this.webhook = new ThrowawayWebhook(this.#sender, settings, url);
    this.context = { secrets: this.webhook.secrets, baseUrl: settings.baseUrl, guide: options.guide };
  }

  /** More than APIs may keep. */
  get longName(): string {
    return `webhooks doctor ${this.webhook.token} with a long name 🚚, which the API may cut or rewrite (safe to delete)`;
  }

  /** The webhook that is left at the API, or may be: none or one. */
  get leftovers(): readonly Leftover[] {
    return this.webhook.leftover === undefined ? [] : [this.webhook.leftover];
  }

  /** Sends all requests. If the signal aborts, it deletes what was created and returns. */
  async run(): Promise<void> {
    try {
      const id = await this.#testWebhook();
      if (id !== undefined && this.webhook.leftover === undefined) await this.#testDeletedWebhook(id);
    } catch (error) {
      if (!this.options.signal.aborted) throw error;
    } finally {
      await this.#sender.close();
    }
  }

  /** Tests all that needs the webhook. @returns its id; undefined if none was created. It is deleted by then. */
  async #testWebhook(): Promise<string | undefined> {
    try {
      this.options.logStep("Creating a throwaway webhook, disabled.");
      this.outcomes.create = await this.webhook.create();
      const id = this.outcomes.create.value?.id;
      if (id === undefined || this.webhook.idProblem) return undefined;
      this.options.logStep(`Checking that ${id} is its id.`);
      this.outcomes.confirmation = await this.webhook.confirm(id);
      if (this.webhook.idProblem) return undefined;
      await this.#testUpdates(id);
      return id;
    } finally {
      const id = this.webhook.leftover?.id;
      if (id !== undefined) await this.#delete(id);
    }
  }

  async #testUpdates(id: string): Promise<void> {
    const { outcomes } = this;
    const { fields, token } = this.webhook;
    const { logStep, signal, url } = this.options;
    const probe = () => this.webhook.update(id, idBody(id));
    logStep(`Updating webhook ${id} with a long name.`);
    outcomes.longName = await this.#update(id, { ...fields, name: this.longName });
    if (this.webhook.idProblem) return;

    logStep("Updating all of its fields.");
    outcomes.update = await this.#update(id, fields);
    if (outcomes.update.value === undefined || this.webhook.idProblem) return;

    logStep("Sending an update with only its id.");
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal });
    outcomes.emptyUpdate = await probe();
    const { changes, missing } = compareOmittedFields(outcomes);
    if (!outcomes.emptyUpdate.value || changes.length + missing.length > 0 || this.webhook.idProblem) return;

    // If the API's default were false, a disabled webhook would not show it, and a probe would disable all others.
    logStep("Enabling it for a moment, with a URL that cannot exist, and sending the same.");
    const enabled = { ...fields, url: url ?? `${NONEXISTENT_URL}/${token}`, enabled: true };
    outcomes.enabling = await this.#update(id, enabled);
    if (outcomes.enabling.value?.enabled) {
      await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal });
      outcomes.emptyUpdateOfEnabled = await probe();
    }
    await this.#update(id, fields);
  }

  /** Updates all fields, and once more if the reply contradicts that, as the provider does. */
  async #update(id: string, fields: WebhookFields): Promise<WebhookOutcome> {
    const isContradicted = ({ name = fields.name, enabled = fields.enabled }: RepliedWebhook) =>
      name !== fields.name || enabled !== fields.enabled;
    const first = await this.webhook.update(id, updateBody(id, fields));
    if (!first.value || !isContradicted(first.value) || this.webhook.idProblem) return first;
    const second = await this.webhook.update(id, updateBody(id, fields));
    if (second.value && !isContradicted(second.value)) this.isReplyStale = true;
    return second;
  }

  async #delete(id: string): Promise<void> {
    const { settings, logStep } = this.options;
    logStep(`Deleting webhook ${id}.`);
    // No signal: it is also sent after an interruption. And a long pause of the rate limit must not prevent it.
    const sender = new Sender({ settings, logStep });
    this.outcomes.delete = await this.webhook.delete(id, sender).finally(() => sender.close());
  }

  /** Tests with the id of the deleted webhook: any other could be a stranger's. */
  async #testDeletedWebhook(id: string): Promise<void> {
    const { outcomes } = this;
    this.options.logStep("Updating it again, now that it is deleted.");
    const body = outcomes.emptyUpdate?.value ? idBody(id) : updateBody(id, this.webhook.fields);
    const update = updateRequest(id, body);
    outcomes.updateOfDeleted = await this.#sender.send(update);
    const { id: sameId, name } = webhookIn(outcomes.updateOfDeleted);
    if (sameId !== undefined || name !== undefined) {
      const why = "the API confirmed its delete, and still returns it";
      this.webhook.leftover = { name: this.webhook.fields.name, id, why };
      return;
    }

    this.options.logStep("Deleting it again.");
    outcomes.deleteOfDeleted = await this.#sender.send(deleteRequest(id));

    this.options.logStep("Updating it with a wrong API key.");
    const headers = { authorization: `Bearer ${WRONG_KEY}` };
    outcomes.wrongKey = await this.#sender.send({ ...update, headers, maxRetries: 0 });
  }
}
