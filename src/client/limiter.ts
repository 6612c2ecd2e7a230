import type { Bounds } from "./attempt.js";

// Found by trying limits of 5 to 100 requests a second against replies that take 10 to 500 ms: fewer refusals cost time, and
// less time costs refusals. docs/performance.md has the figures.
const INITIAL_WINDOW = 8;
/** After this many successes, one more request may go at once. */
const SUCCESSES_PER_STEP = 16;
/** A request without a response for this long holds no place of the window: a slow API counts requests, not how long they take. */
const SLOW_MILLISECONDS = 200;

/**
 * What became of a request: the API let it through, whatever it replied; no response came, which says nothing about the limit; or the API
 * refused it, for the number of requests or for another one in progress.
 */
type Passage = "let through" | "no response" | "over the limit" | "busy";

/** The permission to send one request. Its holder calls it afterwards; before `until`, as performance.now() counts, nothing may be sent. */
export type Permit = (passage: Passage, until?: number) => void;

interface Waiter extends Bounds {
  resolve: (permit: Permit | undefined) => void;
}

/**
 * Limits the requests with one API key, which wait here in line, the nearest deadline first.
 *
 * An API seldom documents its rate limit. The limiter learns it: a window of requests goes at once, which grows with each success.
 * After a refusal nothing goes until the time that the API names, and then half as many as before. An API that is busy with other requests
 * limits how many are in flight.
 */
export class AdaptiveLimiter {
  /** Until then nothing is sent, as performance.now() counts; in the past if requests may go. */
  pausedUntil = 0;
  readonly #maxInFlight: number;
  readonly #queue: Waiter[] = [];
  /** How many may be in flight. */
  #most: number;
  #inFlight = 0;
  /** How many of these hold a place of the window. */
  #inWindow = 0;
  #resumeTimer: NodeJS.Timeout | undefined;
  /** When the last pause began. What was sent before says nothing about the time after it. */
  #pausedAt = Number.NEGATIVE_INFINITY;
  #window = INITIAL_WINDOW;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
    this.#most = maxInFlight;
  }

  /** Waits for a permit. @returns undefined if there is none before `lastSend`, or before `signal` aborts. */
  acquire(bounds: Bounds): Promise<Permit | undefined> {
    const { deadline, lastSend, signal } = bounds;
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise<Permit | undefined>((resolve) => {
      const waiter = { ...bounds, resolve };
      const giveUp = () => this.#giveUp(waiter);
      const timer = setTimeout(giveUp, Math.max(0, lastSend - performance.now()));
      signal?.addEventListener("abort", giveUp, { once: true });
      waiter.resolve = (permit) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        resolve(permit);
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

  #admit(): void {
    clearTimeout(this.#resumeTimer);
    const wait = this.pausedUntil - performance.now();
    if (wait > 0) {
      for (const waiter of this.#queue.filter(({ lastSend }) => lastSend <= this.pausedUntil)) {
        this.#giveUp(waiter);
      }
      if (this.#queue.length > 0) this.#resumeTimer = setTimeout(() => this.#admit(), wait);
      return;
    }
    const isFree = () => this.#inFlight < Math.floor(this.#most) && this.#inWindow < Math.floor(this.#window);
    while (isFree() && this.#queue.length > 0) this.#queue.shift()?.resolve(this.#createPermit());
  }

  #createPermit(): Permit {
    const sentAt = performance.now();
    let place = 1;
    const leaveWindow = () => {
      this.#inWindow -= place;
      place = 0;
      this.#admit();
    };
    const timer = setTimeout(leaveWindow, SLOW_MILLISECONDS);
    this.#inFlight++;
    this.#inWindow++;
    return (passage, until = 0) => {
      clearTimeout(timer);
      this.pausedUntil = Math.max(this.pausedUntil, until);
      if (sentAt > this.#pausedAt) this.#learn(passage);
      this.#inFlight--;
      leaveWindow();
    };
  }

  #learn(passage: Passage): void {
    if (passage === "let through") {
      this.#window += 1 / SUCCESSES_PER_STEP;
      this.#most = Math.min(this.#maxInFlight, this.#most + 1 / SUCCESSES_PER_STEP);
    }
    if (passage === "over the limit") this.#window = Math.max(1, this.#window / 2);
    if (passage === "busy") this.#most = Math.max(1, this.#inFlight / 2);
    if (passage === "over the limit" || passage === "busy") this.#pausedAt = performance.now();
  }
}
