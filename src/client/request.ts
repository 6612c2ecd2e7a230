import { setTimeout } from "node:timers/promises";
import type { Settings } from "../settings/settings.js";
import { type Operation, parseReply, type Reply } from "./api.js";
import type { Bounds, Post, Response, SendResult } from "./attempt.js";
import { AdaptiveLimiter, type Permit } from "./limiter.js";
import { isProxySet } from "./proxy.js";
import { isGone, type Replied, UnexpectedReplyError } from "./replies.js";
import {
  backoffSeconds,
  isBusy,
  isRateLimited,
  mayHaveTakenEffect,
  retryAfterSeconds,
  whenToRetry,
} from "./retry.js";
import type { Transport } from "./transport.js";

/** How often a request is sent if its result seldom changes: in about six seconds, an API may start, end another change, or find a webhook. */
const FEW = 5;

/** A request to the API, and how far to go to get its reply. */
export interface ApiRequest<Value> extends Post, Pick<Bounds, "signal"> {
  /** Parses a 2xx. @throws UnexpectedReplyError if it is not the success that the API documents. */
  parse: (reply: Reply, response: Response) => Value;
  /** The time limit for this request with its retries and waits. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
  /** When that began, as performance.now() counts. Default: now. */
  since?: number | undefined;
  /** How often it is sent at most. Default: until the deadline. */
  maxAttempts?: number;
  /** Called before each retry. */
  onWait?: (wait: { seconds: number; retried: SendResult }) => void;
}

/** What became of a request in the end: the last result or, if the deadline cut off a retry, the one before, which says more. */
export interface Outcome<Value> extends Replied {
  operation: Operation;
  /** What `parse` returned; undefined if the request did not succeed. */
  value?: Value | undefined;
  /** Whether another attempt could succeed: only the deadline or the limit of attempts prevented it. */
  isRetryable: boolean;
  attempts: number;
  /** How many of them had a result that seldom changes. */
  seldomChanged: number;
  /** Whether an attempt with another result may have taken effect. */
  mayHaveHappenedBefore: boolean;
}

/** Sends requests with one API key, each with its retries, within the rate limit and the deadline. */
export class Requester {
  readonly #settings: Settings;
  readonly #isProxySet: boolean;
  readonly #limiter: AdaptiveLimiter;
  #transport: Promise<Transport> | undefined;
  #hasAnswered = false;

  /** @throws WebhookError if the environment names the proxy by something that is not the URL of an HTTP proxy. */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#isProxySet = isProxySet(new URL(settings.baseUrl));
    this.#limiter = new AdaptiveLimiter(settings.maxConnections);
  }

  /**
   * Sends a request until it succeeds, or until another attempt would do harm or no good.
   * @throws the reason of `signal` if it aborts before the first attempt.
   */
  async send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { operation, maxAttempts, signal, onWait } = request;
    const bounds = this.#boundsOf(request);
    this.#transport ??= this.#open();
    const transport = await this.#transport;
    let last: Outcome<Value> = { ...NO_ATTEMPT, operation };

    for (;;) {
      const permit = await this.#limiter.acquire(bounds);
      const isFirst = last.attempts === 0;
      if (permit === undefined) {
        if (isFirst) signal?.throwIfAborted();
        return isFirst ? { ...last, result: this.#neverSent() } : last;
      }
      const outcome = this.#judge(request, await transport.send(request, bounds), last);
      const { result, isRetryable, attempts } = outcome;
      const { until, seconds } = this.#learn(permit, outcome);
      if (!isFirst && isRetryable && result.isLate)
        return { ...last, attempts, mayHaveHappenedBefore: mayHaveHappened(outcome) };
      if (!isRetryable || attempts === maxAttempts || until >= bounds.lastSend) return outcome;

      last = outcome;
      onWait?.({ seconds, retried: result });
      // The limiter gives an aborted request no permit.
      await setTimeout(Math.max(0, until - performance.now()), undefined, { signal }).catch(() => {});
    }
  }

  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  /** Loads undici with the first request: a run without changes sends none. */
  async #open(): Promise<Transport> {
    const { Transport } = await import("./transport.js");
    return new Transport(this.#settings, this.#isProxySet);
  }

  /** Judges a result together with the attempts before it. */
  #judge<Value>(request: ApiRequest<Value>, sent: SendResult, last: Outcome<Value>): Outcome<Value> {
    const { operation } = request;
    const received = read(request, sent);
    this.#hasAnswered ||= sent.kind === "response";
    const repeat = whenToRetry(received.result, { operation, hasAnswered: this.#hasAnswered });
    const seldomChanged = last.seldomChanged + (repeat === "a few times" ? 1 : 0);
    const isEnough = repeat === "never" || (repeat === "a few times" && seldomChanged === FEW);
    const mayHaveHappenedBefore = mayHaveHappened(last);
    // An earlier attempt of this delete may have arrived.
    const isOwnEffect = operation === "delete" && mayHaveHappenedBefore && isGone(received);
    const isRetryable = received.value === undefined && !isEnough && !isOwnEffect;
    const attempts = last.attempts + 1;
    return { operation, ...received, isRetryable, attempts, seldomChanged, mayHaveHappenedBefore };
  }

  /** Lets the limiter learn from a result. @returns the wait before a retry, `until` as performance.now() counts. */
  #learn(permit: Permit, { result, attempts }: Outcome<unknown>) {
    const askedSeconds = retryAfterSeconds(result);
    const now = performance.now();
    const pausedSeconds = (this.#limiter.pausedUntil - now) / 1000;
    const seconds = Math.max(askedSeconds ?? 0, backoffSeconds(attempts), pausedSeconds);
    const until = now + seconds * 1000;
    if (result.kind !== "response") permit("no response");
    else if (isRateLimited(result)) permit("over the limit", until);
    // Only this request waits for its turn longer than that: the API may refuse it for another reason.
    else if (isBusy(result)) permit("busy", now + (askedSeconds ?? backoffSeconds(1)) * 1000);
    else permit("not limited");
    return { seconds, until };
  }

  /** A create that the deadline cuts off is unresolved: it is sent only while there is time for its reply. */
  #boundsOf(request: ApiRequest<unknown>): Bounds {
    const { operation, signal, since = performance.now() } = request;
    const { timeoutSeconds } = this.#settings;
    const { deadlineSeconds = this.#settings.deadlineSeconds } = request;
    const deadline = since + deadlineSeconds * 1000;
    const replySeconds = operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    return { deadline, lastSend: deadline - replySeconds * 1000, signal };
  }

  #neverSent(): SendResult {
    const seconds = Math.ceil((this.#limiter.pausedUntil - performance.now()) / 1000);
    const paused = `the API's rate limit lets no request through for another ${seconds} s`;
    const reason = seconds > 0 ? paused : "the deadline passed while it waited for other requests";
    return { kind: "not-sent", reason, isLate: true };
  }
}

const NO_ATTEMPT = {
  result: { kind: "not-sent", reason: "", isLate: true },
  isRetryable: true,
  attempts: 0,
  seldomChanged: 0,
  mayHaveHappenedBefore: false,
} as const;

/** Reports whether one of the attempts may have taken effect. */
export function mayHaveHappened({ mayHaveHappenedBefore, result }: Outcome<unknown>): boolean {
  return mayHaveHappenedBefore || mayHaveTakenEffect(result);
}

/** Reads what came back: the value if it is a success, else with the problem of the reply in the result. */
function read<Value>(
  { parse }: ApiRequest<Value>,
  result: SendResult,
): Replied & Pick<Outcome<Value>, "value"> {
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
