import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProbedWebhook } from "../../src/client/client.js";
import { findCreationBefore, findWrongId } from "../../src/lifecycle/contradiction.js";

const sentAt = "2026-01-01T12:00:00Z";
/** The reply of a server without a clock. */
const NO_TIME = { repliedAt: undefined, tookSeconds: 0 };
const sent = { name: "Orders", at: sentAt };
/** The time of a number of seconds after the create was sent. */
const after = (seconds: number) => new Date(Date.parse(sentAt) + seconds * 1000);

beforeEach(() => {
  vi.useFakeTimers({ now: after(3600) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The header `Date` of a reply now, from a server whose clock is ahead of this machine's. */
const repliedAt = (ahead = 0) => after(3600 + ahead).getTime() / 1000;
const createdAt = (seconds: number) => after(seconds).toISOString();

it.each<[string, Partial<ProbedWebhook>, Parameters<typeof findWrongId>[0], string | undefined]>([
  ["has the name that was sent", { name: "Orders" }, { sent }, undefined],
  ["has it as the API writes it", { name: "ORDERS " }, { sent }, undefined],
  ["has another name", { name: "Refunds" }, { sent }, "its name is Refunds, and the create sent another one"],
  ["has any name, if none is known", { name: "Refunds" }, { sent: { at: sentAt } }, undefined],
  ["has any name, if nothing is known", { name: "Refunds" }, {}, undefined],
  ["was cleared by the probe", {}, { sent }, undefined],
  ["was created when it was sent", { createdAt: createdAt(1), repliedAt: repliedAt() }, { sent }, undefined],
  ["was created a minute before", { createdAt: createdAt(-59), repliedAt: repliedAt() }, { sent }, undefined],
  [
    "was created earlier",
    { createdAt: createdAt(-61), repliedAt: repliedAt() },
    { sent },
    `it was created at ${createdAt(-61)}, before the create was sent`,
  ],
  [
    "was created earlier, by a clock that is behind",
    { createdAt: createdAt(-300), repliedAt: repliedAt(-300) },
    { sent },
    undefined,
  ],
  [
    "was created earlier, by a clock that is ahead",
    { createdAt: createdAt(200), repliedAt: repliedAt(300) },
    { sent },
    `it was created at ${createdAt(200)}, before the create was sent`,
  ],
  ["was created earlier, by an unknown clock", { createdAt: createdAt(-300) }, { sent }, undefined],
  [
    "was created earlier than a killed run",
    { createdAt: createdAt(-300), repliedAt: repliedAt() },
    { sent: { name: "Orders" } },
    undefined,
  ],
  ["has no readable time", { createdAt: "yesterday", repliedAt: repliedAt() }, { sent }, undefined],
])("finds out whether an entered id is wrong if the webhook %s", (_, probed, past, expected) => {
  expect(findWrongId(past, { ...NO_TIME, ...probed })).toBe(expected);
});

it("shows no name in the place of one that is a secret", () => {
  expect(findWrongId({ sent }, { ...NO_TIME, name: "Refunds" }, { __secretName: true })).toContain(
    "[secret]",
  );
});

it("knows without a probe only that a webhook is much older than the create", () => {
  const past = { kind: "unconfirmed", id: "1", by: "resolve" } as const;
  expect(findCreationBefore({ ...past, sent }, createdAt(-2 * 86_400))).toEqual(after(-2 * 86_400));
  expect(findCreationBefore({ ...past, sent }, createdAt(-60))).toBeUndefined();
  expect(findCreationBefore({ ...past, sent: {} }, createdAt(-2 * 86_400))).toBeUndefined();
});
