import { describe, expect, it } from "vitest";
import { backoffSeconds, retryAfterSeconds } from "../../src/client/retry.js";

const manyBackoffs = (attempt: number) => Array.from({ length: 1000 }, () => backoffSeconds(attempt));

describe("backoffSeconds()", () => {
  it.each([
    [1, 0.5],
    [2, 1],
    [3, 2],
    [4, 4],
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

describe("retryAfterSeconds()", () => {
  const date = "Wed, 01 Jul 2026 12:00:00 GMT";
  it.each([
    ["7", 7],
    [" 7 ", 7],
    ["0.5", 0.5],
    ["0", 0],
    ["Wed, 01 Jul 2026 12:00:30 GMT", 30],
    ["Wed, 01 Jul 2026 11:00:00 GMT", 0],
    ["", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["2026-07-01", undefined],
    ["9999999999", undefined],
  ])("reads %j as %j, a date by the API's clock", (value, expected) => {
    const headers = { date, "retry-after": value };
    expect(retryAfterSeconds({ kind: "response", status: 503, headers, body: "" })).toBe(expected);
  });
});
