import { expect, it, vi } from "vitest";
import type { Properties } from "../../../src/lifecycle/values.js";
import { readWithWarnings, type Shown } from "../../../src/pulumi/stack-reading.js";
import { shortHash } from "../../../src/record/hashes.js";
import {
  type Described,
  IMPORTERS,
  RESOURCE_CONTEXT,
  RESOURCE_KEY,
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
import { orders, SECRET, withSecret } from "../../lifecycle/webhooks.js";
import { exported, IN_DOUBT, urnOf, webhook } from "../../stack/exported.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

const urn = urnOf("orders");
/** Returns inputs as the program passes them to check. */
const passed = (declared: Partial<Described> = {}, more: Properties = {}) => ({
  __provider,
  ...orders,
  [RESOURCE_CONTEXT]: JSON.stringify({ urn, given: ["url"], ...declared }),
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

it("fails in check with the gate before all other problems, and names the stack but no property", async () => {
  const doubt = webhook("orders", { id: IN_DOUBT, urn: urn.replace("dev", "prod") });
  const readStack = async () => new StackBeforeRun(exported([doubt]));
  const news = passed({ urn: doubt.urn }, { url: "nowhere" });
  const { failures } = await startProvider({ apiKey: "" }, { readStack }).check({}, news);
  expect(failures).toEqual([
    { property: "", reason: expect.stringContaining(GATE) },
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing.* --stack prod \(or/) },
  ]);
});

const GATE = "it is unknown whether the API created webhook orders";

/** Starts a provider for a stack. */
function startFor(read: () => StackExport) {
  const readStack = vi.fn((_: StackName, shown: Shown) =>
    readWithWarnings((async () => new StackBeforeRun(read()))(), shown),
  );
  const provider = startProvider({}, { readStack });
  const check = async (name: string, described: object, more = {}) =>
    (await provider.check({}, passed({ urn: urnOf(name), organization: "acme", ...described }, more)))
      .failures ?? [];
  return { readStack, provider, check };
}

it("reads the state once, and fails in check while the gate is closed, but not in a preview, which warns", async () => {
  const closed = () => exported([webhook("orders", { id: IN_DOUBT })]);
  const { readStack, check } = startFor(closed);
  for (const name of ["orders", "other"])
    expect(await check(name, {})).toEqual([{ property: "", reason: expect.stringContaining(GATE) }]);
  const running = { stack: "dev", project: "test", organization: "acme" };
  expect(readStack.mock.calls).toEqual([[running, expect.objectContaining({ warnsOfGate: false })]]);
  expect(warnings).toEqual([]);
  const preview = startFor(closed);
  expect(await preview.check("other", { isPreview: true })).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(GATE)]);
});

it("refuses to import a webhook that a record or another import of the program has, also if a preview knows its id only now", async () => {
  const recorded = webhook("recorded", { outputs: { ...orders, baseUrl: api.url } });
  const imports = async (state: StackExport, importers: unknown) =>
    (await startFor(() => state).check("orders", {}, { import: "1", [IMPORTERS]: importers })).map(
      ({ reason }) => reason,
    );
  const refusal = (urn: string) => [
    expect.stringContaining(`belongs to another resource of this stack, ${urn}.`),
  ];
  expect(await imports(exported([recorded]), "[]")).toEqual(refusal(urnOf("recorded")));
  const twice = JSON.stringify([{ urn: "urn:twice", baseUrl: api.url }]);
  expect(await imports(exported(), twice)).toEqual(refusal("urn:twice"));
  expect(await imports(exported(), UNKNOWN)).toEqual([]);
});

it("goes on without the state, and warns once, if it cannot be read", async () => {
  const { check } = startFor(() => {
    throw new Error("The backend is away.");
  });
  // The replacement of a webhook by its own import would be refused.
  for (const id of ["a", "b"]) expect(await check(id, {}, { import: id })).toEqual([]);
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
  const { provider } = startFor(() => exported([webhook("orders")]));
  await provider.check(news, passed());
  expect(await provider.diff(id, { ...outputs, __provider }, news)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, news)).toEqual({ outs: { ...outputs, ...limit } });
  expect(await provider.diff(id, { ...outputs, ...limit, __provider }, news)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
});

it("adds the stored text to a webhook of the plugin without a request, unless a change is sent", async () => {
  const { id, outputs } = await create(orders);
  const { provider } = startFor(() => exported([webhook("orders")]));
  const { inputs = {} } = await provider.check(orders, passed());
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
