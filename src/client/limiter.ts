import type { Bounds } from "./attempt.js";

// Found by trying limits of 5 to 100 requests a second against replies that take 10 ms to 3 s: fewer refusals cost time, and less
// time costs refusals. docs/performance.md has the figures.
const INITIAL_PER_SECOND = 160;
const INITIAL_BURST = 8;
/** By how many requests a second each success makes the pace faster, until the API has refused one. */
const STEP_PER_SECOND = 3;
/** By which factor it does afterwards: slowly, since the measured pace is near the limit. */
const GROWTH = 1.01;
/** After this many successes, an API that was busy gets one more request at once. */
const SUCCESSES_PER_STEP = 16;

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

/** What is sent between two pauses, or after a rest. */
interface Phase {
  startedAt: number;
  sent: number;
  refused: number;
}

const startPhase = (): Phase => ({ startedAt: performance.now(), sent: 0, refused: 0 });

/**
 * Limits the requests with one API key, which wait here in line, the nearest deadline first.
 *
 * An API seldom documents its rate limit. The limiter learns it, however long the replies take: the pace of requests grows with each
 * success. After a refusal nothing goes until the time that the API names, and then at the pace that the API has let through, with as
 * many at once as the pause has saved. An API that is busy with other requests limits how many are in flight.
 */
export class AdaptiveLimiter {
  /** Until then nothing is sent, as performance.now() counts; in the past if requests may go. */
  pausedUntil = 0;
  readonly #maxInFlight: number;
  readonly #queue: Waiter[] = [];
  /** How many may be in flight. */
  #most: number;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the last pause began. What was sent before says nothing about the time after it. */
  #pausedAt = Number.NEGATIVE_INFINITY;
  #phase = startPhase();
  #hasLearned = false;
  #perSecond = INITIAL_PER_SECOND;
  /** How many requests may go at once after a rest, and how many may go now. */
  #burst = INITIAL_BURST;
  #saved = INITIAL_BURST;
  #savedAt = performance.now();

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
    clearTimeout(this.#timer);
    const wait = this.pausedUntil - performance.now();
    if (wait > 0) {
      for (const waiter of this.#queue.filter(({ lastSend }) => lastSend <= this.pausedUntil)) {
        this.#giveUp(waiter);
      }
      if (this.#queue.length > 0) this.#admitIn(wait);
      return;
    }
    if (this.#phase.refused > 0) this.#learnPace(this.#phase);
    this.#save();
    while (this.#queue.length > 0 && this.#inFlight < Math.floor(this.#most)) {
      if (this.#saved < 1) {
        this.#admitIn(((1 - this.#saved) / this.#perSecond) * 1000);
        return;
      }
      this.#saved--;
      this.#queue.shift()?.resolve(this.#createPermit(this.#phase));
    }
  }

  /** Rounded up, to a millisecond at least: the time must have come by then. */
  #admitIn(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#admit(), Math.ceil(milliseconds));
  }

  /** Saves what the pace would have allowed. The time before a rest says nothing about the pace. */
  #save(): void {
    const now = performance.now();
    const saved = this.#saved + ((now - this.#savedAt) / 1000) * this.#perSecond;
    if (saved > this.#burst && this.#inFlight === 0) this.#phase = startPhase();
    this.#saved = Math.min(this.#burst, saved);
    this.#savedAt = now;
  }

  /** Ends a phase with its pause. If the API has let nothing through, its door was closed, whatever the pace: the limiter starts slowly. */
  #learnPace({ startedAt, sent, refused }: Phase): void {
    const now = performance.now();
    const passed = sent - refused;
    this.#hasLearned = passed > 0;
    this.#burst = Math.max(1, passed);
    this.#perSecond = passed > 0 ? (passed / (now - startedAt)) * 1000 : 1;
    this.#saved = Math.max(1, ((now - this.#pausedAt) / 1000) * this.#perSecond);
    this.#savedAt = now;
    this.#phase = startPhase();
  }

  #createPermit(phase: Phase): Permit {
    const sentAt = performance.now();
    this.#inFlight++;
    phase.sent++;
    return (passage, until = 0) => {
      this.pausedUntil = Math.max(this.pausedUntil, until);
      if (passage === "over the limit") phase.refused++;
      if (sentAt > this.#pausedAt) this.#learn(passage);
      this.#inFlight--;
      this.#admit();
    };
  }

  #learn(passage: Passage): void {
    if (passage === "let through") {
      this.#save();
      this.#perSecond = this.#hasLearned ? this.#perSecond * GROWTH : this.#perSecond + STEP_PER_SECOND;
      this.#most = Math.min(this.#maxInFlight, this.#most + 1 / SUCCESSES_PER_STEP);
    }
    if (passage === "busy") this.#most = Math.max(1, this.#inFlight / 2);
    if (passage === "over the limit" || passage === "busy") this.#pausedAt = performance.now();
  }
}
