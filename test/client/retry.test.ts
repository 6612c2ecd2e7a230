import { expect, it } from "vitest";
import { backoffSeconds, retryAfterSeconds } from "../../src/client/retry.js";

// faults/rows has what is sent again after each fault.

it.each([
  [1, 0.5],
  [2, 1],
  [6, 16],
  [7, 20],
  [1000, 20],
])("waits between half and all of a ceiling after attempt %d: %d s", (attempt, ceiling) => {
  const waits = Array.from({ length: 1000 }, () => backoffSeconds(attempt));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(ceiling / 2);
  expect(Math.min(...waits)).toBeLessThan(0.55 * ceiling);
  expect(Math.max(...waits)).toBeGreaterThan(0.95 * ceiling);
  expect(Math.max(...waits)).toBeLessThanOrEqual(ceiling);
});

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
  ["Wed Jul  1 12:00:30 2026", undefined],
  ["2026-07-01T12:00:30Z", undefined],
  ["Wed, 1 Jul 2026 12:00:30 GMT", undefined],
  ["Wed, 01 Jul 2026 14:00:30 +0200", undefined],
  ["Wed, 01 Jul 2026 25:00:30 GMT", undefined],
  ["9999999999", undefined],
])("retryAfterSeconds() reads %j as %j, a date by the API's clock", (value, expected) => {
  const headers = { date, "retry-after": value };
  expect(retryAfterSeconds({ kind: "response", status: 503, headers, body: "" })).toBe(expected);
});
