import { expect, it } from "vitest";
import { stackOf, toDynamicUrns } from "../../src/plugin/urn.js";

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
  [
    "webhooks:index:Webhook$webhooks:index:Webhook::child",
    "webhooks:index:Webhook$pulumi-nodejs:dynamic/webhooks:Webhook::child",
    "pulumi-nodejs:dynamic/webhooks:Webhook$pulumi-nodejs:dynamic/webhooks:Webhook::child",
  ],
])("returns the URNs that %s may have had with the dynamic provider", (resource, ...dynamic) => {
  const earlier = dynamic.map((one) => `urn:pulumi:dev::shop::${one}`);
  expect(toDynamicUrns(`urn:pulumi:dev::shop::${resource}`)).toEqual(earlier);
});
