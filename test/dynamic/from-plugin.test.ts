import { expect, it } from "vitest";
import { acceptFromPlugin } from "../../src/dynamic/from-plugin.js";
import { create } from "../lifecycle/runs.js";
import { api, operations, useSimulator } from "../lifecycle/simulator.js";
import { orders } from "../lifecycle/webhooks.js";
import { __provider, startProvider } from "./provider.js";

useSimulator();

const startAccepting = () => {
  const provider = startProvider();
  return acceptFromPlugin({
    diff: (id, olds, news) => provider.diff(id, olds, news),
    update: (id, olds, news) => provider.update(id, olds, news),
  });
};
const news = { ...orders, __provider };

it("adds the stored text to a webhook of the plugin without a request", async () => {
  const { id, outputs } = await create(orders);
  const provider = startAccepting();
  expect(await provider.diff(id, outputs, news)).toEqual({ changes: true });
  expect(await provider.update(id, outputs, news)).toEqual({ outs: outputs });
  expect(await provider.diff(id, { ...outputs, __provider }, news)).toEqual({ changes: false });
  expect(operations()).toEqual([]);
});

it("sends what has changed, too", async () => {
  const { id, outputs } = await create(orders);
  const changed = { ...news, name: "Refunds" };
  expect(await startAccepting().diff(id, outputs, { ...changed, secret: "new" })).toEqual({
    changes: true,
    replaces: ["secret"],
  });
  expect(await startAccepting().update(id, outputs, changed)).toMatchObject({ outs: { name: "Refunds" } });
  expect(api.webhooks).toMatchObject([{ name: "Refunds" }]);
});
