import type { SettingGuide } from "../setting-guide.js";
import type { NewWebhook, WebhookFields, WebhookRecord } from "./api.js";
import { createBody, deleteBody, parseWebhook, probeBody, updateBody } from "./api.js";
import { describeResult, toApiError } from "./api-error.js";
import type { ApiRequest, RequestSettings } from "./request.js";
import { Requester } from "./request.js";
import { serverTime } from "./transport.js";

/** A shorter wait is not worth a line of the user's output, nor is a second line so soon after the last. */
const REPORTED_WAIT_SECONDS = 5;

/** What the client needs to reach the API of one account. */
export type ClientOptions = RequestSettings & {
  /** Called with a line for the user when an operation has to wait noticeably. */
  onWait: (line: string) => void;
  /** Names the settings in errors. Default: as in the stack's config. */
  guide?: SettingGuide;
};

/** What the messages about a request need. */
export interface Context {
  /** What is being done: `Updating webhook 42 (Orders)`. */
  action: string;
  /** The webhook's secret, which must not appear in a message. */
  secret?: string | undefined;
}

/** The record that a probe returned, and when, by the server's clock. */
export interface ProbedWebhook extends WebhookRecord {
  /** Seconds since 1970; undefined if the reply has no `Date`. */
  repliedAt: number | undefined;
  /** Seconds from sending the first request to the reply. */
  tookSeconds: number;
}

/**
 * The three operations of the API, each retried as far as that is safe.
 *
 * Every method throws a WebhookError whose `failure` says what is known: `"in doubt"` or, if it is safe to send it again,
 * `"unconfirmed"`, if one of the attempts may have taken effect; `"gone"` only if the API itself replied that there is no
 * such webhook.
 */
export class WebhookClient {
  readonly #options: ClientOptions;
  readonly #requester: Requester;
  /** Until then no further wait is reported. */
  #silentUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#requester = new Requester(options);
  }

  /** Creates a webhook. The request is sent again only if it surely took no effect. */
  create(webhook: NewWebhook, context: Context): Promise<WebhookRecord & { id: string }> {
    const parse: Parse<WebhookRecord & { id: string }> = (reply) => {
      const { id, ...record } = parseWebhook(reply);
      return id === undefined ? undefined : { id, ...record };
    };
    return this.#send({ operation: "create", body: createBody(webhook), parse }, context);
  }

  /** Updates all fields of the webhook with this id. */
  update(id: string, fields: WebhookFields, context: Context): Promise<WebhookRecord> {
    return this.#send({ operation: "update", body: updateBody(id, fields), parse: parseWebhook }, context);
  }

  /** Requests the record of the webhook with this id, by an update that sends nothing but the id. */
  probe(id: string, context: Context): Promise<ProbedWebhook> {
    const startedAt = performance.now();
    const parse: Parse<ProbedWebhook> = (reply, headers) => {
      const milliseconds = serverTime(headers);
      return {
        ...parseWebhook(reply),
        repliedAt: milliseconds === undefined ? undefined : milliseconds / 1000,
        tookSeconds: (performance.now() - startedAt) / 1000,
      };
    };
    return this.#send({ operation: "update", body: probeBody(id), parse }, context);
  }

  /** Deletes the webhook with this id. */
  async delete(id: string, context: Context): Promise<void> {
    await this.#send({ operation: "delete", body: deleteBody(id), parse: (reply) => reply }, context);
  }

  /** Closes the connections; requests in flight fail. */
  close(): Promise<void> {
    return this.#requester.close();
  }

  async #send<Value>(request: ApiRequest<Value>, { action, secret }: Context): Promise<Value> {
    const { apiKey, deadlineSeconds, guide } = this.#options;
    const outcome = await this.#requester.send({
      ...request,
      onWait: ({ seconds, retried }) =>
        this.#reportWait(
          seconds,
          retried === undefined
            ? "The API's rate limit is reached. Continuing"
            : `${action}: ${describeResult(request.operation, retried)}. Retrying`,
        ),
    });
    if (outcome.value !== undefined) return outcome.value;
    const secrets = secret === undefined ? [apiKey] : [apiKey, secret];
    throw toApiError(outcome, { action, secrets, deadlineSeconds, guide });
  }

  #reportWait(seconds: number, line: string): void {
    if (seconds < REPORTED_WAIT_SECONDS || Date.now() < this.#silentUntil) return;
    this.#silentUntil = Date.now() + REPORTED_WAIT_SECONDS * 1000;
    this.#options.onWait(`${line} in ${Math.round(seconds)} s.`);
  }
}

type Parse<Value> = ApiRequest<Value>["parse"];
