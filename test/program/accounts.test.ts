import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, it } from "vitest";
import { Accounts } from "../../src/program/accounts.js";

afterEach(() => pulumi.runtime.setAllConfig({}));

const provider = (): pulumi.ProviderResource => Object.create(null);
const baseUrl = "https://api.example.com";

it("knows the names of the explicit Providers, and that the default one has none", () => {
  const accounts = new Accounts();
  const eu = provider();
  accounts.add(eu, { name: "eu", baseUrl });
  expect([eu, provider(), undefined].map((one) => accounts.nameOf(one))).toEqual([
    "eu",
    undefined,
    undefined,
  ]);
});

it("counts the base URL of a Provider as a secret unless it is a text", () => {
  const accounts = new Accounts();
  const [plain, output] = [provider(), provider()];
  accounts.add(plain, { name: "plain", baseUrl });
  accounts.add(output, { name: "output", baseUrl: pulumi.output(baseUrl) });
  expect([plain, output].map((one) => accounts.hasSecretBaseUrl(one))).toEqual([false, true]);
});

it("asks the stack's config whether that of the default Provider is a secret", () => {
  const accounts = new Accounts();
  pulumi.runtime.setAllConfig({ "webhooks:baseUrl": baseUrl });
  expect(accounts.hasSecretBaseUrl(undefined)).toBe(false);
  pulumi.runtime.setAllConfig({ "webhooks:baseUrl": baseUrl }, ["webhooks:baseUrl"]);
  expect(accounts.hasSecretBaseUrl(undefined)).toBe(true);
});
