import { expect, it } from "vitest";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import { api, operations, useSimulator } from "../lifecycle/simulator.js";
import { IN_DOUBT, seen } from "../lifecycle/webhooks.js";
import { exported } from "../stack/exported.js";
import { detailsOf, ORDERS, orders, Plugin, urnOf } from "./plugin.js";

useSimulator();

const recordOf = (outputs: object) => ({ type: PLUGIN_TYPE, id: "1", urn: ORDERS, outputs: { ...outputs } });

// Up to Pulumi 3.259, the engine passes no properties, then empty ones.
it.each([
  ["no properties", undefined],
  ["empty ones", { outputs: {}, inputs: {} }],
])("imports a webhook without a request, by %s", async (_, passed) => {
  const { outputs } = await (await Plugin.configured()).read("1", passed);
  expect(outputs).toEqual({ imported: true, baseUrl: api.url, ...seen() });
  expect(operations()).toEqual([]);
});

it("reads no webhook that has no record, and imports none that another resource has", async () => {
  const state = exported([recordOf({ ...orders, baseUrl: api.url })]);
  const plugin = await Plugin.configured({ state, settings: { drift: "probe" } });
  const got = plugin.read("1", { outputs: { url: orders.url }, inputs: {} });
  expect(await detailsOf(got)).toMatch(/^Reading webhook 1 failed: the API has no read operation\. Declare/);
  const exists = plugin.read("1", { outputs: {}, inputs: {} }, urnOf("__exists__1"));
  expect(await detailsOf(exists)).toContain("the API has no read operation");
  expect(await detailsOf(plugin.read("1", undefined, urnOf("other")))).toContain(ORDERS);
  // An unresolved record of an earlier version.
  const unresolved = { id: IN_DOUBT, outputs: { url: orders.url }, inputs: {} };
  expect(await plugin.read(IN_DOUBT, unresolved)).toEqual(unresolved);
  expect(operations()).toEqual([]);
});
