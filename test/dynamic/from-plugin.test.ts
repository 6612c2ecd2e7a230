import { expect, it } from "vitest";
import { acceptFromPlugin } from "../../src/dynamic/from-plugin.js";
import { __provider, create, operations, orders, startProvider, useSimulator } from "../lifecycle/setup.js";

useSimulator();

function startAccepting() {
  const provider = startProvider();
  return acceptFromPlugin({
    diff: (id, olds, news) => provider.diff(id, olds, news),
    update: (id, olds, news) => provider.update(id, olds, news),
  });
}

const news = { ...orders, __provider };

it("adds the stored text to a webhook of the plugin without a request", async () => {
  const { id, outs } = await create(orders);
  const provider = startAccepting();
  expect(await provider.diff(id, outs, news)).toEqual({ changes: true });
  expect(await provider.update(id, outs, news)).toEqual({ outs });
  expect(await provider.diff(id, { ...outs, __provider }, news)).toEqual({ changes: false });
  expect(operations()).toEqual(["create"]);
});

it("sends what has changed, too", async () => {
  const { id, outs } = await create(orders);
  const changed = { ...news, name: "Refunds" };
  expect(await startAccepting().update(id, outs, changed)).toMatchObject({ outs: { name: "Refunds" } });
  expect(operations()).toEqual(["create", "update"]);
});
