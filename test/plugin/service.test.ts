import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import type * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, it } from "vitest";
import { operations, useSimulator } from "../lifecycle/simulator.js";
import { detailsOf, errorOf, orders, Plugin } from "./plugin.js";

useSimulator();

it("sends nothing more after the engine has cancelled the run", async () => {
  const plugin = await Plugin.configured();
  await plugin.call("cancel");
  const { details, recorded } = await errorOf(plugin.create(orders));
  expect(details).toContain("This run is ending: no request was sent for this webhook.");
  expect(recorded).toBeUndefined();
  expect(operations()).toEqual([]);
});

it("sends the message of an error alone, also of one that nobody foresaw", async () => {
  const plugin = await Plugin.configured();
  const { details } = await errorOf(plugin.create({ url: 1 }));
  expect(details).not.toContain(" at ");
  expect(details.length).toBeGreaterThan(0);
});

it("replies to the engine that it accepts secrets, supports previews, and has its schema's version", async () => {
  const plugin = await Plugin.configured();
  const configured = await plugin.configure();
  expect([configured.getAcceptsecrets(), configured.getSupportspreview()]).toEqual([true, true]);
  const handshake = await plugin.call<messages.ProviderHandshakeResponse>("handshake");
  expect(handshake.getAcceptSecrets()).toBe(true);
  const schema = await plugin.call<messages.GetSchemaResponse>("getSchema");
  const info = await plugin.call<PluginInfo>("getPluginInfo");
  expect(JSON.parse(schema.getSchema()).version).toBe(info.getVersion());
});

it("leaves the comparison of settings to the engine, which replaces no provider and so no webhook", async () => {
  const plugin = await Plugin.start();
  expect(await detailsOf(plugin.call("diffConfig"))).toContain("does not implement the method diffConfig");
});
