import { expect, it, vi } from "vitest";
import type { Properties } from "../../../src/lifecycle/values.js";
import { readWithWarnings, type Shown } from "../../../src/pulumi/stack-reading.js";
import { shortHash } from "../../../src/record/hashes.js";
import {
  OWNERS,
  RESOURCE_CONTEXT,
  RESOURCE_KEY,
  type ResourceContext,
  SECRETS,
  TIMEOUTS,
  writeResourceKey,
} from "../../../src/record/properties.js";
import { toSecret, UNKNOWN } from "../../../src/record/special-values.js";
import type { StackName } from "../../../src/record/stack-name.js";
import { StackBeforeRun } from "../../../src/stack/stack-before-run.js";
import type { StackExport } from "../../../src/stack/stack-export.js";
import { create, failureOf } from "../../lifecycle/runs.js";
import { api, operations, refuse, reply, useSimulator, warnings } from "../../lifecycle/simulator.js";
import { orders, PASTS, SECRET, withSecret } from "../../lifecycle/webhooks.js";
import { useNotesFolder } from "../../notes/notes-folder.js";
import { exported, IN_DOUBT, urnOf, webhook } from "../../stack/exported.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

const urn = urnOf("orders");
/** Returns inputs as the program passes them to check. */
const passed = (declared: Partial<ResourceContext> = {}, more: Properties = {}) => ({
  __provider,
  ...orders,
  [RESOURCE_CONTEXT]: JSON.stringify({ urn, given: ["url"], past: PASTS.new, ...declared }),
  ...more,
});
/** Returns the error that a promise rejects with, as the SDK reads it to record the resource. */
const recordedOf = (
  promise: Promise<unknown>,
): Promise<Error & { properties?: Properties; reasons?: string[] }> => failureOf(promise);

it("returns the resource's key with the stamp of its create, and of what the program says nothing else", async () => {
  const news = passed({ ignored: ["name"] });
  const { inputs } = await startProvider().check({}, news);
  expect(inputs).toEqual({
    ...orders,
    [RESOURCE_KEY]: expect.stringMatching(`^${shortHash(urn)}[\\w-]{4}[0-9a-z]{6}$`),
  });
  const recorded = { ...orders, [RESOURCE_KEY]: writeResourceKey(urn, "n0nc") };
  // With ignoreChanges, the engine copies a recorded key, which may be that of an earlier name.
  for (const more of [{}, { [RESOURCE_KEY]: "other" }])
    expect((await startProvider().check(recorded, { ...news, ...more })).inputs).toEqual(recorded);
  // Earlier versions recorded no stamp.
  expect((await startProvider().check(orders, news)).inputs).toEqual({
    ...orders,
    [RESOURCE_KEY]: shortHash(urn),
  });
});

it("fails in check without what the program says of the resource, which a transform may have removed", async () => {
  const { failures } = await startProvider().check(orders, {
    __provider,
    ...orders,
    [RESOURCE_KEY]: shortHash(urn),
  });
  const reason = expect.stringContaining("Return all of args.props from the transform");
  expect(failures).toEqual([{ property: "", reason }]);
});

it("fails in check while the gate is closed, before all other problems, and names the stack but no property", async () => {
  const news = passed({ urn: urn.replace("dev", "prod"), gate: "The gate is closed." }, { url: "nowhere" });
  const { failures } = await startProvider({ apiKey: "" }).check({}, news);
  expect(failures).toEqual([
    { property: "", reason: "The gate is closed." },
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing.* --stack prod \(or/) },
  ]);
});

/** Imports webhook 1, which belongs to the resource legacy of a Provider in the program's state. @returns why not. */
async function importLegacy(more: Properties = {}, provider = startProvider(), described = {}) {
  const owners = JSON.stringify([{ urn: "urn:legacy", baseUrl: api.url, provider: "eu" }]);
  const news = passed(described, { import: "1", [OWNERS]: owners, ...more });
  const { failures = [] } = await provider.check({}, news);
  return failures.map(({ reason }) => reason);
}

it("refuses to import another resource's webhook, under any Provider, also if a preview knows it only now", async () => {
  const reason = expect.stringContaining("belongs to another resource of this stack, urn:legacy.");
  expect(await importLegacy()).toEqual([reason]);
  expect(await importLegacy({ [OWNERS]: UNKNOWN })).toEqual([]);
});

const notes = useNotesFolder();

const GATE = "it is unknown whether the API created webhook orders";

/** A program that has read the state of another backend, and a provider that reads its own. */
function startReading(read: () => StackExport) {
  const readStack = vi.fn((_: StackName, shown: Shown) =>
    readWithWarnings((async () => new StackBeforeRun(read()))(), shown),
  );
  const provider = startProvider({}, { notes: notes.start(), readStack });
  const inline = (isPreview = false, notesFolder = "/another") => ({
    organization: "acme",
    program: { notesFolder, isPreview },
  });
  const check = async (name: string, described: object, more = {}) =>
    (await provider.check({}, passed({ urn: urnOf(name), ...described }, more))).failures;
  return { readStack, provider, inline, check };
}

const closed = () => exported([webhook("orders", { id: IN_DOUBT })]);

it("reads the state itself, once, if the program has read that of another backend", async () => {
  const { readStack, inline, check } = startReading(closed);
  expect(await check("new", inline(false, notes.path))).toEqual([]);
  expect(readStack).not.toHaveBeenCalled();
  for (const name of ["orders", "other"])
    expect(await check(name, inline())).toEqual([{ property: "", reason: expect.stringContaining(GATE) }]);
  const running = { stack: "dev", project: "test", organization: "acme" };
  expect(readStack.mock.calls).toEqual([[running, expect.objectContaining({ warnsOfGate: false })]]);
  expect(warnings).toEqual([]);
  const preview = startReading(closed);
  expect(await preview.check("other", inline(true))).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(GATE)]);
});

it("finds in that state who has the webhook to import", async () => {
  const recorded = webhook("recorded", { outputs: { ...orders, baseUrl: api.url } });
  const { provider, inline } = startReading(() => exported([recorded]));
  const reason = expect.stringContaining(`belongs to another resource of this stack, ${urnOf("recorded")}.`);
  expect(await importLegacy({}, provider, inline())).toEqual([reason]);
});

it("believes of what the program has read only that the gate is closed, and warns, if that state cannot be read", async () => {
  const { inline, check } = startReading(() => {
    throw new Error("The backend is away.");
  });
  const gate = "The gate is closed.";
  for (const id of ["a", "b"]) {
    // The replacement of a webhook by its own import would be refused.
    const described = { past: { ...PASTS.known, id }, gate, ...inline() };
    expect(await check(id, described, { import: id })).toEqual([{ property: "", reason: gate }]);
  }
  expect(warnings).toEqual([expect.stringContaining("could not be read. The backend is away.")]);
});

it("returns outputs in the SDK's words: of an update, a read, drift, and a webhook that is gone", async () => {
  const { id, outputs } = await create();
  const other = await create();
  api.behavior.emptyUpdate = "leaves updated_at";
  const provider = startProvider({ drift: "probe" });
  const recorded = { ...outputs, __provider };
  expect(await provider.diff(id, recorded, { ...withSecret, [RESOURCE_KEY]: "a" })).toEqual({
    changes: false,
  });
  const { outs = {} } = await provider.update(id, outputs, { ...withSecret, [RESOURCE_KEY]: "a" });
  expect(outs).toEqual({ ...outputs, updatedAt: expect.any(String) });
  expect(await provider.read(id, outs)).toEqual({ id, props: outs });
  api.dashboard.edit(id, { enabled: false });
  const drifted = { ...withSecret, enabled: false };
  expect(await provider.read(id, outs)).toMatchObject({ id, props: drifted, inputs: drifted });
  await provider.delete(id, outputs);
  await provider.read(other.id, other.outputs);
  expect(await provider.read(id, outs)).toEqual({});
});

it("adds the stored text to the record of a failed create or update, without which nothing could be done with it", async () => {
  reply({ id: 7, enabled: "true" }, "create");
  const off = { ...withSecret, enabled: false };
  const created = await recordedOf(startProvider().create({ __provider, ...off, [RESOURCE_KEY]: "a" }));
  const properties = { __provider, ...off, unconfirmed: true };
  expect(created).toMatchObject({ id: "7", properties, reasons: [created.message] });
  const { id, outputs } = await create();
  reply({ id: 2, enabled: "true" }, "update", 2);
  const updated = await recordedOf(startProvider().update(id, outputs, { __provider, ...off }));
  expect(updated.properties).toEqual({ ...outputs, __provider, unconfirmed: true });
  refuse("update");
  const refused = await recordedOf(startProvider().update(id, outputs, { __provider, ...off }));
  expect(refused).not.toHaveProperty("properties");
});

it("keeps a url and a name secret in the record of a failed update, if they are plain now", async () => {
  const marked = { [SECRETS]: ["url", "name"] };
  const { id, outputs } = await create();
  reply({ id: 1, enabled: "true" }, "update", 2);
  const plain = { url: "https://example.com/plain", name: "Plain", enabled: false };
  const news = { ...plain, secret: SECRET, [RESOURCE_KEY]: "a" };
  const provider = startProvider();
  const failure = await recordedOf(provider.update(id, { ...outputs, ...marked }, news));
  const secrets = { url: toSecret(orders.url), name: toSecret(orders.name) };
  expect(failure.properties).toEqual({ ...outputs, ...secrets, ...marked, unconfirmed: true });
});

it("ends an operation at the time limit of its customTimeouts, which a delete finds in the outputs", async () => {
  const timeouts = { create: 3, update: 3, delete: 3 };
  const timed = { ...orders, [TIMEOUTS]: timeouts, [RESOURCE_KEY]: shortHash(urn) };
  const provider = startProvider();
  expect(await provider.check(orders, passed({}, { [TIMEOUTS]: timeouts }))).toEqual({
    inputs: timed,
    failures: [],
  });
  const { id, outs = {} } = await provider.create(timed);
  expect(outs).toMatchObject({ [TIMEOUTS]: timeouts });
  api.inject({ fault: { kind: "hang", commit: false }, times: 3 });
  const failures = await Promise.all([
    failureOf(provider.update(id, outs, { ...timed, name: "Renamed" })),
    failureOf(startProvider().delete(id, outs)),
    failureOf(startProvider().create(timed)),
  ]);
  for (const { message } of failures) expect(message).toContain("no complete response before the deadline");
  expect(failures[0].message).toContain("raise customTimeouts");
});

it("records a changed limit for a delete at once, without a request", async () => {
  const { id, outputs } = await create();
  const limit = { [TIMEOUTS]: { delete: 600 } };
  const news = { ...withSecret, [RESOURCE_KEY]: shortHash(urn), ...limit };
  const provider = startProvider();
  await provider.check(news, passed({ past: PASTS.known }));
  expect(await provider.diff(id, { ...outputs, __provider }, news)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, news)).toEqual({ outs: { ...outputs, ...limit } });
  expect(await provider.diff(id, { ...outputs, ...limit, __provider }, news)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
});

it("adds the stored text to a webhook of the plugin without a request, unless a change is sent", async () => {
  const { id, outputs } = await create(orders);
  const provider = startProvider();
  const { inputs = {} } = await provider.check(orders, passed({ past: PASTS.known }));
  const changed = { ...inputs, name: "Refunds" };
  const secret = { changes: true, replaces: ["secret"] };
  expect(await provider.diff(id, outputs, { ...changed, secret: "new" })).toEqual(secret);
  expect(await provider.diff(id, outputs, inputs)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, inputs)).toEqual({ outs: outputs });
  expect(await provider.diff(id, { ...outputs, __provider }, inputs)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
  await provider.diff(id, outputs, changed);
  expect(await provider.update(id, outputs, changed)).toMatchObject({ outs: { name: "Refunds" } });
  expect(api.webhooks).toMatchObject([{ name: "Refunds" }]);
});
