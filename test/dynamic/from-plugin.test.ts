import { expect, it } from "vitest";
import { acceptFromPlugin } from "../../src/dynamic/from-plugin.js";
import { DECLARED } from "../../src/stack/hidden-properties.js";
import { create } from "../lifecycle/runs.js";
import { api, operations, useSimulator, warnings } from "../lifecycle/simulator.js";
import { ORDERS, orders, PASTS } from "../lifecycle/webhooks.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

const accepting = (provider = startProvider()) =>
  acceptFromPlugin({
    diff: (id, olds, news) => provider.diff(id, olds, news),
    update: (id, olds, news) => provider.update(id, olds, news),
  });
const news = { ...orders, __provider };

it("adds the stored text to a webhook of the plugin without a request", async () => {
  const { id, outputs } = await create(orders);
  const provider = accepting();
  expect(await provider.diff(id, outputs, news)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, news)).toEqual({ outs: outputs });
  expect(await provider.diff(id, { ...outputs, __provider }, news)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
});

it("shows once what it sends to a webhook that the engine has imported", async () => {
  const { id } = await create(orders);
  const provider = startProvider();
  const declared = { urn: ORDERS, given: Object.keys(orders), past: PASTS.imported };
  const { inputs = {} } = await provider.check({}, { ...news, [DECLARED]: JSON.stringify(declared) });
  const { diff, update } = accepting(provider);
  const imported = { baseUrl: api.url, unconfirmed: true };
  await diff(id, imported, inputs);
  await update(id, imported, inputs);
  expect(warnings).toEqual([expect.stringContaining("Webhook 1 (Orders) was imported. pulumi up sends")]);
});

it("sends what has changed, too", async () => {
  const { id, outputs } = await create(orders);
  const changed = { ...news, name: "Refunds" };
  expect(await accepting().diff(id, outputs, { ...changed, secret: "new" })).toEqual({
    changes: true,
    replaces: ["secret"],
  });
  const provider = accepting();
  // An update that nothing was compared for sends all fields.
  expect(await provider.update(id, outputs, news)).toMatchObject({ outs: { name: "Orders" } });
  await provider.diff(id, outputs, news);
  await provider.diff(id, outputs, changed);
  expect(await provider.update(id, outputs, changed)).toMatchObject({ outs: { name: "Refunds" } });
  expect(api.webhooks).toMatchObject([{ name: "Refunds" }]);
});
