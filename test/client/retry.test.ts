import { describe, expect, it } from "vitest";
import { backoffSeconds } from "../../src/client/retry.js";

// faults/rows has what is sent again after each fault.

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
