import { describeResult } from "../client/api-error.js";
import { quote } from "../client/quote.js";
import type { ApiRequest, Outcome } from "../client/request.js";
import { Requester } from "../client/request.js";
import type { SendResult } from "../client/attempt.js";
import type { Settings } from "../settings/settings.js";

const MAX_RETRIES = 2;
const RATE_LIMIT_HEADER = /^(?:x-)?rate-?limit|^retry-after$/;

/** What the requests of the doctor need. */
export interface SenderOptions {
  settings: Settings;
  signal: AbortSignal;
  /** What must not be shown. */
  secrets: readonly string[];
  /** Called with a line for the user. */
  logStep: (line: string) => void;
}

/** A request of the doctor. */
export type DoctorRequest<Value> = Omit<ApiRequest<Value>, "onWait" | "signal">;

/** Sends the requests of the doctor, and collects the rate-limit headers of the replies. */
export class Sender {
  /** The rate-limit headers, each with its last value. */
  readonly rateLimitHeaders = new Map<string, string>();
  readonly #requester: Requester;
  /** Has a limiter of its own: a long pause of the rate limit must not prevent deletes. */
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

  async #sendBy<Value>(
    requester: Requester,
    request: DoctorRequest<Value> & { signal?: AbortSignal },
  ): Promise<Outcome<Value>> {
    const { logStep } = this.#options;
    const outcome = await requester.send({
      maxRetries: MAX_RETRIES,
      ...request,
      onWait: ({ seconds, retried }) => {
        if (retried !== undefined) {
          this.#collectRateLimitHeaders(retried);
          logStep(`${describeResult(request.operation, retried)}. Retrying in ${seconds.toFixed(1)} s.`);
        } else if (Math.round(seconds) >= 1) {
          logStep(`The API's rate limit is reached. Continuing in ${Math.ceil(seconds)} s.`);
        }
      },
    });
    this.#collectRateLimitHeaders(outcome.result);
    return outcome;
  }

  #collectRateLimitHeaders(result: SendResult): void {
    if (result.kind !== "response") return;
    const { secrets } = this.#options;
    for (const [name, value] of Object.entries(result.headers)) {
      if (value !== undefined && RATE_LIMIT_HEADER.test(name))
        this.rateLimitHeaders.set(quote(name, secrets), quote(String(value), secrets));
    }
  }
}
