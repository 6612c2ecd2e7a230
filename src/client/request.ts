import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config.js";
import type { Operation, Reply } from "./api.js";
import { PATHS, parseReply } from "./api.js";
import { AdaptiveLimiter } from "./limiter.js";
import { parseRateLimit } from "./rate-limit-headers.js";
import type { RetryDecision } from "./retry.js";
import { backoffSeconds, decideRetry, mayHaveTakenEffect, retryAfterSeconds } from "./retry.js";
import type { Headers, SendResult } from "./transport.js";
import { Transport } from "./transport.js";

/** The settings that sending requests depends on. */
export type RequestSettings = Pick<
  Settings,
  "apiKey" | "baseUrl" | "timeoutSeconds" | "deadlineSeconds" | "maxConnections"
>;

/** A request to the API, and how far to go to get its reply. */
export interface ApiRequest<Value> {
  operation: Operation;
  body: object;
  /** Headers beside the usual ones, or in their place. */
  headers?: Record<string, string>;
  /** Reads a 2xx. @returns undefined if it is not the success that is expected. */
  parse: (reply: Reply, headers: Headers) => Value | undefined;
  /** How often a retry is made at most; a refusal by the rate limit does not count. Default: until the deadline. */
  maxRetries?: number;
  /** Ends the request early, with the signal's reason. A create that was sent is waited for all the same. */
  signal?: AbortSignal;
  /** Called before each wait, with the result that is retried, if it is not the rate limit's pause. */
  onWait?: (wait: { seconds: number; retried?: SendResult }) => void;
}

/** What became of a request in the end. */
export interface Outcome<Value> {
  operation: Operation;
  /** What `parse` returned; undefined if the request did not succeed. */
  value: Value | undefined;
  /** The last result. */
  result: SendResult;
  /** Its body, if that is a JSON object. */
  reply: Reply | undefined;
  /** Why there was no further attempt; undefined after a success. */
  decision: RetryDecision | undefined;
  attempts: number;
  /** Whether an attempt before the last one may have taken effect. */
  isRepeat: boolean;
}

/** Sends the requests of one account, each with its retries, within the rate limit and the deadline. */
export class Requester {
  readonly #settings: RequestSettings;
  readonly #transport: Transport;
  readonly #limiter: AdaptiveLimiter;
  /** A reset of the rate limit that is further off is not believed if only a header says so. */
  readonly #maxResetSeconds: number;

  /** @throws WebhookError if the environment names a proxy by something that is not a URL. */
  constructor(settings: RequestSettings) {
    this.#settings = settings;
    this.#transport = new Transport(settings);
    this.#maxResetSeconds = settings.deadlineSeconds / 2;
    this.#limiter = new AdaptiveLimiter({
      maxInFlight: settings.maxConnections,
      maxResetSeconds: this.#maxResetSeconds,
    });
  }

  /** Sends a request until it succeeds, or until another attempt would do harm or no good. */
  async send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { operation, parse, maxRetries = Number.POSITIVE_INFINITY, signal, onWait } = request;
    const bounds = this.#boundsOf(operation);
    let retries = 0;
    let isRepeat = false;
    let last: Outcome<Value> | undefined;

    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted();
      const permit = await this.#limiter.acquire({ ...bounds, signal });
      if (signal?.aborted) permit?.noResponse();
      signal?.throwIfAborted();
      if (permit === undefined) {
        // What the API replied before says more than that there was no time to ask again.
        return last ?? { operation, ...NOTHING, result: this.#notSent() };
      }

      const result = await this.#post(request, bounds).catch((reason) => {
        permit.noResponse();
        throw reason;
      });
      if (result.kind === "not-sent" && result.isLate && last !== undefined) {
        permit.noResponse();
        return last;
      }
      const seconds = this.#waitSeconds(result, attempts);
      const resumeAt = Math.max(Date.now() + seconds * 1000, this.#limiter.pausedUntil);
      const isRateLimited = result.kind === "response" && result.status === 429;
      if (result.kind !== "response") permit.noResponse();
      else if (isRateLimited) permit.rateLimited(resumeAt);
      else {
        permit.succeeded(parseRateLimit(result.headers));
        onWait?.({ seconds: (this.#limiter.pausedUntil - Date.now()) / 1000 });
      }

      const reply = readReply(result);
      const isSuccess = result.kind === "response" && result.status < 300 && reply !== undefined;
      const value = isSuccess ? parse(reply, result.headers) : undefined;
      const decision = value === undefined ? decideRetry(operation, result, attempts) : undefined;
      last = { operation, value, result, reply, decision, attempts, isRepeat };
      const hasRetries = isRateLimited ? maxRetries > 0 : retries < maxRetries;
      if (decision !== "retry" || !hasRetries || resumeAt >= bounds.lastSend) return last;

      if (!isRateLimited) retries++;
      isRepeat ||= mayHaveTakenEffect(result);
      onWait?.({ seconds, retried: result });
      // A request that the rate limit refused waits in line, with the others.
      if (!isRateLimited) await sleep(Math.max(0, resumeAt - Date.now()), undefined, { signal });
    }
  }

  /** Closes the connections; requests in flight fail. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** A create that the deadline cuts off is in doubt: it is sent only while there is time for its reply. */
  #boundsOf(operation: Operation): Bounds {
    const { deadlineSeconds, timeoutSeconds } = this.#settings;
    const deadline = Date.now() + deadlineSeconds * 1000;
    const replySeconds = operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    return { deadline, lastSend: deadline - replySeconds * 1000 };
  }

  /** Sends a request once. */
  async #post(
    { operation, body, headers, signal }: ApiRequest<unknown>,
    bounds: Bounds,
  ): Promise<SendResult> {
    const isCreate = operation === "create";
    const result = this.#transport.post({
      path: PATHS[operation],
      headers: {
        authorization: `Bearer ${this.#settings.apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
      idempotent: !isCreate,
      ...bounds,
    });
    return isCreate || signal === undefined ? result : orAborted(result, signal);
  }

  /** Computes the wait before the next attempt: what the API asks for, or else a growing one. */
  #waitSeconds(result: SendResult, attempt: number): number {
    const retryAfter = retryAfterSeconds(result);
    if (retryAfter) return retryAfter;
    const isRateLimited = result.kind === "response" && result.status === 429;
    const reset = isRateLimited ? parseRateLimit(result.headers)?.resetSeconds : undefined;
    return reset && reset <= this.#maxResetSeconds ? reset : backoffSeconds(attempt);
  }

  /** Explains why a request never got a permit. */
  #notSent(): SendResult {
    const seconds = Math.ceil((this.#limiter.pausedUntil - Date.now()) / 1000);
    const reason =
      seconds > 0
        ? `the API's rate limit lets no request through for another ${seconds} s`
        : "the deadline came while it waited for other requests";
    return { kind: "not-sent", reason, permanent: false, isLate: true };
  }
}

interface Bounds {
  deadline: number;
  lastSend: number;
}

/** The outcome of a request that was never sent, but for its result. */
const NOTHING = {
  value: undefined,
  reply: undefined,
  decision: "retry",
  attempts: 0,
  isRepeat: false,
} as const;

function readReply(result: SendResult): Reply | undefined {
  return result.kind === "response" && result.problem === undefined ? parseReply(result.body) : undefined;
}

/** Waits for a promise that never rejects, but no longer than until the signal aborts. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void promise.then((value) => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    });
  });
}
