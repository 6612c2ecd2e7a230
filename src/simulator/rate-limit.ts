import type { RateLimit } from "./behaviour.js";

/** What the bucket says to one call. */
interface Verdict {
  refused: boolean;
  headers: Record<string, string>;
}

/** A token bucket: full at first and whenever the limit is changed. */
export class Bucket {
  private limit: RateLimit | undefined;
  private tokens = 0;
  private at = 0;

  take(limit: RateLimit | undefined): Verdict {
    if (!limit) {
      this.limit = undefined;
      return { refused: false, headers: {} };
    }
    const { perSecond, burst } = limit;
    const now = performance.now();
    const isNew = this.limit?.perSecond !== perSecond || this.limit.burst !== burst;
    this.tokens = isNew ? burst : Math.min(burst, this.tokens + ((now - this.at) / 1000) * perSecond);
    // A copy: the caller may change its own while the simulator runs.
    this.limit = { ...limit };
    this.at = now;

    const refused = this.tokens < 1;
    if (!refused) this.tokens -= 1;
    const headers: Record<string, string> = {};
    // HTTP counts in whole seconds, so a client that obeys may wait longer than it must, never too short.
    if (refused) headers["retry-after"] = String(Math.ceil((1 - this.tokens) / perSecond));
    if (limit.headers) {
      headers["ratelimit-limit"] = String(burst);
      headers["ratelimit-remaining"] = String(Math.floor(this.tokens));
      headers["ratelimit-reset"] = String(Math.ceil((burst - this.tokens) / perSecond));
    }
    return { refused, headers };
  }
}
