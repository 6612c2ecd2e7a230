import type { Bounds } from "./attempt.js";

// Found by trying limits of 5 to 100 requests a second against replies that take 0 to 500 ms: fewer refusals cost time, and
// less time costs refusals. docs/performance.md has the figures.
const INITIAL_WINDOW = 4;
/** So many successes let one more request go at once: before the first refusal, and after it. */
const SUCCESSES_PER_STEP = { before: 8, after: 32 };
/** A request that has had no response for so long says nothing about the limit, and no other waits for it. */
const OVERDUE_MILLISECONDS = 1000;

/** The permission to send one request. Its holder reports what became of the request. */
export interface Permit {
  /** The API let the request through, whatever it replied. */
  succeeded(): void;
  /** The API refused the request for the number of requests; nothing may be sent before then, as performance.now() counts. */
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
 * - A window of requests goes at once. It grows with each success, and slower after the first refusal.
 * - After a refusal nothing goes until the time that the API names. Then single requests probe the limit until one
 *   succeeds. The window is half of what it was.
 */
export class AdaptiveLimiter {
  /** Until then nothing is sent, as performance.now() counts; in the past if requests may go. */
  pausedUntil = 0;
  readonly #maxInFlight: number;
  readonly #queue: Waiter[] = [];
  readonly #inFlight = new Set<{ sentAt: number; isOverdue: boolean }>();
  #resumeTimer: NodeJS.Timeout | undefined;
  /** When the last pause began. What was sent before says nothing about the time after it. */
  #pausedAt = Number.NEGATIVE_INFINITY;
  #succeededSince = 0;
  #window = INITIAL_WINDOW;
  #successesPerStep = SUCCESSES_PER_STEP.before;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
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
    while (this.#queue.length > 0 && this.#mayGo()) this.#queue.shift()?.resolve(this.#createPermit());
  }

  #mayGo(): boolean {
    if (this.#inFlight.size >= this.#maxInFlight) return false;
    const awaited = this.#countAwaited();
    if (awaited === 0) return true;
    const isProbing = this.#succeededSince === 0 && Number.isFinite(this.#pausedAt);
    return !isProbing && awaited < Math.floor(this.#window);
  }

  #countAwaited(): number {
    return [...this.#inFlight].filter(({ sentAt, isOverdue }) => sentAt > this.#pausedAt && !isOverdue)
      .length;
  }

  #createPermit(): Permit {
    const request = { sentAt: performance.now(), isOverdue: false };
    const timer = setTimeout(() => {
      request.isOverdue = true;
      this.#admit();
    }, OVERDUE_MILLISECONDS);
    this.#inFlight.add(request);
    const end = (learn: () => void) => {
      clearTimeout(timer);
      this.#inFlight.delete(request);
      if (request.sentAt > this.#pausedAt) learn();
      this.#admit();
    };
    return {
      succeeded: () =>
        end(() => {
          this.#succeededSince++;
          this.#window += 1 / this.#successesPerStep;
        }),
      rateLimited: (until) => {
        this.pausedUntil = Math.max(this.pausedUntil, until);
        end(() => {
          this.#window = Math.max(1, this.#window / 2);
          this.#successesPerStep = SUCCESSES_PER_STEP.after;
          this.#pausedAt = performance.now();
          this.#succeededSince = 0;
        });
      },
      noResponse: () => end(() => {}),
    };
  }
}
