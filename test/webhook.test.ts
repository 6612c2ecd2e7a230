import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Drift, Provider, type ProviderArgs, Webhook } from "../src/index.js";
import { declared, mockResources, resolved } from "./dynamic/program/program.js";

const url = "https://example.com/hooks";
const account = { apiKey: "key-canary", baseUrl: "https://api.example.com/v1" };

beforeEach(async () => {
  pulumi.runtime.setAllConfig({});
  await mockResources();
});

describe("Webhook", () => {
  it("declares a webhook and returns its outputs", async () => {
    const args = { url, name: "Orders", enabled: false };
    const { id, ...outputs } = new Webhook("orders", args);
    const shown = pulumi.all([id, outputs.url, outputs.name, outputs.enabled]);
    expect(await resolved(shown)).toEqual(["orders-id", url, "Orders", false]);
    const __provider = 'exports.handler = () => require("pulumi-webhooks/provider").provider';
    const type = "pulumi-nodejs:dynamic/webhooks:Webhook";
    expect(declared).toMatchObject([{ type, name: "orders", custom: true, inputs: { ...args, __provider } }]);
    expect(declared[0]?.inputs, "without an engine").not.toHaveProperty("__context");
  });

  it("defaults the name to the resource's logical name, and enables the webhook, also with what config.get returns", async () => {
    const config = new pulumi.Config();
    const undefineds = {
      name: config.get("name"),
      secret: config.getSecret("secret"),
      enabled: config.getBoolean("enabled"),
    };
    for (const args of [{}, undefineds]) {
      const webhook = new Webhook("orders", { url, ...args });
      expect(await resolved(webhook.name)).toBe("orders");
      expect(await resolved(webhook.enabled)).toBe(true);
      expect(declared.at(-1)?.inputs).not.toHaveProperty("secret");
    }
  });

  const timeouts = { customTimeouts: { create: "1h1m1.5s", update: "500ms" } };
  const plain = { name: pulumi.output("Plain"), url: pulumi.output(url) };
  const listed = { additionalSecretOutputs: ["url", "name", "enabled", "createdAt"] };
  // The API's messages may quote nothing of these.
  const secretName = { name: asSecret("Orders"), __secrets: ["name"] };
  const secretUrlAndName = {
    ...{ url: asSecret(url), name: asSecret("Orders"), enabled: asSecret(true) },
    __secrets: ["url", "name"],
  };

  it.each<[string, object, object, object, string[]?]>([
    ["import as an input, without defaults", {}, { import: "1" }, { url, import: "1" }, ["name", "enabled"]],
    ["customTimeouts in seconds", {}, timeouts, { __timeouts: { create: 3661.5, update: 0.5 } }],
    ["a secret alone as one", { secret: "canary" }, {}, { url, name: "orders", secret: asSecret("canary") }],
    ["no mark of plain outputs", plain, {}, { name: "Plain", url }, ["__secrets"]],
    ["the name of a secret", { name: pulumi.secret("Orders") }, {}, secretName],
    ["what additionalSecretOutputs lists, as secrets", { name: "Orders" }, listed, secretUrlAndName],
  ])("passes %s", async (_, args, options, inputs, absent = []) => {
    await resolved(new Webhook("orders", { url, ...args }, options).urn);
    expect(declared).toMatchObject([{ id: "", inputs }]);
    for (const name of absent) expect(declared[0]?.inputs).not.toHaveProperty(name);
  });

  it.each([
    ["deletedWith", new pulumi.ComponentResource("test:index:Group", "group"), "would leave this one there"],
    ["id", "4711", "The API has no read operation"],
    ["replaceOnChanges", ["url"], "Only the plugin"],
  ])("refuses the option %s", (option, value, reason) => {
    const declare = () => new Webhook("orders", { url }, { [option]: value });
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(`Webhook orders: remove the option ${option}. `);
    expect(declare).toThrow(reason);
  });

  it("recognizes its instances, those of another copy of the package too", async () => {
    const webhook = new Webhook("orders", { url });
    vi.resetModules();
    const { Webhook: Copy } = await import("../src/index.js");
    expect(Copy).not.toBe(Webhook);
    expect(Copy.isInstance(webhook)).toBe(true);
    const eu = new Provider("eu", account);
    expect([eu, { url }, null].map((value) => Webhook.isInstance(value))).toEqual([false, false, false]);
    await Promise.all([resolved(webhook.urn), resolved(eu.urn)]);
  });
});

describe("Provider", () => {
  const inputs = {
    "webhooks:explicitProvider": "eu",
    "webhooks:apiKey": asSecret(account.apiKey),
    "webhooks:baseUrl": account.baseUrl,
  };
  const declareEu = async (args: Partial<ProviderArgs> = {}) => {
    await resolved(new Provider("eu", { ...account, ...args }).urn);
    expect(declared).toMatchObject([{ type: "pulumi:providers:pulumi-nodejs", name: "eu" }]);
    return declared[0]?.inputs;
  };

  it("passes its arguments as settings, else those of the stack's config that are not of the account, and the key as a secret", async () => {
    pulumi.runtime.setAllConfig({
      "webhooks:apiKey": "other-key",
      "webhooks:baseUrl": "https://other.example.com",
      "webhooks:maxConnections": "3",
      "webhooks:drift": "probe",
    });
    const args = { allowHttp: true, timeoutSeconds: 5, maxConnections: 2 };
    const previousBaseUrls = ["https://a.example.com", pulumi.output("https://b.example.com")];
    expect(await declareEu({ ...args, previousBaseUrls, deadlineSeconds: pulumi.output(60) })).toEqual({
      ...inputs,
      "webhooks:allowHttp": "true",
      "webhooks:previousBaseUrl": "https://a.example.com,https://b.example.com",
      "webhooks:timeoutSeconds": "5",
      "webhooks:deadlineSeconds": "60",
      "webhooks:maxConnections": "2",
      "webhooks:drift": "probe",
    });
  });

  it("takes undefined, and an Output of it, for an absent argument", async () => {
    const other = "https://other.example.com";
    pulumi.runtime.setAllConfig({ "webhooks:timeoutSeconds": "7", "webhooks:previousBaseUrl": other });
    const config = new pulumi.Config();
    const drift: Drift | undefined = config.get<Drift>("drift");
    const absent = pulumi.output(undefined);
    const args: Partial<ProviderArgs> = { drift, previousBaseUrls: absent, unknownIdStatus: absent };
    const expected = { ...inputs, "webhooks:timeoutSeconds": "7" };
    expect(await declareEu({ ...args, timeoutSeconds: absent, allowHttp: absent })).toEqual(expected);
  });

  it.each([
    ["baseUrl", { apiKey: account.apiKey }],
    ["apiKey", {}],
  ])("refuses to be declared without %s", (missing, args) => {
    pulumi.runtime.setAllConfig({ "webhooks:apiKey": "other-key", "webhooks:baseUrl": account.baseUrl });
    // As a JavaScript program could do it.
    const declare = () => Reflect.construct(Provider, ["eu", args]);
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(
      `The Provider eu of pulumi-webhooks requires both apiKey and baseUrl; ${missing} is missing.`,
    );
    expect(declared).toEqual([]);
  });
});

/** Returns a secret as the engine receives it: with Pulumi's own signature. */
function asSecret(value: unknown) {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}
