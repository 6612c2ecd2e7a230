import { expect, it, vi } from "vitest";
import { compareLastChange, wasCreatedBefore } from "../../src/client/times.js";

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

const SENT = "2026-01-01T12:00:00.000Z";
/** The time of a number of seconds after the create was sent. */
const after = (seconds: number) => new Date(Date.parse(SENT) + seconds * 1000);

/** A reply an hour later, from a server whose clock is ahead of this machine's. */
it.each<[string, string | undefined, ahead: number | undefined, boolean]>([
  ["when it was sent", after(1).toISOString(), 0, false],
  ["a minute before: servers may stamp it differently", after(-59).toISOString(), 0, false],
  ["earlier", after(-61).toISOString(), 0, true],
  ["earlier, by a clock that is behind", after(-300).toISOString(), -300, false],
  ["earlier, by a clock that is ahead", after(200).toISOString(), 300, true],
  ["earlier, by an unknown clock", after(-300).toISOString(), undefined, false],
  ["at a time without a zone, which may be any", "2026-01-01 11:55:00", 0, false],
  ["at a time that is not in ISO 8601", "Thu, 01 Jan 2015 00:00:00 GMT", 0, false],
  ["at a time that no reply shows", undefined, 0, false],
])("judges whether a webhook is older, created %s", (_, createdAt, ahead, isOlder) => {
  vi.useFakeTimers({ now: after(3600) });
  const repliedAt = ahead === undefined ? undefined : after(3600 + ahead).getTime() / 1000;
  expect(wasCreatedBefore({ createdAt, repliedAt }, SENT)).toBe(isOlder);
  vi.useRealTimers();
});
