import { expect, it } from "vitest";
import { DECLARED } from "../../../src/record/properties.js";
import { create } from "../../lifecycle/runs.js";
import { api, operations, useSimulator } from "../../lifecycle/simulator.js";
import { ORDERS, orders, PASTS } from "../../lifecycle/webhooks.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

/** Declares a webhook that the plugin has created. */
async function declareOfPlugin() {
  const { id, outputs } = await create(orders);
  const provider = startProvider();
  const declared = { urn: ORDERS, given: Object.keys(orders), past: PASTS.known };
  const news = { ...orders, __provider, [DECLARED]: JSON.stringify(declared) };
  const { inputs = {} } = await provider.check(orders, news);
  return { id, outputs, provider, inputs };
}

it("adds the stored text to a webhook of the plugin without a request", async () => {
  const { id, outputs, provider, inputs } = await declareOfPlugin();
  expect(await provider.diff(id, outputs, inputs)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, inputs)).toEqual({ outs: outputs });
  expect(await provider.diff(id, { ...outputs, __provider }, inputs)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
});

it("sends what has changed, too", async () => {
  const { id, outputs, provider, inputs } = await declareOfPlugin();
  const changed = { ...inputs, name: "Refunds" };
  const replaced = { changes: true, replaces: ["secret"] };
  expect(await provider.diff(id, outputs, { ...changed, secret: "new" })).toEqual(replaced);
  await provider.diff(id, outputs, inputs);
  await provider.diff(id, outputs, changed);
  expect(await provider.update(id, outputs, changed)).toMatchObject({ outs: { name: "Refunds" } });
  expect(api.webhooks).toMatchObject([{ name: "Refunds" }]);
});
