import { expect, it } from "vitest";
import type { ProbedWebhook } from "../../src/client/client.js";
import { compare } from "../../src/lifecycle/drift.js";
import type { State } from "../../src/lifecycle/state.js";
import { nameHashOf } from "../../src/record/webhook-name.js";
import { create, declare, startRun } from "./runs.js";
import { api, passMinutes, useSimulator } from "./simulator.js";
import { orders, PASTS, withSecret } from "./webhooks.js";

useSimulator();

const NOON = "2026-01-01T12:00:00.123456Z";
const recorded = { ...orders, baseUrl: "https://api.example.com", updatedAt: NOON };
const { updatedAt: _, ...undated } = recorded;
const noon = Date.parse("2026-01-01T12:00:00Z") / 1000;
/** The reply to a probe ten minutes later. */
const probed = (fields: object = {}): ProbedWebhook => ({
  name: "Orders",
  enabled: true,
  updatedAt: NOON,
  repliedAt: noon + 600,
  tookSeconds: 0.1,
  ...fields,
});
const at = (updatedAt: string | undefined, fields: object = {}) => probed({ updatedAt, ...fields });
const later = "2026-01-01T12:05:00.000000Z";

// Which times show a change is a matter of the client: test/client/times.test.ts.

const normalized = { ...recorded, apiName: nameHashOf("ord") };
const mark = { changedOutsidePulumi: later };
const unclear = { unconfirmed: true };
const renamed = { name: "B" };
const changed = { ...renamed, enabled: false };

const [noTime, tooNew] = [{ urlUnknown: "no time" }, { urlUnknown: "too new" }];
const drift = (changes: object, drifted: string[] = [], more: object = {}) => ({ changes, drifted, ...more });
const firstTime = { changes: { updatedAt: later }, ...noTime };
const ownForm = { changes: { apiName: nameHashOf("B") } };
interface Expected {
  changes?: object;
  drifted?: string[];
  urlUnknown?: string;
}

it.each<[string, State, ProbedWebhook, Expected?]>([
  ["keeps the record if nothing has changed", recorded, probed()],
  ["keeps it if the API cuts off what it wrote", recorded, at("2026-01-01T12:00:00Z")],
  ["does not record a time that the probe may have set", recorded, at("2026-01-01T12:09:59.900Z"), tooNew],
  ["does not record a later time without a Date", recorded, at(later, { repliedAt: undefined }), noTime],
  ["does not record a text that is no time", recorded, at("just now"), noTime],
  ["records the first time, for later probes", undated, at(later), firstTime],
  ["records no time if there is none", undated, at(undefined), noTime],
  ["finds nothing in a reply with a name alone", recorded, { ...at(undefined), enabled: undefined }, noTime],
  ["marks a name that the probe omits", recorded, probed({ name: undefined }), { changes: unclear }],
  ["accepts a name that the API has normalized", normalized, probed({ name: "ord" })],
  ["takes a name for the API's form, by an unchanged time", recorded, probed(renamed), ownForm],
  ["shows a name of that second", recorded, at("2026-01-01T12:00:00.48Z", renamed), drift(renamed, ["name"])],
  ["takes it for the API's form, by a coarser time", recorded, at("2026-01-01T12:00:00Z", renamed), ownForm],
  ["shows a later time", recorded, at(later), drift({ updatedAt: later, ...mark })],
  ["shows another name and enabled", recorded, probed(changed), drift(changed, ["name", "enabled"])],
  ["shows another name, by no time", undated, at(undefined, renamed), drift(renamed, ["name"], noTime)],
  ["shows an empty, cleared name", recorded, probed({ name: "" }), drift({ name: "", ...unclear }, ["name"])],
  ["shows an earlier mark, until an update", { ...recorded, ...mark }, probed(), drift({})],
])("%s", (_, known, reply, { changes, ...expected } = {}) => {
  expect(compare(known, reply)).toStrictEqual({ state: { ...known, ...changes }, drifted: [], ...expected });
});

it("records another name in place of a normalized one, and follows it back, or it would show the old drift for ever", () => {
  const { state } = compare(normalized, at(later, { name: "Renamed" }));
  expect(state).toStrictEqual({ ...recorded, name: "Renamed", updatedAt: later, ...mark });
  const back = at("2026-01-01T12:07:00Z", { name: "ord" });
  expect(compare(state, back).state.name).toBe("ord");
});

it("takes no time for evidence if the API sets it itself, and does not record it", () => {
  for (const updatedAt of [NOON, later, "2026-01-01T12:09:59Z"])
    expect(compare(recorded, at(updatedAt), true)).toStrictEqual({ state: recorded, drifted: [] });
  expect(compare(recorded, at(later, changed), true)).toMatchObject({ drifted: ["name", "enabled"] });
});

it("shows a change of the url alone as no drift for good, if replies show the record as it was before", async () => {
  Object.assign(api.behavior, { updateReply: "old", emptyUpdate: "leaves updated_at" });
  const news = { ...withSecret, url: "https://example.com/moved" };
  let { id, outputs } = await create();
  for (const _ of ["first", "second"]) {
    passMinutes();
    const webhook = declare(startRun({ drift: "probe" }), { past: PASTS.known });
    ({ outputs } = await webhook.update(id, outputs, news));
    passMinutes();
    const read = (await startRun({ drift: "probe" }).read(id, outputs)) ?? expect.unreachable();
    ({ outputs } = read);
    expect(outputs).not.toHaveProperty("changedOutsidePulumi");
  }
  expect(outputs.updatedAt).toBe(api.webhooks[0]?.updatedAt);
});
