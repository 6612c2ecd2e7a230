import { expect, it } from "vitest";
import { backoffSeconds, isPermanent } from "../../src/client/retry.js";

// faults/rows has what is sent again after each fault.

it("a 2xx counts as one that a retry seldom changes only if all of it came", () => {
  const reply = { kind: "response", status: 200, headers: {}, body: "" } as const;
  expect([reply, { ...reply, isIncomplete: true }].map((result) => isPermanent("update", result))).toEqual([
    true,
    false,
  ]);
});

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
