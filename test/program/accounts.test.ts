import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, it } from "vitest";
import { Accounts } from "../../src/program/accounts.js";

afterEach(() => pulumi.runtime.setAllConfig({}));

const baseUrl = "https://api.example.com";
const provider = (): pulumi.ProviderResource => Object.create(null);

it("knows the names of the explicit Providers, and counts their base URLs as secrets unless they are texts", () => {
  const [accounts, eu, us] = [new Accounts(), provider(), provider()];
  accounts.add(eu, { name: "eu", baseUrl });
  accounts.add(us, { name: "us", baseUrl: pulumi.output(baseUrl) });
  expect([eu, us, provider(), undefined].map((one) => accounts.nameOf(one))).toEqual([
    "eu",
    "us",
    undefined,
    undefined,
  ]);
  expect([eu, us].map((one) => accounts.hasSecretBaseUrl(one))).toEqual([false, true]);
});

it.each([
  [[], false],
  [["webhooks:baseUrl"], true],
])("asks the stack's config, with the secrets %j, about the default Provider", (secrets, isSecret) => {
  pulumi.runtime.setAllConfig({ "webhooks:baseUrl": baseUrl }, secrets);
  expect(new Accounts().hasSecretBaseUrl(undefined)).toBe(isSecret);
});
