import type { Bounds } from "./attempt.js";

// Found by trying limits of 1 to 100 requests a second against replies that take 10 ms to 3 s: fewer refusals cost time, and less
// time costs refusals. docs/performance.md has the figures.
const INITIAL_PER_SECOND = 30;
/** So many may be in flight without regard to the pace, until the API has refused one for the rate limit. */
const INITIAL_UNPACED = 8;
/** After this many successes the pace that follows a refusal has doubled. */
const SUCCESSES_TO_DOUBLE = 75;
/** After this many successes, an API that was busy gets one more request at once. */
const SUCCESSES_PER_STEP = 16;

/**
 * What became of a request: it was not limited, whatever the reply; no response came, which says nothing about the limit; or the API
 * refused it, for the number of requests or for another one in progress.
 */
type Passage = "not limited" | "no response" | "over the limit" | "busy";

/** The permission to send one request. Its holder calls it afterwards; before `until`, as performance.now() counts, nothing may be sent. */
export type Permit = (passage: Passage, until?: number) => void;

interface Waiter extends Bounds {
  resolve: (permit: Permit | undefined) => void;
}

/**
 * Limits the requests with one API key of one Provider in this process, which wait here in line, the nearest deadline first.
 *
 * An API seldom documents its rate limit. The limiter learns it, however long the replies take: the pace of requests grows with each
 * success. After a refusal nothing goes until the time that the API names, and then at half the pace. An API that is busy with other
 * requests limits how many are in flight.
 */
export class AdaptiveLimiter {
  /** Until then nothing is sent, as performance.now() counts; in the past if requests may go. */
  pausedUntil = 0;
  readonly #maxInFlight: number;
  readonly #queue: Waiter[] = [];
  #mostInFlight: number;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the last pause began. What was sent before says nothing about the time after it. */
  #pausedAt = Number.NEGATIVE_INFINITY;
  /** Whether the API has accepted a request since then. */
  #hasPassed = false;
  #unpaced = INITIAL_UNPACED;
  #perSecond = INITIAL_PER_SECOND;
  #stepPerSuccess = INITIAL_PER_SECOND / SUCCESSES_TO_DOUBLE;
  /** When the pace permits the next request. */
  #nextAt = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
    this.#mostInFlight = maxInFlight;
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
    clearTimeout(this.#timer);
    const late = this.#queue.filter(({ lastSend }) => lastSend <= this.pausedUntil);
    for (const waiter of late) this.#giveUp(waiter);
    while (this.#queue.length > 0 && this.#inFlight < Math.floor(this.#mostInFlight)) {
      const now = performance.now();
      const pacedAt = this.#inFlight < this.#unpaced ? now : this.#nextAt;
      const wait = Math.max(this.pausedUntil, pacedAt) - now;
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.ceil(wait));
        return;
      }
      this.#nextAt = now + 1000 / this.#perSecond;
      this.#queue.shift()?.resolve(this.#createPermit());
    }
  }

  #createPermit(): Permit {
    const sentAt = performance.now();
    this.#inFlight++;
    return (passage, until = 0) => {
      this.pausedUntil = Math.max(this.pausedUntil, until);
      if (sentAt > this.#pausedAt) this.#learn(passage);
      this.#inFlight--;
      this.#admit();
    };
  }

  #learn(passage: Passage): void {
    if (passage === "not limited") {
      this.#hasPassed = true;
      this.#perSecond += this.#stepPerSuccess;
      this.#mostInFlight = Math.min(this.#maxInFlight, this.#mostInFlight + 1 / SUCCESSES_PER_STEP);
    }
    if (passage === "over the limit") {
      this.#unpaced = 0;
      // An API that has accepted nothing since the last pause is closed, whatever the pace.
      if (this.#hasPassed) this.#perSecond /= 2;
      this.#hasPassed = false;
      this.#stepPerSuccess = this.#perSecond / SUCCESSES_TO_DOUBLE;
    }
    if (passage === "busy") this.#mostInFlight = Math.max(1, this.#inFlight / 2);
    if (passage === "over the limit" || passage === "busy") this.#pausedAt = performance.now();
  }
}
