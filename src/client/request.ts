import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../settings/settings.js";
import type { Operation, Reply } from "./api.js";
import { PATHS, parseReply } from "./api.js";
import { AdaptiveLimiter } from "./limiter.js";
import { parseRateLimit } from "./rate-limit-headers.js";
import { UnexpectedReplyError } from "./replies.js";
import type { RetryDecision } from "./retry.js";
import { backoffSeconds, decideRetry, isPermanent, mayHaveTakenEffect, retryAfterSeconds } from "./retry.js";
import type { Bounds, Response, SendResult } from "./transport.js";
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
  /** Parses a 2xx. @throws UnexpectedReplyError if it is not the success that the API documents. */
  parse: (reply: Reply, response: Response) => Value;
  /** How often a retry is made at most; a refusal by the rate limit does not count. Default: until the deadline. */
  maxRetries?: number;
  /** Ends the request early, with the signal's reason. It still waits for a create that was sent. */
  signal?: AbortSignal;
  /** Whether every request that was sent is waited for, and the result of the last one kept. Default: a create's only. */
  finishesWhatWasSent?: boolean;
  /** Called when it is about to be handed to a socket, each time. */
  onSend?: () => void;
  /** Called before each wait, with the result that is retried, if it is not the rate limit's pause. */
  onWait?: (wait: { seconds: number; retried?: SendResult }) => void;
}

/** What became of a request in the end. */
export interface Outcome<Value> {
  operation: Operation;
  /** What `parse` returned; undefined if the request did not succeed. */
  value?: Value | undefined;
  /** The last result. If `parse` refused it, its `problem` says why. */
  result: SendResult;
  /** Its body, if that is a JSON object. */
  reply?: Reply | undefined;
  /** Why there was no further attempt; undefined after a success. */
  decision?: RetryDecision | undefined;
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
    const maxResetSeconds = settings.deadlineSeconds / 2;
    this.#maxResetSeconds = maxResetSeconds;
    this.#limiter = new AdaptiveLimiter({ maxInFlight: settings.maxConnections, maxResetSeconds });
  }

  /** Sends a request until it succeeds, or until another attempt would do harm or no good. */
  async send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { operation, maxRetries = Number.POSITIVE_INFINITY, signal, onWait, finishesWhatWasSent } = request;
    const bounds = this.#boundsOf(request);
    let [retries, permanentResults] = [0, 0];
    let last: Outcome<Value> | undefined;
    const abort = (reason: unknown) => {
      if (!finishesWhatWasSent || last === undefined) throw reason;
      return undefined;
    };

    for (let attempts = 1; ; attempts++) {
      const sent = await this.#sendOnce(request, bounds, attempts).catch(abort);
      // An earlier result says more than that there was no time for another attempt.
      if (sent === undefined) return last ?? this.#neverSent(operation);
      const { value, reply, result } = read(request, sent.result);
      if (last !== undefined && result.kind === "not-sent" && result.isLate) return { ...last, attempts };

      if (isPermanent(result)) permanentResults++;
      const decision = value === undefined ? decideRetry(operation, result, permanentResults) : undefined;
      const isRepeat = last !== undefined && (last.isRepeat || mayHaveTakenEffect(last.result));
      last = { operation, value, result, reply, decision, attempts, isRepeat };
      const hasRetries = isRateLimited(result) ? maxRetries > 0 : retries < maxRetries;
      if (decision !== "retry" || !hasRetries || sent.resumeAt >= bounds.lastSend) return last;

      onWait?.({ seconds: sent.waitSeconds, retried: result });
      // A request that the rate limit refused waits in line, with the others.
      if (isRateLimited(result)) continue;
      retries++;
      await sleepUntil(sent.resumeAt, signal).catch(abort);
    }
  }

  /** Closes the connections; requests in flight fail. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** A create that the deadline cuts off is in doubt: it is sent only while there is time for its reply. */
  #boundsOf({ operation, signal }: ApiRequest<unknown>): Bounds {
    const { deadlineSeconds, timeoutSeconds } = this.#settings;
    const deadline = performance.now() + deadlineSeconds * 1000;
    const replySeconds = operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    return { deadline, lastSend: deadline - replySeconds * 1000, signal };
  }

  /**
   * Sends a request once, when the limiter permits it.
   *
   * @returns what came back, and when the next attempt may follow, as performance.now() counts; undefined if it would have
   *   been sent too late.
   */
  async #sendOnce(request: ApiRequest<unknown>, bounds: Bounds, attempt: number) {
    const { signal, onWait } = request;
    signal?.throwIfAborted();
    const permit = await this.#limiter.acquire(bounds);
    if (signal?.aborted) permit?.noResponse();
    signal?.throwIfAborted();
    if (permit === undefined) return undefined;

    const result = await this.#post(request, bounds).catch((reason) => {
      permit.noResponse();
      throw reason;
    });
    const waitSeconds = this.#waitSeconds(result, attempt);
    const resumeAt = Math.max(performance.now() + waitSeconds * 1000, this.#limiter.pausedUntil);
    if (result.kind !== "response") permit.noResponse();
    else if (result.status === 429) permit.rateLimited(resumeAt);
    else {
      permit.succeeded(parseRateLimit(result.headers));
      onWait?.({ seconds: (this.#limiter.pausedUntil - performance.now()) / 1000 });
    }
    return { result, waitSeconds, resumeAt };
  }

  #post(request: ApiRequest<unknown>, bounds: Bounds): Promise<SendResult> {
    const { operation, body, headers, signal, onSend } = request;
    const isCreate = operation === "create";
    const result = this.#transport.post({
      path: PATHS[operation],
      headers: {
        authorization: `Bearer ${this.#settings.apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        ...headers,
      },
      body: JSON.stringify(body),
      idempotent: !isCreate,
      onSend,
      ...bounds,
    });
    const isWaitedFor = isCreate || request.finishesWhatWasSent || signal === undefined;
    return isWaitedFor ? result : orAborted(result, signal);
  }

  /** Computes the wait before the next attempt: a growing one, or what the API asks for if that is longer. */
  #waitSeconds(result: SendResult, attempt: number): number {
    const reset = isRateLimited(result) ? parseRateLimit(result.headers)?.resetSeconds : undefined;
    const credibleReset = reset !== undefined && reset <= this.#maxResetSeconds ? reset : 0;
    return Math.max(retryAfterSeconds(result) ?? credibleReset, backoffSeconds(attempt));
  }

  /** The outcome of a request that never got a permit. */
  #neverSent(operation: Operation): Outcome<never> {
    const seconds = Math.ceil((this.#limiter.pausedUntil - performance.now()) / 1000);
    const reason =
      seconds > 0
        ? `the API's rate limit lets no request through for another ${seconds} s`
        : "the deadline passed while it waited for other requests";
    const result: SendResult = { kind: "not-sent", reason, permanent: false, isLate: true };
    return { operation, result, decision: "retry", attempts: 0, isRepeat: false };
  }
}

/** Reads what came back: the value if it is a success, else with the problem of the reply in the result. */
function read<Value>(
  { parse }: ApiRequest<Value>,
  result: SendResult,
): Pick<Outcome<Value>, "value" | "reply" | "result"> {
  if (result.kind !== "response" || result.problem !== undefined) return { result };
  const reply = parseReply(result.body);
  if (reply === undefined || result.status >= 300) return { reply, result };
  try {
    return { value: parse(reply, result), reply, result };
  } catch (error) {
    // Whatever went wrong here, the request may have taken effect.
    const problem =
      error instanceof UnexpectedReplyError ? error.message : "the reply could not be processed";
    return { reply, result: { ...result, problem } };
  }
}

function isRateLimited(result: SendResult): result is Response {
  return result.kind === "response" && result.status === 429;
}

/** Sleeps until then, as performance.now() counts. @throws the signal's reason if it aborts. */
async function sleepUntil(time: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(Math.max(0, time - performance.now()), undefined, { signal });
  } finally {
    // sleep() itself throws another error, which only contains the reason.
    signal?.throwIfAborted();
  }
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
