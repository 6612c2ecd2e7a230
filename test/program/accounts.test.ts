import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Accounts } from "../../src/program/accounts.js";
import { resolved } from "./program.js";

const baseUrl = "https://api.example.com";

afterEach(() => {
  pulumi.runtime.setAllConfig({});
  vi.unstubAllEnvs();
});

/** The accounts of a program that declares the Providers eu and us. */
function accountsWith(eu: pulumi.Input<string | undefined>, us: pulumi.Input<string | undefined>): Accounts {
  const accounts = new Accounts();
  for (const [name, apiKey] of Object.entries({ eu, us })) {
    accounts.add(Object.create(null), name, { apiKey, baseUrl });
  }
  return accounts;
}

describe("two Providers have different keys", () => {
  it.each<[boolean, string, pulumi.Input<string | undefined>, pulumi.Input<string | undefined>]>([
    [true, "they do", "one", "two"],
    [false, "they have the same one", "one", "one"],
    [true, "their keys are secrets or promises", pulumi.secret("one"), Promise.resolve("two")],
    [false, "a key is undefined", "one", pulumi.output(undefined)],
  ])("is %s if %s", async (expected, _, eu, us) => {
    const differ = accountsWith(eu, us).haveDifferentKeys("eu", "us");
    expect(await resolved(differ)).toBe(expected);
    // Or the check of a webhook would get all that the program passes as a secret.
    expect(await pulumi.isSecret(differ)).toBe(false);
  });

  it("is false for one Provider, and for one that the program does not declare any more", async () => {
    const accounts = accountsWith("one", "two");
    expect(await resolved(accounts.haveDifferentKeys("eu", "eu"))).toBe(false);
    expect(await resolved(accounts.haveDifferentKeys(undefined, undefined))).toBe(false);
    expect(await resolved(accounts.haveDifferentKeys("eu", "gone"))).toBe(false);
  });

  it("compares the default Provider's key, from the stack's config or the environment", async () => {
    const accounts = accountsWith("one", "two");
    const differ = (name: string) => resolved(accounts.haveDifferentKeys(undefined, name));
    vi.stubEnv("WEBHOOKS_API_KEY", undefined);
    expect(await differ("eu")).toBe(false);
    vi.stubEnv("WEBHOOKS_API_KEY", "two");
    expect([await differ("eu"), await differ("us")]).toEqual([true, false]);
    pulumi.runtime.setAllConfig({ "webhooks:apiKey": "one" });
    expect([await differ("eu"), await differ("us")]).toEqual([false, true]);
  });
});
