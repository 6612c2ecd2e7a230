import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseRateLimit, retryAfterSeconds } from "../../src/client/rate-limit.js";

const date = "Wed, 01 Jul 2026 12:00:00 GMT";
const epoch = Date.parse(date) / 1000;
const resetAt = (time: string) => ({ date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": time });

it.each([
  ["the IETF's current draft", { ratelimit: '"default";r=50;t=30' }, 50, 30],
  ["the same without a reset", { ratelimit: '"default";r=50' }, 50],
  ["several limits: the least remaining", { ratelimit: '"day";r=900;t=5000, "minute";r=3;t=20' }, 3, 20],
  ["the IETF's seventh draft", { ratelimit: "limit=100, remaining=50, reset=30" }, 50, 30],
  ["the IETF's drafts before", { "ratelimit-remaining": "50", "ratelimit-reset": "30" }, 50, 30],
  ["X-RateLimit-Remaining alone", { "x-ratelimit-remaining": "50" }, 50],
  ["X-RateLimit, in seconds", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1.5" }, 0, 1.5],
  ["X-RateLimit, a time by the API's own clock", resetAt(`${epoch + 30}`), 0, 30],
  ["a time in milliseconds", resetAt(`${epoch + 30}000`), 0, 30],
  ["X-Rate-Limit", { "x-rate-limit-remaining": "0", "x-rate-limit-reset": "2" }, 0, 2],
  ["a time in the past", resetAt(`${epoch - 30}`), 0, 0],
  ...["soon", "-1", "", "1e9", date].map((reset): [string, Record<string, string>, number] => [
    `an unreadable reset, ${reset}`,
    { "x-ratelimit-remaining": "7", "x-ratelimit-reset": reset },
    7,
  ]),
])("reads %s", (_what, headers, remaining, resetSeconds?: number) => {
  expect(parseRateLimit(headers)).toEqual({ remaining, resetSeconds });
});

it.each([
  {},
  { "x-ratelimit-limit": "100" },
  { "x-ratelimit-remaining": "-1" },
  { "x-ratelimit-remaining": "unlimited" },
  { "x-ratelimit-remaining": ["1", "2"] },
  { "x-ratelimit-remaining": "9".repeat(400) },
  { ratelimit: "" },
  { ratelimit: '"default";q=100;w=60' },
  { ratelimit: ['"default";r=50;t=30'] },
])("reads no rate limit from %j", (headers) => {
  expect(parseRateLimit(headers)).toBeUndefined();
});

describe("retryAfterSeconds()", () => {
  // A date without a zone is one in GMT, wherever this machine is.
  beforeAll(() => {
    vi.stubEnv("TZ", "America/New_York");
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ["7", 7],
    [" 7 ", 7],
    ["0.5", 0.5],
    ["0", 0],
    ["Wed, 01 Jul 2026 12:00:30 GMT", 30],
    ["Wednesday, 01-Jul-26 12:00:30 GMT", 30],
    ["Wed Jul  1 12:00:30 2026", 30],
    ["Wed, 01 Jul 2026 11:00:00 GMT", 0],
    ["", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["2026-07-01T12:00:30Z", undefined],
    ["Wed, 1 Jul 2026 12:00:30 GMT", undefined],
    ["Wed, 01 Jul 2026 14:00:30 +0200", undefined],
    ["Wed, 01 Jul 2026 25:00:30 GMT", undefined],
    ["9999999999", undefined],
  ])("reads %j as %j, a date by the API's clock", (value, expected) => {
    const headers = { date, "retry-after": value };
    expect(retryAfterSeconds({ kind: "response", status: 503, headers, body: "" })).toBe(expected);
  });
});
