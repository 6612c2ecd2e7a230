import { setTimeout as sleep } from "node:timers/promises";
import { describeResult } from "../../client/api-error.js";
import { type ApiRequest, type Outcome, Requester } from "../../client/request.js";
import type { Settings } from "../../settings/settings.js";

const MAX_RETRIES = 2;

/** What the requests of the doctor need. */
export interface SenderOptions {
  settings: Settings;
  /** When it aborts, nothing more is sent. */
  signal?: AbortSignal;
  /** Called with a line for the user. */
  logStep: (line: string) => void;
}

/** Sends requests of the doctor, and says when they have to wait. */
export class Sender extends Requester {
  readonly #options: SenderOptions;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(options: SenderOptions) {
    super(options.settings);
    this.#options = options;
  }

  /** Sends a request. Throws if the signal aborts before anything was sent. */
  override send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { signal, logStep } = this.#options;
    return super.send({
      maxRetries: MAX_RETRIES,
      ...request,
      signal,
      onWait: ({ seconds, retried }) =>
        logStep(`${describeResult(request.operation, retried)}. Retrying in ${seconds.toFixed(1)} s.`),
    });
  }

  /** Waits. Throws if the signal aborts. */
  async wait(seconds: number, reason: string): Promise<void> {
    this.#options.logStep(`${reason}. Trying again in ${seconds} s.`);
    await sleep(seconds * 1000, undefined, { signal: this.#options.signal });
  }
}
