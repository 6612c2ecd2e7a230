import type { Quota } from "./rate-limit.js";

// Found by trying 20 requests a second against replies that take 0 and 50 ms: fewer refusals cost time, and less time
// costs refusals. docs/performance.md has the figures.
/** So many requests go at once before anything is known, and one more for each PASSES_PER_MORE that have passed. */
const AT_FIRST = 4;
const PASSES_PER_MORE = 8;
/** Of as many as passed the last time, this share goes at once the next time. */
const SURE_SHARE = 2 / 3;

/** A request's turn to be sent. It ends with what became of it. */
export interface Turn {
  /** The API let it through, whatever it answered. */
  passed(quota: Quota | undefined): void;
  /** The API refused it for its rate limit, and wants nothing before then, as Date.now() counts. */
  refused(until: number): void;
  /** No answer came, which says nothing of the limit. */
  unanswered(): void;
}

interface Waiting {
  deadline: number;
  lastSend: number;
  timer: NodeJS.Timeout;
  go: (turn: Turn | undefined) => void;
}

/**
 * Whose turn it is to be sent: the requests of one account wait here in one line, the nearest deadline first.
 *
 * Rate limits are an account's, and seldom told. So they are found out, with few refusals:
 *
 * - At first a few requests go at once, and more the more have passed.
 * - After a refusal nothing goes until the time that the API names. Then a single request finds out whether the door is
 *   open; while it is not, one at a time does.
 * - When it has passed, most of as many as passed the last time go at once. After these it is one at a time again, and
 *   more the more pass: the limit may have grown.
 * - Where replies tell how many are left, no more than that go, and when none is left, none until the reset.
 */
export class Turns {
  readonly #most: number;
  readonly #patienceSeconds: number;
  readonly #waiting: Waiting[] = [];
  #closedUntil = 0;
  #opening: NodeJS.Timeout | undefined;
  /** Of what was sent before the door closed the last time, nothing is learned of the time since. */
  #run = 0;
  #inFlight = 0;
  #passed = 0;
  /** Whether a single request finds out if the door is open. */
  #isScouting = false;
  /** How many surely pass, as many did the last time; undefined before the first refusal. */
  #sure: number | undefined;
  /** How many more may be sent by what the last reply told. */
  #left = Number.POSITIVE_INFINITY;

  /**
   * @param most the requests in flight at once.
   * @param patienceSeconds a told reset that is further off is not believed: a refusal says it better.
   */
  constructor({ most, patienceSeconds }: { most: number; patienceSeconds: number }) {
    this.#most = most;
    this.#patienceSeconds = patienceSeconds;
  }

  /** Until then nothing is sent, as Date.now() counts; in the past when the door is open. */
  get closedUntil(): number {
    return this.#closedUntil;
  }

  /** Waits for a turn; undefined when there is none before `lastSend`. */
  take({ deadline, lastSend }: { deadline: number; lastSend: number }): Promise<Turn | undefined> {
    return new Promise((go) => {
      const timer = setTimeout(() => this.#giveUp(waiting), Math.max(0, lastSend - Date.now()));
      const waiting: Waiting = { deadline, lastSend, timer, go };
      const before = this.#waiting.findLastIndex((other) => other.deadline <= deadline);
      this.#waiting.splice(before + 1, 0, waiting);
      this.#proceed();
    });
  }

  #giveUp(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.go(undefined);
  }

  /** Lets through whoever may go now. */
  #proceed(): void {
    clearTimeout(this.#opening);
    const wait = this.#closedUntil - Date.now();
    if (wait > 0) {
      for (const waiting of this.#waiting.filter(({ lastSend }) => lastSend <= this.#closedUntil)) {
        this.#giveUp(waiting);
      }
      if (this.#waiting.length > 0) this.#opening = setTimeout(() => this.#proceed(), wait);
      return;
    }
    while (this.#inFlight < this.#window()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.go(this.#begin());
    }
  }

  /** How many may be in flight now. */
  #window(): number {
    if (this.#isScouting) return 1;
    return Math.max(1, Math.min(this.#most, this.#inFlight + this.#left, Math.floor(this.#learned())));
  }

  /** How many may be in flight, by what was refused and what passed. */
  #learned(): number {
    if (this.#sure === undefined) return AT_FIRST + this.#passed / PASSES_PER_MORE;
    const sure = this.#sure - this.#passed;
    return sure > 0 ? Math.min(1 + 3 * this.#passed, sure) : 1 - sure / PASSES_PER_MORE;
  }

  #begin(): Turn {
    const run = this.#run;
    this.#inFlight++;
    this.#left--;
    const end = (learn: () => void) => {
      if (run === this.#run) {
        this.#inFlight--;
        learn();
      }
      this.#proceed();
    };
    return {
      passed: (quota) => end(() => this.#learn(quota)),
      refused: (until) => {
        this.#closedUntil = Math.max(this.#closedUntil, until);
        end(() => {
          // A scout's refusal says nothing of how many pass.
          if (!this.#isScouting) this.#sure = this.#passed * SURE_SHARE;
          this.#close();
        });
      },
      unanswered: () => end(() => {}),
    };
  }

  #learn(quota: Quota | undefined): void {
    this.#isScouting = false;
    this.#passed++;
    if (quota === undefined) return;
    // Those in flight may be counted in what is left, or not yet.
    this.#left = quota.left - this.#inFlight;
    const { left, resetSeconds = 0 } = quota;
    if (left > 0 || resetSeconds === 0 || resetSeconds > this.#patienceSeconds) return;
    this.#closedUntil = Math.max(this.#closedUntil, Date.now() + resetSeconds * 1000);
    this.#close();
  }

  #close(): void {
    this.#run++;
    this.#inFlight = 0;
    this.#passed = 0;
    this.#left = Number.POSITIVE_INFINITY;
    this.#isScouting = true;
  }
}
