import { setTimeout } from "node:timers/promises";
import type { Settings } from "../settings/settings.js";
import { type Operation, parseReply, type Reply } from "./api.js";
import type { Bounds, Post, Response, SendResult } from "./attempt.js";
import { AdaptiveLimiter, type Permit } from "./limiter.js";
import { findProxy, type NamedProxy } from "./proxy.js";
import { isGone, UnexpectedReplyError } from "./replies.js";
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
  /** The status that counts as a 404 does. */
  goneStatus?: number | undefined;
  /** How often a retry is made at most; a refusal by the rate limit does not count. Default: until the deadline. */
  maxRetries?: number;
  /** Called before each retry. */
  onWait?: (wait: { seconds: number; retried: Answer }) => void;
}

/** What came back, and its body, if that is a JSON object. */
export type Answer = Pick<Outcome<unknown>, "result" | "reply">;

/** What became of a request in the end. */
export interface Outcome<Value> {
  operation: Operation;
  /** What `parse` returned; undefined if the request did not succeed. */
  value?: Value | undefined;
  /** The last result; if the deadline cut off a retry, the one before, which says more. `problem`: why `parse` refused it. */
  result: SendResult;
  /** Its body, if that is a JSON object. */
  reply?: Reply | undefined;
  /** Whether another attempt could succeed: only the deadline or the limit of retries prevented it. */
  isRetryable: boolean;
  attempts: number;
  /** Whether an attempt with another result may have taken effect. */
  mayHaveHappenedBefore: boolean;
}

/** Sends requests with one API key, each with its retries, within the rate limit and the deadline. */
export class Requester {
  readonly #settings: Settings;
  readonly #proxy: NamedProxy | undefined;
  readonly #limiter: AdaptiveLimiter;
  #transport: Promise<Transport> | undefined;
  #hasAnswered = false;

  /** @throws WebhookError if the environment names the proxy by something that is not the URL of an HTTP proxy. */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#proxy = findProxy(new URL(settings.baseUrl));
    this.#limiter = new AdaptiveLimiter(settings.maxConnections);
  }

  /**
   * Sends a request until it succeeds, or until another attempt would do harm or no good.
   * @throws the reason of `signal` if it aborts before anything was sent.
   */
  async send<Value>(request: ApiRequest<Value>): Promise<Outcome<Value>> {
    const { operation, maxRetries = Number.POSITIVE_INFINITY, signal, onWait } = request;
    const bounds = this.#boundsOf(request);
    this.#transport ??= this.#open();
    const transport = await this.#transport;
    let few = 0;
    let retries = 0;
    let last: Outcome<Value> | undefined;

    for (;;) {
      const permit = await this.#limiter.acquire(bounds);
      if (permit === undefined) {
        const mayHaveBeenSent = last && (last.result.kind !== "not-sent" || mayHaveHappened(last));
        if (!mayHaveBeenSent) signal?.throwIfAborted();
        return last ?? this.#neverSent(operation);
      }
      const received = read(request, await transport.send(request, bounds));
      const { result, value } = received;
      this.#hasAnswered ||= result.kind === "response";
      const attempts = (last?.attempts ?? 0) + 1;
      const wait = this.#learn(permit, { result, attempts });

      const mayHaveHappenedBefore = last !== undefined && mayHaveHappened(last);
      // An earlier attempt of this delete may have arrived.
      const isOwnEffect = operation === "delete" && mayHaveHappenedBefore && isGone(received);
      const repeat = whenToRetry(result, { operation, hasAnswered: this.#hasAnswered });
      if (repeat === "a few times") few++;
      const isEnough = isOwnEffect || repeat === "never" || (repeat === "a few times" && few === FEW);
      const isRetryable = value === undefined && !isEnough;
      const outcome = { operation, ...received, isRetryable, attempts, mayHaveHappenedBefore };
      if (last !== undefined && result.isLate && isRetryable)
        return { ...last, attempts, mayHaveHappenedBefore: mayHaveHappened(outcome) };
      last = outcome;
      const hasRetries = wait.waitsInLine || retries < maxRetries;
      if (!isRetryable || !hasRetries || wait.until >= bounds.lastSend) return outcome;

      onWait?.({ seconds: wait.seconds, retried: received });
      if (wait.waitsInLine) continue;
      retries++;
      // The limiter gives an aborted request no permit.
      await setTimeout(Math.max(0, wait.until - performance.now()), undefined, { signal }).catch(() => {});
    }
  }

  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  /** Loads undici with the first request: a run without changes sends none. */
  async #open(): Promise<Transport> {
    const { Transport } = await import("./transport.js");
    return new Transport(this.#settings, this.#proxy);
  }

  /** Lets the limiter learn from a result. @returns the wait before a retry, `until` as performance.now() counts. */
  #learn(permit: Permit, { result, attempts }: Pick<Outcome<unknown>, "result" | "attempts">) {
    const waitsInLine = isRateLimited(result);
    const askedSeconds = retryAfterSeconds(result);
    const now = performance.now();
    const pausedSeconds = (this.#limiter.pausedUntil - now) / 1000;
    const seconds = Math.max(askedSeconds ?? 0, backoffSeconds(attempts), pausedSeconds);
    const until = now + seconds * 1000;
    if (result.kind !== "response") permit("no response");
    else if (waitsInLine) permit("over the limit", until);
    // Only this request waits for its turn longer than that: the API may refuse it for another reason.
    else if (isBusy(result)) permit("busy", now + (askedSeconds ?? backoffSeconds(1)) * 1000);
    else permit("not limited");
    return { seconds, until, waitsInLine };
  }

  /** A create that the deadline cuts off is unresolved: it is sent only while there is time for its reply. */
  #boundsOf(request: ApiRequest<unknown>): Bounds {
    const { operation, signal, deadlineSeconds = this.#settings.deadlineSeconds } = request;
    const { timeoutSeconds } = this.#settings;
    const deadline = performance.now() + deadlineSeconds * 1000;
    const replySeconds = operation === "create" ? Math.min(timeoutSeconds, deadlineSeconds / 2) : 0;
    return { deadline, lastSend: deadline - replySeconds * 1000, signal };
  }

  #neverSent(operation: Operation): Outcome<never> {
    const seconds = Math.ceil((this.#limiter.pausedUntil - performance.now()) / 1000);
    const reason =
      seconds > 0
        ? `the API's rate limit lets no request through for another ${seconds} s`
        : "the deadline passed while it waited for other requests";
    const result: SendResult = { kind: "not-sent", reason, isLate: true };
    return { operation, result, isRetryable: true, attempts: 0, mayHaveHappenedBefore: false };
  }
}

/** Reports whether one of the attempts may have taken effect. */
export function mayHaveHappened({ mayHaveHappenedBefore, result }: Outcome<unknown>): boolean {
  return mayHaveHappenedBefore || mayHaveTakenEffect(result);
}

/** Reads what came back: the value if it is a success, else with the problem of the reply in the result. */
function read<Value>({ parse }: ApiRequest<Value>, result: SendResult): Answer & { value?: Value } {
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
