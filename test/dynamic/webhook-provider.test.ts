import { expect, it } from "vitest";
import type { Properties } from "../../src/lifecycle/run.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { KEY, SECRET_NAME, SECRET_URL, writeDeclared } from "../../src/stack/hidden-properties.js";
import { create, failureOf } from "../lifecycle/runs.js";
import { api, loseReply, operations, reply, useSimulator } from "../lifecycle/simulator.js";
import { ENTERED, IMPORTED, orders, PASTS, SECRET, withSecret } from "../lifecycle/webhooks.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

/** Returns inputs as the program passes them to check. */
const passed = (declared: Partial<Declared> = {}, holder?: string) => ({
  __provider,
  ...orders,
  [KEY]: writeDeclared({ key: "k3J9x2Qa", given: ["url"], past: PASTS.known, ...declared }, holder),
});
/** A secret, as the SDK marks it for the engine. */
const asSecret = (value: string) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});
/** Returns the error that a promise rejects with, as the SDK reads it to record the resource. */
const recordedOf = (
  promise: Promise<unknown>,
): Promise<Error & { properties?: Properties; reasons?: string[] }> => failureOf(promise);

it("returns the resource's key alone, which the engine records and passes to the other operations", async () => {
  expect(await startProvider().check(orders, passed({ ignored: ["name"] }))).toEqual({
    inputs: { ...orders, [KEY]: "k3J9x2Qa" },
    failures: [],
  });
});

it("drops a recorded key, which ignoreChanges copies to the inputs and which may be an earlier name's", async () => {
  const copied = { __provider, ...orders, [KEY]: "k3J9x2Qa" };
  expect(await startProvider().check(orders, copied)).toEqual({ inputs: orders, failures: [] });
});

it("fails in check while the gate is closed, before all other problems, and names no property", async () => {
  const { failures } = await startProvider({ "webhooks:apiKey": "" }).check(
    {},
    { ...passed({ gate: "The gate is closed.", past: PASTS.new }), url: "nowhere" },
  );
  expect(failures).toEqual([
    { property: "", reason: "The gate is closed." },
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing/) },
  ]);
});

it("refuses to import another resource's webhook, also if a preview knows it only now", async () => {
  const { failures } = await startProvider().check(
    {},
    { ...passed({ past: PASTS.new }, "urn:legacy"), import: "1" },
  );
  expect(failures).toMatchObject([{ reason: expect.stringContaining("urn:legacy") }]);
  const unknown = { ...passed({ past: PASTS.new }, "04da6b54-80e4-46f7-96ec-b56ff0331ba9"), import: "1" };
  expect((await startProvider().check({}, unknown)).failures).toEqual([]);
});

it("remembers by the key what a run did: two equal webhooks are two", async () => {
  const provider = startProvider();
  const inputs = (key: string) => ({ __provider, ...orders, [KEY]: key });
  loseReply();
  const doubt = await failureOf(provider.create(inputs("first")));
  expect((await failureOf(provider.create(inputs("first")))).id).toBe(doubt.id);
  expect(await provider.create(inputs("second"))).toEqual({ id: "2", outs: expect.objectContaining(orders) });
  expect(operations()).toEqual(["create", "create"]);
});

it("returns outputs in the SDK's words: of an update, a read, drift, and a webhook that is gone", async () => {
  const { id, outputs } = await create();
  const other = await create();
  api.behavior.emptyUpdate = "leaves updated_at";
  const provider = startProvider({ "webhooks:drift": "probe" });
  expect(await provider.diff(id, outputs, { ...withSecret, [KEY]: "a" })).toEqual({ changes: false });
  const { outs = {} } = await provider.update(id, outputs, { ...withSecret, [KEY]: "a" });
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
  reply({ id: 7, enabled: "false" }, "create");
  const created = await recordedOf(startProvider().create({ __provider, ...orders, [KEY]: "a" }));
  expect(created).toMatchObject({
    id: "7",
    properties: { __provider, ...orders, unconfirmed: true },
    reasons: [created.message],
  });
  const { id, outputs } = await create();
  reply({ id: 2, enabled: "false" }, "update");
  const updated = await recordedOf(startProvider().update(id, outputs, { __provider, ...withSecret }));
  expect(updated.properties).toEqual({ ...outputs, __provider, unconfirmed: true });
  const refused = await recordedOf(startProvider().update("9", outputs, { __provider, ...withSecret }));
  expect(refused).not.toHaveProperty("properties");
});

it("keeps a url and a name secret in the record of a failed update, if they are plain now", async () => {
  const { id, outputs } = await create({ ...withSecret, [SECRET_URL]: true, [SECRET_NAME]: true });
  reply({ id: 1, enabled: "false" }, "update");
  const news = { ...orders, url: "https://example.com/plain", name: "Plain", secret: SECRET };
  const failure = await recordedOf(startProvider().update(id, outputs, news));
  expect(failure.properties).toEqual({
    ...outputs,
    url: asSecret(orders.url),
    name: asSecret(orders.name),
    unconfirmed: true,
  });
});

it("throws an error that the SDK prints as a short line", async () => {
  const { stack = "" } = await failureOf(
    startProvider().delete("1", { ...orders, ...ENTERED, baseUrl: api.url }),
  );
  expect(stack).not.toMatch(/\n\s+at /);
});

it("knows what a webhook of earlier versions is without a key, and a webhook of the plugin", async () => {
  const { outputs } = await create();
  await startProvider().delete("1", { ...IMPORTED, baseUrl: api.url });
  expect(await startProvider().diff("1", outputs, { __provider, ...withSecret })).toEqual({ changes: false });
  expect(api.webhooks).toEqual([]);
});
