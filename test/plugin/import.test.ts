import { expect, it } from "vitest";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import { api, operations, useSimulator } from "../lifecycle/simulator.js";
import { IN_DOUBT } from "../lifecycle/webhooks.js";
import { exported } from "../stack/exported.js";
import { detailsOf, ORDERS, orders, Plugin, urnOf } from "./plugin.js";

useSimulator();

const RECORD = { type: PLUGIN_TYPE, id: "1" };
const old = { url: "https://example.com/old", name: "Old", enabled: true };
const recordOf = (outputs: object, urn = ORDERS) => ({ ...RECORD, urn, outputs: { ...outputs } });

/** Imports webhook 1 as the engine does. @returns what it records. */
async function importOrders() {
  api.dashboard.create(old);
  const plugin = await Plugin.configured();
  const { id, outputs, inputs } = await plugin.read("1");
  expect({ id, inputs }).toEqual({ id: "1", inputs: {} });
  expect((await plugin.check(orders, { olds: inputs })).problems).toEqual([]);
  const same = { changes: false, replaces: [], details: {} };
  expect(await plugin.diff({ id, olds: outputs, oldInputs: inputs, news: orders })).toEqual(same);
  return outputs;
}

it("imports a webhook without a request, and sends it all fields in the next run, before a replacement", async () => {
  const olds = await importOrders();
  expect(olds).toEqual({ imported: true, baseUrl: api.url });
  expect(operations()).toEqual([]);
  const next = await Plugin.configured({ state: exported([recordOf(olds)]) });
  expect((await next.check(orders)).problems).toEqual([]);
  // Not a replacement, which the engine would make of a changed secret, nor details, of which replaceOnChanges would make one.
  const change = { id: "1", olds, oldInputs: {}, news: orders };
  expect(await next.diff(change)).toEqual({ changes: true, replaces: [], details: undefined });
  expect(await next.update(change)).toMatchObject(orders);
  expect(api.webhooks).toMatchObject([{ id: "1", url: orders.url, name: "Orders", enabled: true }]);
});

it("requires the fields that the next update sends, instead of defaults", async () => {
  const olds = await importOrders();
  const importing = await Plugin.configured();
  await importing.read("1");
  for (const plugin of [importing, await Plugin.configured({ state: exported([recordOf(olds)]) })]) {
    const { inputs, problems } = await plugin.check({ url: orders.url });
    expect(problems).toEqual([]);
    const details = await detailsOf(plugin.diff({ id: "1", olds, oldInputs: {}, news: inputs }));
    expect(details).toContain("Webhook 1 was imported, and the program does not set name and enabled");
  }
});

it.each([
  ["none", {}, {}],
  ["those of the probe", { drift: "probe" }, { name: "Old", enabled: true }],
])(
  "imports by the command pulumi import, which passes the inputs that were read: %s",
  async (_, settings, inputs) => {
    api.dashboard.create(old);
    const plugin = await Plugin.configured({ settings });
    const read = await plugin.read("1");
    expect(read.inputs).toEqual(inputs);
    expect(await plugin.check(inputs, { olds: inputs })).toEqual({ inputs, problems: [] });
    const change = { id: "1", olds: read.outputs, oldInputs: inputs, news: inputs };
    expect(await plugin.diff(change)).toMatchObject({ changes: false });
  },
);

it("does not read a webhook by its id under the name of one that the stack manages", async () => {
  const plugin = await Plugin.configured({
    state: exported([recordOf({ ...orders, baseUrl: api.url })]),
    settings: { drift: "probe" },
  });
  const got = { outputs: {}, inputs: {} };
  expect(await detailsOf(plugin.read("1", got))).toContain(
    "the stack manages a webhook under the name orders",
  );
  const doubt = { outputs: { url: orders.url }, inputs: {} };
  expect(await plugin.read(IN_DOUBT, doubt), "an unresolved record").toMatchObject({
    id: IN_DOUBT,
    outputs: doubt.outputs,
  });
  expect(operations()).toEqual([]);
  api.dashboard.create({ name: "Someone's" });
  expect(await plugin.read("1", got, urnOf("other"))).toMatchObject({ id: "1" });
});

it("refuses a webhook that another resource has", async () => {
  const state = exported([recordOf({ baseUrl: api.url }, urnOf("other"))]);
  expect(await detailsOf((await Plugin.configured({ state })).read("1"))).toContain(
    `Webhook 1 belongs to another resource of this stack, ${urnOf("other")}.`,
  );
});
