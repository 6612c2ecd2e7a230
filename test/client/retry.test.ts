import { describe, expect, it } from "vitest";
import type { SendResult } from "../../src/client/attempt.js";
import { backoffSeconds, isWorthRetrying, mayHaveTakenEffect } from "../../src/client/retry.js";

// faults/rows has what follows for each fault, and how each operation ends.

const replied = (status: number, headers = {}, more = {}): SendResult => ({
  kind: "response",
  status,
  headers,
  body: "",
  ...more,
});
const retryAfter = { "retry-after": "1" };

describe("a request without a success", () => {
  it.each<[what: string, result: SendResult, hasEffect: boolean, create: boolean, others: boolean]>([
    ["was not sent", { kind: "not-sent", reason: "", permanent: false }, false, true, true],
    ["got no response", { kind: "no-response", reason: "" }, true, false, true],
    ["got a 429", replied(429), false, true, true],
    ["got a 503 with Retry-After", replied(503, retryAfter), false, true, true],
    ["got a 503 without Retry-After", replied(503), true, false, true],
    ["got a 500, with Retry-After or without", replied(500, retryAfter), true, false, true],
    ["got a 408", replied(408), true, false, true],
    ["got a 425", replied(425), false, false, true],
    ["got a 403 that means a rate limit", replied(403, retryAfter), false, true, true],
    ["got a 403", replied(403), false, false, false],
    ["got a 404", replied(404), false, false, false],
    ["got a 302", replied(302), false, false, false],
    ["got a 2xx that is no success", replied(200), true, false, true],
    ["got a part of a 2xx", replied(200, {}, { isIncomplete: true }), true, false, true],
  ])("%s: may have taken effect, and is sent again", (_what, result, hasEffect, create, others) => {
    expect(mayHaveTakenEffect(result)).toBe(hasEffect);
    expect(isWorthRetrying("create", result, 1)).toBe(create);
    expect(isWorthRetrying("update", result, 1)).toBe(others);
    expect(isWorthRetrying("delete", result, 1)).toBe(others);
  });

  it("is sent three times if a retry seldom changes the result", () => {
    for (const result of [replied(200), { kind: "not-sent", reason: "", permanent: true } as const]) {
      expect([1, 2, 3].map((count) => isWorthRetrying("update", result, count))).toEqual([true, true, false]);
    }
  });
});

const manyBackoffs = (attempt: number) => Array.from({ length: 1000 }, () => backoffSeconds(attempt));

describe("backoffSeconds()", () => {
  it.each([
    [1, 0.5],
    [2, 1],
    [6, 16],
    [7, 20],
    [1000, 20],
  ])("waits between half and all of its ceiling before the retry of attempt %d: %d s", (attempt, ceiling) => {
    const waits = manyBackoffs(attempt);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(ceiling / 2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(ceiling);
  });

  it("spreads the waits of many requests", () => {
    const waits = manyBackoffs(7);
    expect(Math.min(...waits)).toBeLessThan(11);
    expect(Math.max(...waits)).toBeGreaterThan(19);
  });
});
