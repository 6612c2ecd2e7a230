import { describeResult } from "../client/api-error.js";
import type { ApiRequest, Outcome } from "../client/request.js";
import { Requester } from "../client/request.js";
import type { Settings } from "../settings/settings.js";

const MAX_RETRIES = 2;

/** What the requests of the doctor need. */
export interface SenderOptions {
  settings: Settings;
  signal: AbortSignal;
  /** Called with a line for the user. */
  logStep: (line: string) => void;
}

/** A request of the doctor. */
export type DoctorRequest<Value> = Omit<ApiRequest<Value>, "onWait" | "signal">;

/** Sends the requests of the doctor. */
export class Sender {
  readonly #requester: Requester;
  /** Has a limiter of its own: a long pause of the rate limit must not prevent the delete. */
  readonly #cleanupRequester: Requester;
  readonly #options: SenderOptions;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(options: SenderOptions) {
    this.#options = options;
    this.#requester = new Requester(options.settings);
    this.#cleanupRequester = new Requester(options.settings);
  }

  /** Sends a request. Throws if the signal aborts before anything was sent. */
  send<Value>(request: DoctorRequest<Value>): Promise<Outcome<Value>> {
    return this.#sendBy(this.#requester, { ...request, signal: this.#options.signal });
  }

  /** Sends a request of the cleanup: after an interruption, and during a pause of the rate limit. */
  sendCleanup<Value>(request: DoctorRequest<Value>): Promise<Outcome<Value>> {
    return this.#sendBy(this.#cleanupRequester, request);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#requester.close(), this.#cleanupRequester.close()]);
  }

  #sendBy<Value>(
    requester: Requester,
    request: DoctorRequest<Value> & { signal?: AbortSignal },
  ): Promise<Outcome<Value>> {
    return requester.send({
      maxRetries: MAX_RETRIES,
      ...request,
      onWait: ({ seconds, retried }) => {
        if (retried !== undefined) {
          const result = describeResult(request.operation, retried);
          this.#options.logStep(`${result}. Retrying in ${seconds.toFixed(1)} s.`);
        } else if (Math.round(seconds) >= 1) {
          this.#options.logStep(`The API's rate limit is reached. Continuing in ${Math.ceil(seconds)} s.`);
        }
      },
    });
  }
}
