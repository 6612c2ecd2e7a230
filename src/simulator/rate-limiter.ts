import type { RateLimit } from "./behavior.js";

/** A token bucket. It is full at first, and after the limit changes. */
export class RateLimiter {
  #limit: RateLimit | undefined;
  #tokens = 0;
  #at = 0;

  /** Counts one request. @returns whether it is within the limit, and the headers that say how much is left. */
  take(limit: RateLimit | undefined) {
    const headers: Record<string, string> = {};
    if (!limit) {
      this.#limit = undefined;
      return { allowed: true, headers };
    }
    const { perSecond, burst } = limit;
    const now = performance.now();
    const isNew = this.#limit?.perSecond !== perSecond || this.#limit.burst !== burst;
    this.#tokens = isNew ? burst : Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * perSecond);
    // A copy: a program may change its own object while the simulator runs.
    this.#limit = { ...limit };
    this.#at = now;

    const allowed = this.#tokens >= 1;
    if (allowed) this.#tokens -= 1;
    // HTTP counts in whole seconds. Rounded up, so that an obedient client never comes back too soon.
    if (!allowed) headers["retry-after"] = String(Math.ceil((1 - this.#tokens) / perSecond));
    if (limit.headers) {
      headers["ratelimit-limit"] = String(burst);
      headers["ratelimit-remaining"] = String(Math.floor(this.#tokens));
      headers["ratelimit-reset"] = String(Math.ceil((burst - this.#tokens) / perSecond));
    }
    return { allowed, headers };
  }
}
