import type { NewWebhook, WebhookFields } from "../record/fields.js";
import { SettingGuide } from "../settings/setting-guide.js";
import type { Settings } from "../settings/settings.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import type { RepliedWebhook } from "./api.js";
import { type Context, describeReason, describeResult, toApiError } from "./api-error.js";
import { createRequest, deleteRequest, type IdentifiedWebhook, updateRequest } from "./replies.js";
import { type ApiRequest, Requester } from "./request.js";
import type { ProbedTimes } from "./times.js";

/** A shorter wait is not worth a line of the user's output, nor is a second line so soon after the last. */
const REPORTED_WAIT_SECONDS = 5;

/** What the client needs to reach an API. */
export interface ClientOptions extends Settings {
  /** Called with a line for the user when an operation has to wait noticeably. */
  onWait: (line: string) => void;
  /** When it aborts, nothing more is sent. What was sent is waited for; the rest fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Names the settings in errors. Default: as in the stack's config. */
  guide?: SettingGuide;
}

/** The webhook that a probe returned. */
export type ProbedWebhook = RepliedWebhook & ProbedTimes;

/**
 * The three operations of the API, each retried as far as that is safe.
 *
 * Every method throws a WebhookError whose `failure` says what is known: `"unresolved"` or, if it is safe to send it again,
 * `"unclear"`, if one of the attempts may have taken effect; and `"gone"` only if the API itself replied that the webhook is gone: by 404
 * several times, unless this delete may have caused it.
 */
export class WebhookClient {
  readonly #options: ClientOptions;
  readonly #requester: Requester;
  /** Until then no further wait is reported, as performance.now() counts. */
  #silentUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#requester = new Requester(options);
  }

  /** Creates a webhook. The request is sent again only if it certainly took no effect. */
  create(webhook: NewWebhook, context: Context): Promise<IdentifiedWebhook & Pick<ProbedTimes, "repliedAt">> {
    return this.#send(createRequest(webhook), context);
  }

  /** Updates all fields of the webhook with this id. */
  async update(id: string, fields: WebhookFields, context: Context): Promise<IdentifiedWebhook> {
    const webhook = await this.#sendToRecorded(id, updateRequest(id, fields), context);
    if (webhook.id === id) return webhook;
    const problem = `webhook ${id} has the id ${webhook.id} now: this API gives webhooks new ids, which is not supported.`;
    throw failed(context.action, `${problem} Do not create the webhook again: it exists.`, "unclear");
  }

  /** Requests the fields of the webhook with this id, by an update that sends nothing but the id. */
  async probe(id: string, context: Context): Promise<ProbedWebhook> {
    const startedAt = performance.now();
    const probed = await this.#send(updateRequest(id), context);
    return { ...probed, tookSeconds: (performance.now() - startedAt) / 1000 };
  }

  async delete(id: string, context: Context): Promise<void> {
    await this.#sendToRecorded(id, deleteRequest(id), context);
  }

  /** Closes the connections; requests in flight fail. */
  close(): Promise<void> {
    return this.#requester.close();
  }

  /**
   * Sends an update or a delete. The status for unknown ids may also refuse it for another reason: the webhook is gone only if a second
   * request gets that status, too: a probe, or an update with the recorded fields, which sets `updated_at`.
   */
  async #sendToRecorded<Webhook extends RepliedWebhook>(
    id: string,
    request: ApiRequest<Webhook>,
    context: Context,
  ): Promise<Webhook> {
    const { unknownIdStatus, drift } = this.#options;
    try {
      return await this.#send(request, context);
    } catch (error) {
      const { recorded } = context;
      const reply = error instanceof WebhookError ? error.reply : undefined;
      if (reply === undefined || reply.status !== unknownIdStatus || recorded === undefined) throw error;
      const second = updateRequest(id, drift === "probe" ? undefined : recorded);
      await this.#send(second, context, unknownIdStatus).catch((other) => {
        throw hasFailedAs("gone", other) ? new WebhookError({ ...other, reply }) : error;
      });
      throw error;
    }
  }

  /** @param goneStatus the status that counts as a 404 does. A probe sends nothing that could be refused. */
  async #send<Webhook extends RepliedWebhook>(
    request: ApiRequest<Webhook>,
    context: Context,
    goneStatus = request.operation === "probe" ? this.#options.unknownIdStatus : undefined,
  ): Promise<Webhook> {
    const { action, onSend, since } = context;
    const { apiKey, guide = new SettingGuide(), signal } = this.#options;
    const { deadlineSeconds = this.#options.deadlineSeconds } = context;
    const deadline = context.deadlineSeconds === undefined ? guide.name("deadlineSeconds") : "customTimeouts";
    const secrets = [apiKey, ...(context.secrets ?? [])];
    const onWait: ApiRequest<Webhook>["onWait"] = ({ seconds, retried }) => {
      if (seconds < REPORTED_WAIT_SECONDS || performance.now() < this.#silentUntil) return;
      this.#silentUntil = performance.now() + REPORTED_WAIT_SECONDS * 1000;
      const result = `${describeResult(request.operation, retried)}. ${describeReason(retried, secrets)}`;
      this.#options.onWait(`${action}: ${result.trim()} Retrying in ${Math.round(seconds)} s.`);
    };
    const bounds = { signal, deadlineSeconds, since };
    const outcome = await this.#requester.send({ ...request, ...bounds, onSend, onWait });
    if (outcome.value !== undefined) return outcome.value;
    const named = { deadline, deadlineSeconds, guide, secrets, goneStatus };
    throw toApiError(outcome, { ...context, ...this.#options, ...named });
  }
}
