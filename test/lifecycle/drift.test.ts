import { expect, it } from "vitest";
import * as drift from "../../src/lifecycle/drift.js";
import { orders } from "./webhooks.js";

const recorded = {
  ...orders,
  baseUrl: "https://api.example.com",
  updatedAt: "2026-01-01T12:00:00.123456Z",
};
/** Compares without the answer to whether the times show a changed url, which has tests of its own. */
const compare = (...given: Parameters<typeof drift.compare>) => {
  const { urlUnknown: _, ...comparison } = drift.compare(...given);
  return comparison;
};

const noon = Date.parse("2026-01-01T12:00:00Z") / 1000;
const probed = (updatedAt: string | undefined) => ({
  name: "Orders",
  enabled: true,
  updatedAt,
  repliedAt: noon + 600,
  tookSeconds: 0.1,
});

it("finds no drift if the probe returns the recorded time", () => {
  expect(compare(recorded, probed("2026-01-01T12:00:00.123456Z"))).toEqual({
    state: recorded,
    hasDrift: false,
  });
});

it.each([
  "2026-01-01T12:00:00Z",
  "2026-01-01T12:00:00.123Z",
  "2026-01-01T13:00:00.123456+01:00",
  "2026-01-01 12:00:00.1234567Z",
  "2026-01-01T10:00:00.123456-0200",
  // Kept in whole seconds, cut off or rounded up, and written with as many digits as before.
  "2026-01-01T12:00:00.000000Z",
  "2026-01-01T12:00:01.000000Z",
])("finds no drift if the API writes the recorded time as %s", (updatedAt) => {
  expect(compare(recorded, probed(updatedAt)).hasDrift).toBe(false);
});

it("finds no drift if the API cuts a time off in one reply and rounds it up in the next", () => {
  const cut = { ...recorded, updatedAt: "2026-01-01T12:00:00Z" };
  expect(compare(cut, probed("2026-01-01T12:00:01Z"))).toEqual({ state: cut, hasDrift: false });
  expect(compare(cut, probed("2026-01-01T12:00:02Z")).hasDrift).toBe(true);
});

it("finds drift if the time is later than the recorded one and older than the probe", () => {
  expect(compare(recorded, probed("2026-01-01T12:05:00.000000Z"))).toEqual({
    state: {
      ...recorded,
      updatedAt: "2026-01-01T12:05:00.000000Z",
      changedOutsidePulumi: "2026-01-01T12:05:00.000000Z",
    },
    hasDrift: true,
  });
});

it("finds no drift in a later time if the last update is unconfirmed: it may have set the time", () => {
  const unconfirmed = { ...recorded, unconfirmed: true };
  const later = probed("2026-01-01T12:05:00.000000Z");
  expect(compare(unconfirmed, later)).toEqual({ state: unconfirmed, hasDrift: false });
});

it("can compare the url if the time is the recorded one, or surely older than the probe", () => {
  expect(drift.compare(recorded, probed(recorded.updatedAt)).urlUnknown).toBeUndefined();
  expect(drift.compare(recorded, probed("2026-01-01T12:05:00.000000Z")).urlUnknown).toBeUndefined();
});

it.each([
  ["no time", "the API returns no time", recorded, probed(undefined)],
  ["too new", "the probe may have set the time", recorded, probed("2026-01-01T12:09:59.900000Z")],
  [
    "no time",
    "no time is recorded yet",
    { ...recorded, updatedAt: undefined },
    probed("2026-01-01T12:05:00.000000Z"),
  ],
  [
    "no time",
    "the reply has no Date",
    recorded,
    { ...probed("2026-01-01T12:05:00.000000Z"), repliedAt: undefined },
  ],
])("cannot compare the url: %s, if %s", (because, _when, known, reply) => {
  expect(drift.compare(known, reply).urlUnknown).toBe(because);
});

it.each([
  ["the time of the probe itself", "2026-01-01T12:10:00.050000Z", noon + 600, 0.1],
  ["a time within a slow probe", "2026-01-01T12:09:45.000000Z", noon + 600, 20],
  ["a time too close to the probe", "2026-01-01T12:09:58.900000Z", noon + 600, 0.1],
  ["a time ahead of the server's clock", "2026-01-01T12:11:00.000000Z", noon + 600, 0.1],
  ["a later time without a Date", "2026-01-01T12:05:00.000000Z", undefined, 0.1],
  ["a time without a zone", "2026-01-01T11:05:00.000000", noon + 600, 0.1],
  ["a text that is no time", "just now", noon + 600, 0.1],
])("finds no drift in %s, and does not record it", (_what, updatedAt, repliedAt, tookSeconds) => {
  const reply = { ...probed(updatedAt), repliedAt, tookSeconds };
  expect(compare(recorded, reply)).toEqual({ state: recorded, hasDrift: false });
});

it("records the first time that the API returns, for later probes to compare with", () => {
  const { updatedAt: _, ...old } = recorded;
  expect(compare(old, probed("2026-01-01T12:05:00.000000Z"))).toEqual({
    state: { ...old, updatedAt: "2026-01-01T12:05:00.000000Z" },
    hasDrift: false,
  });
  expect(compare(old, probed(undefined))).toEqual({ state: old, hasDrift: false });
});

it.each([
  ["finds drift", "2026-01-01T12:00:02.500000Z", true],
  ["finds no drift", "2026-01-01T12:00:01.000000Z", false],
  ["finds no drift", "2026-01-01T12:10:00.050000Z", false],
  ["finds no drift", undefined, false],
])("%s if the first time of a webhook that Pulumi only created is %s", (_what, updatedAt, hasDrift) => {
  const { updatedAt: _, ...old } = recorded;
  const created = { ...old, neverUpdated: true as const };
  const reply = { ...probed(updatedAt), createdAt: "2026-01-01T12:00:00.000000Z" };
  const time = updatedAt !== undefined && { updatedAt };
  const mark = hasDrift && { changedOutsidePulumi: updatedAt };
  expect(compare(created, reply)).toEqual({
    state: updatedAt === undefined ? created : { ...old, ...time, ...mark },
    hasDrift,
  });
});

it("finds no drift in the first time of a created webhook if the reply has no createdAt", () => {
  const { updatedAt: _, ...old } = recorded;
  const updatedAt = "2026-01-01T12:05:00.000000Z";
  expect(compare({ ...old, neverUpdated: true }, probed(updatedAt))).toEqual({
    state: { ...old, updatedAt },
    hasDrift: false,
  });
});

it("finds drift in another name and another enabled", () => {
  const reply = { ...probed(recorded.updatedAt), name: "Renamed", enabled: false };
  expect(compare(recorded, reply)).toEqual({
    state: { ...recorded, name: "Renamed", enabled: false, __driftedFields: ["name", "enabled"] },
    hasDrift: true,
  });
});

it("finds no drift in a reply with a name and no other field", () => {
  expect(compare(recorded, { name: "Orders", repliedAt: noon, tookSeconds: 0 })).toEqual({
    state: recorded,
    hasDrift: false,
  });
});

it.each([undefined, ""])("marks the record as unconfirmed if the probe returns %j as the name", (name) => {
  const reply = { ...probed(recorded.updatedAt), name };
  expect(compare(recorded, reply).state).toEqual({
    ...recorded,
    name: name ?? "Orders",
    unconfirmed: true,
  });
});

it("keeps the mark of an earlier change until an update removes it", () => {
  const marked = { ...recorded, changedOutsidePulumi: "2026-01-01T11:00:00Z" };
  expect(compare(marked, probed(recorded.updatedAt))).toEqual({ state: marked, hasDrift: true });
});

it("finds no drift in a name that the API normalized when it was sent", () => {
  const normalized = { ...recorded, name: " Orders & more ", apiName: "Orders &amp; more" };
  const reply = { ...probed(recorded.updatedAt), name: "Orders &amp; more" };
  expect(compare(normalized, reply)).toEqual({ state: normalized, hasDrift: false });
});

it("records another name in place of a normalized one", () => {
  const normalized = { ...recorded, apiName: "ORDERS" };
  const renamed = { ...probed(recorded.updatedAt), name: "Renamed" };
  const { state, hasDrift } = compare(normalized, renamed);
  const followed = { ...recorded, name: "Renamed", __driftedFields: ["name"] };
  expect({ state, hasDrift }).toStrictEqual({ state: followed, hasDrift: true });
  // Renamed back: the record has to follow, or it would show the old drift for ever.
  expect(compare(state, { ...renamed, name: "ORDERS" }).state.name).toBe("ORDERS");
});

it("finds no drift in a secret name that the API normalizes, and drift in another name", () => {
  const secret = { ...recorded, name: " Orders & more ", __secretName: true as const };
  expect(compare(secret, { ...probed(recorded.updatedAt), name: "Orders &amp; more" }).hasDrift).toBe(false);
  expect(compare(secret, { ...probed(recorded.updatedAt), name: "Refunds" }).hasDrift).toBe(true);
});
