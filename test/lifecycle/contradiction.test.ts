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

const createdAt = (seconds: number) => after(seconds).toISOString();
/** A reply now, from a server whose clock is ahead of this machine's. */
const dated = (seconds: number, ahead = 0) => ({
  createdAt: createdAt(seconds),
  repliedAt: after(3600 + ahead).getTime() / 1000,
});
const before = (seconds: number) => `it was created at ${createdAt(seconds)}, before the create was sent`;

it.each<[string, Partial<ProbedWebhook>, Parameters<typeof findWrongId>[0], string | undefined]>([
  ["has the name that was sent", { name: "Orders" }, { sent }, undefined],
  ["has it as the API writes it", { name: "ORDERS " }, { sent }, undefined],
  [
    "has another name",
    { name: "Refunds" },
    { sent },
    "its name is Refunds, which is not the name that was sent",
  ],
  ["has any name, if none is known", { name: "Refunds" }, { sent: { at: sentAt } }, undefined],
  ["has any name, if nothing is known", { name: "Refunds" }, {}, undefined],
  ["was cleared by the probe", {}, { sent }, undefined],
  ["was created when it was sent", dated(1), { sent }, undefined],
  ["was created a minute before", dated(-59), { sent }, undefined],
  ["was created earlier", dated(-61), { sent }, before(-61)],
  ["was created earlier, by a clock that is behind", dated(-300, -300), { sent }, undefined],
  ["was created earlier, by a clock that is ahead", dated(200, 300), { sent }, before(200)],
  ["was created earlier, by an unknown clock", { createdAt: createdAt(-300) }, { sent }, undefined],
  ["was created earlier than a killed run", dated(-300), { sent: { name: "Orders" } }, undefined],
  [
    "has a time without a zone, which may be any",
    { ...dated(-300), createdAt: "2026-01-01 11:55:00" },
    { sent },
    undefined,
  ],
  ["has no readable time", { ...dated(0), createdAt: "yesterday" }, { sent }, undefined],
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
