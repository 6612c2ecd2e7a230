import { expect, it } from "vitest";
import { api, operations, warnings } from "../lifecycle/setup.js";
import { errorOf, ORDERS, orders, Plugin, toSecret, urnOf, usePlugin } from "./plugin.js";

usePlugin();

const TYPE = "webhooks:index:Webhook";

/** Imports webhook 1 as the engine does, and returns what it records: no inputs. */
async function importOrders(): Promise<Record<string, unknown>> {
  api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  const plugin = await Plugin.configured();
  const { id, outputs, inputs } = await plugin.read("1");
  expect({ id, inputs }).toEqual({ id: "1", inputs: {} });
  expect((await plugin.check(orders)).problems).toEqual([]);
  expect(await plugin.diff({ id, olds: outputs, oldInputs: {}, news: orders })).toMatchObject({
    changes: false,
  });
  expect(operations()).toEqual([]);
  return outputs;
}

it("imports a webhook without a request, and confirms it with all fields in the next run", async () => {
  const outputs = await importOrders();
  expect(outputs).toEqual({ unconfirmed: true, baseUrl: api.url });
  expect(warnings).toEqual([expect.stringContaining("Webhook 1 is imported without a request")]);
  const record = { urn: ORDERS, type: TYPE, id: "1", outputs };
  const next = await Plugin.configured({ resources: [record] });
  expect((await next.check(orders)).problems).toEqual([]);
  // Not a replacement, which the engine would make of a changed secret.
  const change = { id: "1", olds: outputs, oldInputs: {}, news: orders };
  expect(await next.diff(change)).toEqual({
    changes: true,
    replaces: [],
    details: { url: "add", name: "add", enabled: "add" },
  });
  expect(await next.update(change)).toMatchObject({ ...orders, adoptedAt: expect.any(String) });
  expect(api.webhooks).toMatchObject([{ id: "1", url: orders.url, name: "Orders", enabled: true }]);
});

it("requires url, name and enabled, which the next update sends", async () => {
  const plugin = await Plugin.configured();
  await plugin.read("1");
  expect((await plugin.check({ url: orders.url })).problems).toEqual([
    "name: is missing: the option import requires the name in the dashboard",
    "enabled: is missing: the option import requires true or false",
  ]);
  // The command pulumi import passes none.
  expect((await plugin.check({})).problems).toEqual([]);
});

it("says that there is no webhook with the id, when the update does not find it", async () => {
  const plugin = await Plugin.configured();
  const olds = { unconfirmed: true, baseUrl: api.url };
  const { details } = await errorOf(plugin.update({ id: "7", olds, news: orders }));
  expect(details).toContain("Importing webhook 7 (Orders) failed: the API has no webhook with this id.");
});

it("probes the webhook with webhooks:drift probe", async () => {
  api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  const plugin = await Plugin.configured({ settings: { drift: "probe" } });
  const { outputs } = await plugin.read("1");
  expect(outputs).toMatchObject({ enabled: false, unconfirmed: true });
  // The program may declare the name as a secret.
  expect(outputs).not.toHaveProperty("name");
  const { details } = await errorOf(plugin.read("7", undefined, urnOf("other")));
  expect(details).toContain("Importing webhook 7 failed: the API has no webhook with this id.");
});

it.each(["in-doubt:2026-01-01T00:00:00.000Z-abcd", "4 2"])("refuses the id %s", async (id) => {
  const plugin = await Plugin.configured();
  expect((await errorOf(plugin.read(id))).details).toContain("the id must be the webhook's id at the API");
});

it("refuses a webhook that another resource of the stack has, or imports in the same run", async () => {
  const record = { urn: urnOf("other"), type: TYPE, id: "1", outputs: { baseUrl: api.url } };
  const held = await Plugin.configured({ resources: [record] });
  expect((await errorOf(held.read("1"))).details).toContain(
    `webhook 1 belongs to another resource of this stack, ${urnOf("other")}.`,
  );
  const plugin = await Plugin.configured();
  await plugin.read("1");
  await plugin.check(orders);
  expect((await errorOf(plugin.read("1", undefined, urnOf("other")))).details).toContain(
    "Orders already manages this webhook. Remove one of the two resources.",
  );
});

it("refuses another webhook for a resource that has one, which the engine would replace", async () => {
  const record = { urn: ORDERS, type: TYPE, id: "1", outputs: { ...orders, baseUrl: api.url } };
  const plugin = await Plugin.configured({ resources: [record] });
  const { details } = await errorOf(plugin.read("99"));
  expect(details).toContain("The option import cannot turn webhook 1 into another webhook: it is 99.");
  expect(await plugin.read("1")).toMatchObject({ id: "1" });
});

it("requires name and enabled until an update has confirmed the import", async () => {
  const outputs = await importOrders();
  const plugin = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id: "1", outputs }] });
  expect((await plugin.check({ url: orders.url })).problems).toEqual([
    "name: is missing: the option import requires the name in the dashboard",
    "enabled: is missing: the option import requires true or false",
    expect.stringContaining(
      "declare url, name and enabled, and name none of them in the option ignoreChanges",
    ),
  ]);
  // With ignoreChanges the engine copies what the record has: nothing.
  expect((await plugin.check({})).problems).toContainEqual(expect.stringContaining("url: is missing"));
});

it("refuses to rename a webhook before an update has confirmed its import: defaults would overwrite its fields", async () => {
  const outputs = await importOrders();
  const plugin = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id: "1", outputs }] });
  const urn = urnOf("renamed");
  const { inputs } = await plugin.check({ url: orders.url }, { urn });
  const change = { id: "1", olds: outputs, oldInputs: {}, news: inputs, urn };
  expect((await errorOf(plugin.diff(change))).details).toContain(
    "Webhook 1 was renamed before its import was confirmed: undo the rename, and run pulumi up",
  );
});

it("says how to decide about a webhook in doubt if the one that was imported in its place does not exist", async () => {
  const outputs = { unconfirmed: true, baseUrl: api.url };
  const doubt = { ...orders, secret: undefined, baseUrl: api.url };
  const plugin = await Plugin.configured({
    resources: [
      { urn: ORDERS, type: TYPE, id: "7", outputs },
      { urn: ORDERS, type: TYPE, id: "in-doubt:2026-01-01T00:00:00.000Z-abcd", outputs: doubt, delete: true },
    ],
  });
  expect((await plugin.check(orders)).problems).toEqual([]);
  const change = { id: "7", olds: outputs, oldInputs: {}, news: orders };
  await plugin.diff(change);
  expect((await errorOf(plugin.update(change))).details).toContain(
    "If the dashboard does not show the webhook, remove the option and run npx pulumi-webhooks resolve.",
  );
});

it("refuses the webhook that the resource replaces while its replacement is in doubt", async () => {
  const outputs = { ...orders, baseUrl: api.url };
  const plugin = await Plugin.configured({
    resources: [
      { urn: ORDERS, type: TYPE, id: "in-doubt:2026-01-01T00:00:00.000Z-abcd", outputs },
      { urn: ORDERS, type: TYPE, id: "1", outputs, delete: true },
    ],
  });
  expect((await errorOf(plugin.read("1"))).details).toContain(
    "Importing webhook 1 failed: import: the program imports the webhook that it replaces.",
  );
});

it("deletes the replaced webhook only after an update has confirmed the import in place of its replacement in doubt", async () => {
  const id = "in-doubt:2026-01-01T00:00:00.000Z-abcd";
  const outputs = { ...orders, baseUrl: api.url };
  const old = { ...outputs, secret: toSecret("whsec-canary-earlier") };
  for (const name of ["Old", "Orders"]) api.dashboard.create({ url: orders.url, name, enabled: true });
  const resources = [
    { urn: ORDERS, type: TYPE, id, outputs },
    { urn: ORDERS, type: TYPE, id: "1", outputs: old, delete: true },
  ];
  const wrong = await Plugin.configured({ resources });
  await wrong.read("99");
  await wrong.check(orders);
  for (const deleting of [wrong.delete("1", old), wrong.delete(id, outputs)]) {
    expect((await errorOf(deleting)).details).toContain("Importing webhook 99 (Orders) failed");
  }
  expect(api.webhooks).toHaveLength(2);

  const plugin = await Plugin.configured({ resources });
  await plugin.read("2");
  await plugin.check(orders);
  api.clearCalls();
  await Promise.all([plugin.delete("1", old), plugin.delete(id, outputs)]);
  expect(operations()).toEqual(["update", "delete"]);
  expect(api.webhooks).toMatchObject([{ id: "2" }]);
});

it("does not import in place of a webhook in doubt that was sent with another secret", async () => {
  const id = "in-doubt:2026-01-01T00:00:00.000Z-abcd";
  api.dashboard.create({ url: orders.url, name: "Orders", enabled: true });
  const outputs = { ...orders, secret: toSecret("whsec-canary-earlier"), baseUrl: api.url };
  const plugin = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id, outputs }] });
  await plugin.read("1");
  await plugin.check(orders);
  expect((await errorOf(plugin.delete(id, outputs))).details).toContain("its create sent a different secret");
  expect(operations()).toEqual([]);
});

it("refuses to confirm an import if another resource of the stack has the webhook by now", async () => {
  const outputs = await importOrders();
  const plugin = await Plugin.configured({
    resources: [
      { urn: ORDERS, type: TYPE, id: "1", outputs },
      { urn: urnOf("other"), type: TYPE, id: "1", outputs: { ...orders, baseUrl: api.url } },
    ],
  });
  expect((await plugin.check(orders)).problems).toEqual([
    `Webhook 1 belongs to another resource of this stack, too: ${urnOf("other")}. Two resources cannot own one webhook. Remove one of the two from the program, then run pulumi state delete with its URN: no request is sent.`,
  ]);
});

it("replaces no webhook that nothing has confirmed", async () => {
  const outputs = await importOrders();
  const plugin = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id: "1", outputs }] });
  await plugin.check(orders);
  expect((await errorOf(plugin.create(orders))).details).toContain(
    "Replacing webhook 1 (Orders) failed: it was imported, and no update has confirmed",
  );
  expect(operations()).toEqual([]);
});

it("deletes no webhook without a resource in the run of an import, which may replace it under a new name", async () => {
  const outputs = { ...orders, secret: undefined, baseUrl: api.url };
  const record = { urn: urnOf("former"), type: TYPE, id: "1", outputs };
  const plugin = await Plugin.configured({ resources: [record] });
  await plugin.read("99");
  await plugin.check(orders);
  expect((await errorOf(plugin.delete("1", { ...orders, baseUrl: api.url }))).details).toContain(
    "It may be the one that replaces this one. If this webhook has to stay, declare it again.",
  );
  expect(operations()).toEqual([]);
});

it("deletes no webhook that nothing has confirmed, and sends nothing to another account", async () => {
  const outputs = await importOrders();
  const plugin = await Plugin.configured();
  expect((await errorOf(plugin.delete("1", outputs))).details).toContain(
    "Deleting webhook 1 failed: it was imported",
  );
  const olds = { ...outputs, baseUrl: "https://eu.example.com" };
  for (const failed of [
    plugin.diff({ id: "1", olds, news: orders }),
    plugin.update({ id: "1", olds, news: orders }),
  ]) {
    expect((await errorOf(failed)).details).toContain(
      "was created at https://eu.example.com, but webhooks:baseUrl is",
    );
  }
  expect(operations()).toEqual([]);
  expect(await plugin.read("1", { outputs, inputs: {} })).toEqual({ id: "1", outputs, inputs: {} });
});

it("drops an import that nothing has confirmed once another id is imported in its place, and sends nothing", async () => {
  const outputs = { unconfirmed: true, baseUrl: api.url };
  const wrong = { urn: ORDERS, type: TYPE, id: "7", outputs };
  const correcting = await Plugin.configured({ resources: [wrong] });
  const imported = await correcting.read("1");
  await correcting.check(orders);
  await correcting.diff({ id: "1", olds: imported.outputs, oldInputs: {}, news: orders });
  await correcting.delete("7", outputs);
  expect(warnings.at(-1)).toBe(
    "Webhook 7 was not deleted: it was imported, and no update has confirmed that it is the declared one. Only its entry left the state. If you do not need it, delete it in the dashboard.",
  );
  // An up that failed left the entry.
  const found = { ...wrong, id: "1" };
  const next = await Plugin.configured({ resources: [found, { ...wrong, delete: true }] });
  await next.check(orders);
  await next.diff({ id: "1", olds: outputs, oldInputs: {}, news: orders });
  await next.delete("7", outputs);
  expect((await errorOf(next.delete("8", outputs))).details).toContain("it was imported");
  expect(operations()).toEqual([]);
});

it("drops a webhook in doubt when a person has found and imported it, and an update has confirmed that", async () => {
  const id = "in-doubt:2026-01-01T00:00:00.000Z-abcd";
  api.dashboard.create({ url: orders.url, name: "Orders", enabled: true });
  const outputs = { ...orders, baseUrl: api.url };
  const plugin = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id, outputs }] });
  const imported = await plugin.read("1");
  await plugin.check(orders);
  await plugin.diff({ id: "1", olds: imported.outputs, oldInputs: {}, news: orders });
  await plugin.delete(id, outputs);
  expect(operations()).toEqual(["update"]);

  const next = await Plugin.configured({ resources: [{ urn: ORDERS, type: TYPE, id, outputs }] });
  await next.read("99");
  await next.check(orders);
  expect((await errorOf(next.delete(id, outputs))).details).toContain(
    "Importing webhook 99 (Orders) failed: the API has no webhook with this id.",
  );
});

it("reads a webhook that the program only reads with the probe alone", async () => {
  api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  // The engine passes the program's arguments as properties: none.
  const nothing = { outputs: {}, inputs: {} };
  const off = await Plugin.configured();
  expect((await errorOf(off.read("1", nothing))).details).toContain("webhooks:drift");
  const probing = await Plugin.configured({ settings: { drift: "probe" } });
  expect((await probing.read("1", nothing)).outputs).toMatchObject({ name: "Old", enabled: false });
});
