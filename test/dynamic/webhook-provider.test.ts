import { expect, it } from "vitest";
import { toSecret } from "../../src/engine/secret.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import type { Properties } from "../../src/lifecycle/run.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { KEY, SECRET_NAME, SECRET_URL, writeDeclared } from "../../src/stack/hidden-properties.js";
import { create, failureOf } from "../lifecycle/runs.js";
import { api, loseReply, operations, reply, useSimulator } from "../lifecycle/simulator.js";
import { ENTERED, orders, PASTS, SECRET, withSecret } from "../lifecycle/webhooks.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

/** Returns inputs as the program passes them to check. */
const passed = (declared: Partial<Declared> = {}, holder?: string) => ({
  __provider,
  ...orders,
  [KEY]: writeDeclared({ key: "k3J9x2Qa", given: ["url"], past: PASTS.known, ...declared }, holder),
});
/** Returns the error that a promise rejects with, as the SDK reads it to record the resource. */
const recordedOf = (
  promise: Promise<unknown>,
): Promise<Error & { properties?: Properties; reasons?: string[] }> => failureOf(promise);

it("returns the resource's key alone, which the engine records and passes to the other operations", async () => {
  const inputs = { ...orders, [KEY]: "k3J9x2Qa" };
  const news = passed({ ignored: ["name"] });
  expect(await startProvider().check(orders, news)).toEqual({ inputs, failures: [] });
  // With ignoreChanges, the engine copies a recorded key, which may be that of an earlier name.
  expect(await startProvider().check(orders, inputs)).toEqual({ inputs: orders, failures: [] });
});

it("fails in check while the gate is closed, before all other problems, and names no property", async () => {
  const news = { ...passed({ gate: "The gate is closed.", past: PASTS.new }), url: "nowhere" };
  const { failures } = await startProvider({ "webhooks:apiKey": "" }).check({}, news);
  expect(failures).toEqual([
    { property: "", reason: "The gate is closed." },
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing/) },
  ]);
});

it("refuses to import another resource's webhook, also if a preview knows it only now", async () => {
  const importing = (holder: string) => ({ ...passed({ past: PASTS.new }, holder), import: "1" });
  const { failures } = await startProvider().check({}, importing("urn:legacy"));
  expect(failures).toMatchObject([{ reason: expect.stringContaining("urn:legacy") }]);
  expect((await startProvider().check({}, importing(UNKNOWN))).failures).toEqual([]);
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
  const properties = { __provider, ...orders, unconfirmed: true };
  expect(created).toMatchObject({ id: "7", properties, reasons: [created.message] });
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
  const secrets = { url: toSecret(orders.url), name: toSecret(orders.name) };
  expect(failure.properties).toEqual({ ...outputs, ...secrets, unconfirmed: true });
});

it("throws an error that the SDK prints as a short line", async () => {
  const refused = startProvider().delete("1", { ...orders, ...ENTERED, baseUrl: api.url });
  expect((await failureOf(refused)).stack).not.toMatch(/\n\s+at /);
});

it("knows what a webhook of earlier versions is without a key, and a webhook of the plugin", async () => {
  const { outputs } = await create();
  await startProvider().delete("1", outputs);
  expect(await startProvider().diff("1", outputs, { __provider, ...withSecret })).toEqual({ changes: false });
  expect(api.webhooks).toEqual([]);
});
