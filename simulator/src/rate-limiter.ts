import type { RateLimit } from "./behavior.js";

/** A token bucket. It is full at first, and after the limit changes. */
export class RateLimiter {
  #limit: string | undefined;
  #tokens = 0;
  #at = 0;

  /** Counts one request. @returns whether it is within the limit, and the headers that say how much is left. */
  take(limit: RateLimit | undefined) {
    const { perSecond, burst } = limit ?? { perSecond: 0, burst: Infinity };
    const now = performance.now();
    const isNew = this.#limit !== `${perSecond}:${burst}`;
    this.#tokens = isNew ? burst : Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * perSecond);
    this.#limit = `${perSecond}:${burst}`;
    this.#at = now;

    const allowed = this.#tokens >= 1;
    if (allowed) this.#tokens -= 1;
    const headers: Record<string, string> = {};
    // HTTP counts in whole seconds. Rounded up, so that an obedient client never comes back too soon.
    if (!allowed) headers["retry-after"] = String(Math.ceil((1 - this.#tokens) / perSecond));
    if (limit?.headers) {
      headers["ratelimit-limit"] = String(burst);
      headers["ratelimit-remaining"] = String(Math.floor(this.#tokens));
      headers["ratelimit-reset"] = String(Math.ceil((burst - this.#tokens) / perSecond));
    }
    return { allowed, headers };
  }
}
