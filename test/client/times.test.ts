import { expect, it } from "vitest";
import { compareLastChange } from "../../src/client/times.js";

const seconds = (time: string) => Date.parse(time) / 1000;

it.each([
  ["same", "2026-01-01T10:00:00.000000Z", "2026-01-01T10:00:00.000000Z"],
  ["same", "2026-01-01T10:00:00.654321Z", "2026-01-01T10:00:01Z"],
  ["same", "2026-01-01T10:00:00Z", "2026-01-01 12:00:00+0200"],
  ["changed", "2026-01-01T10:00:00Z", "2026-01-01T10:00:02Z"],
  ["changed", "2026-01-01T10:00:00Z", "2025-01-01T10:00:00Z"],
  ["changed", "2026-01-01T10:00:00Z", "2026-01-01T11:59:52Z"],
  ["too new", "2026-01-01T10:00:00Z", "2026-01-01T11:59:53Z"],
  ["too new", "2026-01-01T10:00:00Z", "2026-01-01T12:00:00Z"],
  ["no time", "2026-01-01T10:00:00Z", "2026-01-01T10:00:05"],
  ["no time", "2026-01-01T10:00:00Z", "yesterday"],
  ["no time", "2026-01-01T10:00:00Z", undefined],
  ["no time", undefined, "2026-01-01T10:00:00Z"],
])("finds %s for a change at %s, if a probe until 12:00 returns %s", (expected, knownAt, updatedAt) => {
  const probed = { updatedAt, repliedAt: seconds("2026-01-01T12:00:00Z"), tookSeconds: 5 };
  expect(compareLastChange(knownAt, probed)).toBe(expected);
});

it("cannot compare a reply without the server's time", () => {
  const time = "2026-01-01T10:00:00Z";
  expect(compareLastChange(time, { updatedAt: time, repliedAt: undefined, tookSeconds: 0 })).toBe("no time");
});
