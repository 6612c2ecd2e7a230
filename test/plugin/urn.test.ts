import { expect, it } from "vitest";
import { stackOf, toDynamicUrn } from "../../src/plugin/urn.js";

it("reads the stack and the project of a URN", () => {
  const urn = "urn:pulumi:dev::shop::pulumi:providers:webhooks::default_0_1_0";
  expect(stackOf(urn)).toEqual({ stack: "dev", project: "shop" });
});

it.each([
  ["webhooks:index:Webhook::orders", "pulumi-nodejs:dynamic/webhooks:Webhook::orders"],
  ["webhooks:index:Webhook::a::b", "pulumi-nodejs:dynamic/webhooks:Webhook::a::b"],
  [
    "shop:index:Team$webhooks:index:Webhook::orders",
    "shop:index:Team$pulumi-nodejs:dynamic/webhooks:Webhook::orders",
  ],
])("returns the URN that %s had with the dynamic provider", (resource, dynamic) => {
  expect(toDynamicUrn(`urn:pulumi:dev::shop::${resource}`)).toBe(`urn:pulumi:dev::shop::${dynamic}`);
});
