import { describe, expect, it } from "vitest";
import { parseRateLimit } from "../../src/client/rate-limit-headers.js";

const date = "Wed, 01 Jul 2026 12:00:00 GMT";
const epoch = Date.parse(date) / 1000;

describe("the rate limit is read from", () => {
  it.each([
    ["the IETF's current draft", { ratelimit: '"default";r=50;t=30' }, { remaining: 50, resetSeconds: 30 }],
    ["the same without a reset", { ratelimit: '"default";r=50' }, { remaining: 50 }],
    [
      "the same with several limits: the one with the least remaining",
      { ratelimit: '"day";r=900;t=5000, "minute";r=3;t=20' },
      { remaining: 3, resetSeconds: 20 },
    ],
    [
      "the IETF's seventh draft",
      { ratelimit: "limit=100, remaining=50, reset=30" },
      { remaining: 50, resetSeconds: 30 },
    ],
    [
      "the IETF's drafts before",
      { "ratelimit-limit": "100", "ratelimit-remaining": "50", "ratelimit-reset": "30" },
      { remaining: 50, resetSeconds: 30 },
    ],
    ["X-RateLimit-Remaining alone", { "x-ratelimit-remaining": "50" }, { remaining: 50 }],
    [
      "X-RateLimit headers with seconds",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1.5" },
      { remaining: 0, resetSeconds: 1.5 },
    ],
    [
      "X-RateLimit headers with a time, by the API's own clock",
      { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(epoch + 30) },
      { remaining: 0, resetSeconds: 30 },
    ],
    [
      "X-Rate-Limit headers with a time in milliseconds",
      { date, "x-rate-limit-remaining": "0", "x-rate-limit-reset": String((epoch + 30) * 1000) },
      { remaining: 0, resetSeconds: 30 },
    ],
    [
      "a reset in the past",
      { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(epoch - 30) },
      { remaining: 0, resetSeconds: 0 },
    ],
  ])("%s", (_what, headers, rateLimit) => {
    expect(parseRateLimit(headers)).toEqual(rateLimit);
  });
});

describe("no rate limit is read from", () => {
  it.each([
    [{}],
    [{ "x-ratelimit-limit": "100" }],
    [{ "x-ratelimit-remaining": "-1" }],
    [{ "x-ratelimit-remaining": "unlimited" }],
    [{ "x-ratelimit-remaining": ["1", "2"] }],
    [{ "x-ratelimit-remaining": "9".repeat(400) }],
    [{ ratelimit: "" }],
    [{ ratelimit: '"default";q=100;w=60' }],
    [{ ratelimit: ['"default";r=50;t=30'] }],
  ])("%j", (headers) => {
    expect(parseRateLimit(headers)).toBeUndefined();
  });
});

describe("an unreadable reset is ignored", () => {
  it.each(["soon", "-1", "", "1e9", "Wed, 01 Jul 2026 12:00:00 GMT"])("%j", (reset) => {
    expect(parseRateLimit({ "x-ratelimit-remaining": "7", "x-ratelimit-reset": reset })).toEqual({
      remaining: 7,
    });
  });
});
