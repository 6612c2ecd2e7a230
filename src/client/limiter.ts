import type { RateLimit } from "./rate-limit-headers.js";
import type { Bounds } from "./transport.js";

// Found by trying 20 requests a second against replies that take 0 and 50 ms: fewer refusals cost time, and less time
// costs refusals. docs/performance.md has the figures.
/** Requests in flight before anything is known; one more for each SUCCESSES_PER_STEP that succeeded. */
const INITIAL_WINDOW = 4;
const SUCCESSES_PER_STEP = 8;
/** After a pause, this share of the requests that succeeded before it goes at once. */
const BURST_SHARE = 2 / 3;
/** A request that has had no response for so long says nothing about the limit, and no other waits for it. */
const OVERDUE_MILLISECONDS = 1000;

/** The permission to send one request. Its holder reports what became of the request. */
export interface Permit {
  /** The API let the request through, whatever it replied. */
  succeeded(rateLimit: RateLimit | undefined): void;
  /** The API refused the request for its rate limit; nothing may be sent before then, as performance.now() counts. */
  rateLimited(until: number): void;
  /** No response came, which says nothing about the limit. */
  noResponse(): void;
}

interface Waiter extends Bounds {
  resolve: (permit: Permit | undefined) => void;
}

/**
 * Limits the requests with one API key, which wait here in line, the nearest deadline first.
 *
 * An API seldom documents its rate limit. The limiter learns it with few refusals:
 *
 * - At first a few requests go at once, and more with each success.
 * - After a refusal nothing goes until the time that the API names. Then single requests probe the limit until one
 *   succeeds.
 * - Then two thirds as many go at once as succeeded before the refusal. After these it is one at a time again, and more
 *   with each success: the limit may have grown.
 * - If replies say how many requests remain, no more than that go, and none until the reset if none remain.
 * - A request without a response after a second holds up no other. Its result counts when it comes.
 */
export class AdaptiveLimiter {
  readonly #maxInFlight: number;
  readonly #maxResetSeconds: number;
  readonly #queue: Waiter[] = [];
  #pausedUntil = 0;
  #resumeTimer: NodeJS.Timeout | undefined;
  /** Permits of an earlier epoch teach nothing about the time after the last pause. */
  #epoch = 0;
  #inFlight = 0;
  /** The requests in flight that others wait for: those of this epoch that are not overdue. */
  #awaited = 0;
  #succeeded = 0;
  /** Whether a single request probes the limit. */
  #isProbing = false;
  /** How many certainly succeed, as many did before the last pause; undefined before the first refusal. */
  #burst: number | undefined;
  /** Requests that the API still lets through, by its last reply. */
  #remaining = Number.POSITIVE_INFINITY;

  /**
   * @param maxInFlight the requests in flight at once.
   * @param maxResetSeconds a reset in a header that is further off is not believed: a refusal says it better.
   */
  constructor({ maxInFlight, maxResetSeconds }: { maxInFlight: number; maxResetSeconds: number }) {
    this.#maxInFlight = maxInFlight;
    this.#maxResetSeconds = maxResetSeconds;
  }

  /** Until then nothing is sent, as performance.now() counts; in the past if requests may go. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Waits for a permit. @returns undefined if there is none before `lastSend`, or before `signal` aborts. */
  acquire(bounds: Bounds): Promise<Permit | undefined> {
    const { deadline, lastSend, signal } = bounds;
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      const giveUp = () => this.#giveUp(waiter);
      const timer = setTimeout(giveUp, Math.max(0, lastSend - performance.now()));
      signal?.addEventListener("abort", giveUp, { once: true });
      const waiter: Waiter = {
        ...bounds,
        resolve: (permit) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          resolve(permit);
        },
      };
      const before = this.#queue.findLastIndex((other) => other.deadline <= deadline);
      this.#queue.splice(before + 1, 0, waiter);
      this.#admit();
    });
  }

  #giveUp(waiter: Waiter): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    waiter.resolve(undefined);
  }

  /** Hands permits to all requests that may go now. */
  #admit(): void {
    clearTimeout(this.#resumeTimer);
    const wait = this.#pausedUntil - performance.now();
    if (wait > 0) {
      for (const waiter of this.#queue.filter(({ lastSend }) => lastSend <= this.#pausedUntil)) {
        this.#giveUp(waiter);
      }
      if (this.#queue.length > 0) this.#resumeTimer = setTimeout(() => this.#admit(), wait);
      return;
    }
    while (this.#inFlight < this.#maxInFlight && this.#awaited < this.#window()) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      next.resolve(this.#createPermit());
    }
  }

  /** Computes for how many requests others may wait now. */
  #window(): number {
    if (this.#isProbing) return 1;
    return Math.max(1, Math.min(this.#awaited + this.#remaining, Math.floor(this.#learnedWindow())));
  }

  #learnedWindow(): number {
    if (this.#burst === undefined) return INITIAL_WINDOW + this.#succeeded / SUCCESSES_PER_STEP;
    const sure = this.#burst - this.#succeeded;
    return sure > 0 ? Math.min(1 + 3 * this.#succeeded, sure) : 1 - sure / SUCCESSES_PER_STEP;
  }

  #createPermit(): Permit {
    const epoch = this.#epoch;
    let isAwaited = true;
    const stopAwaiting = () => {
      if (isAwaited && epoch === this.#epoch) this.#awaited--;
      isAwaited = false;
    };
    const timer = setTimeout(() => {
      stopAwaiting();
      this.#admit();
    }, OVERDUE_MILLISECONDS);
    const release = (learn: () => void) => {
      clearTimeout(timer);
      stopAwaiting();
      this.#inFlight--;
      if (epoch === this.#epoch) learn();
      this.#admit();
    };
    this.#inFlight++;
    this.#awaited++;
    this.#remaining--;
    return {
      succeeded: (rateLimit) => release(() => this.#learn(rateLimit)),
      rateLimited: (until) => {
        this.#pausedUntil = Math.max(this.#pausedUntil, until);
        release(() => {
          // The refusal of a probing request says nothing about how many succeed.
          if (!this.#isProbing) this.#burst = this.#succeeded * BURST_SHARE;
          this.#startEpoch();
        });
      },
      noResponse: () => release(() => {}),
    };
  }

  #learn(rateLimit: RateLimit | undefined): void {
    this.#isProbing = false;
    this.#succeeded++;
    if (rateLimit === undefined) return;
    // The figure may include the requests in flight, or not yet.
    this.#remaining = rateLimit.remaining - this.#awaited;
    const { remaining, resetSeconds = 0 } = rateLimit;
    if (remaining > 0 || resetSeconds === 0 || resetSeconds > this.#maxResetSeconds) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + resetSeconds * 1000);
    this.#startEpoch();
  }

  #startEpoch(): void {
    this.#epoch++;
    this.#awaited = 0;
    this.#succeeded = 0;
    this.#remaining = Number.POSITIVE_INFINITY;
    this.#isProbing = true;
  }
}
