import * as pulumi from "@pulumi/pulumi";
import type { MockResourceArgs } from "@pulumi/pulumi/runtime/mocks.js";
import { beforeEach, describe, expect, it } from "vitest";
import { Provider, Webhook } from "../src/index.js";

const url = "https://example.com/hooks";
const account = { apiKey: "key-canary", baseUrl: "https://api.example.com/v1" };

/** What the program declared, as the engine would have got it. */
let declared: MockResourceArgs[];

beforeEach(async () => {
  declared = [];
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: (resource) => {
      declared.push(resource);
      return { id: `${resource.name}-id`, state: resource.inputs };
    },
  });
});

describe("a program under Pulumi's mocks", () => {
  it("declares a webhook, and reads what it is, without an engine", async () => {
    const webhook = new Webhook("orders", { url, name: "Orders", enabled: false });
    expect(await resolved(webhook.id)).toBe("orders-id");
    expect(await resolved(webhook.url)).toBe(url);
    expect(await resolved(webhook.name)).toBe("Orders");
    expect(await resolved(webhook.enabled)).toBe(false);
    expect(declared).toMatchObject([
      {
        type: "pulumi-nodejs:dynamic/webhooks:Webhook",
        name: "orders",
        custom: true,
        inputs: {
          url,
          name: "Orders",
          enabled: false,
          __provider: 'exports.handler = () => require("pulumi-webhooks/provider").provider',
        },
      },
    ]);
  });

  it("names a webhook after its resource where it gives no name", async () => {
    expect(await resolved(new Webhook("orders", { url }).name)).toBe("orders");
    expect(declared[0]?.inputs).not.toHaveProperty("enabled");
  });

  it("adopts by an input of the package, without the engine's import and without defaults", async () => {
    await resolved(new Webhook("legacy", { url }, { import: "4711" }).urn);
    expect(declared[0]?.inputs).toMatchObject({ url, import: "4711" });
    expect(declared[0]?.inputs).not.toHaveProperty("name");
    expect(declared[0]?.inputs).not.toHaveProperty("enabled");
    expect(declared[0]?.id).toBe("");
  });

  it("makes a plain secret a Pulumi secret, and nothing else", async () => {
    const webhook = new Webhook("orders", { url, secret: "whsec-canary" });
    await resolved(webhook.urn);
    expect(declared[0]?.inputs.secret).toEqual(asSecret("whsec-canary"));
    // Not among the declared outputs, but Pulumi sets it.
    expect(await pulumi.isSecret(Reflect.get(webhook, "secret"))).toBe(true);
    expect(await pulumi.isSecret(webhook.url)).toBe(false);
    expect(await pulumi.isSecret(webhook.name)).toBe(false);
  });

  it("gives a webhook the account that its option names", async () => {
    const eu = new Provider("eu", account);
    await resolved(new Webhook("orders", { url }, { provider: eu }).urn);
    const [urn, id] = await Promise.all([resolved(eu.urn), resolved(eu.id)]);
    expect(declared.at(-1)).toMatchObject({ name: "orders", provider: `${urn}::${id}` });
  });
});

describe("an account's Provider", () => {
  it("hands its arguments to the provider process as settings, the key as a secret", async () => {
    const eu = new Provider("eu", {
      ...account,
      allowHttp: true,
      previousBaseUrl: pulumi.output("https://old.example.com"),
      timeoutSeconds: 5,
      deadlineSeconds: pulumi.output(60),
      maxConnections: 2,
    });
    await resolved(eu.urn);
    expect(declared).toMatchObject([{ type: "pulumi:providers:pulumi-nodejs", name: "eu" }]);
    expect(declared[0]?.inputs).toEqual({
      "webhooks:explicitProvider": "eu",
      "webhooks:apiKey": asSecret(account.apiKey),
      "webhooks:baseUrl": account.baseUrl,
      "webhooks:allowHttp": "true",
      "webhooks:previousBaseUrl": "https://old.example.com",
      "webhooks:timeoutSeconds": "5",
      "webhooks:deadlineSeconds": "60",
      "webhooks:maxConnections": "2",
    });
  });

  it("takes from the stack's config how an account is reached, but never whose it is", async () => {
    pulumi.runtime.setAllConfig({
      "webhooks:apiKey": "other-key",
      "webhooks:baseUrl": "https://other.example.com",
      "webhooks:previousBaseUrl": "https://other.example.com/v0",
      "webhooks:allowHttp": "true",
      "webhooks:timeoutSeconds": "7",
      "webhooks:deadlineSeconds": "70",
      "webhooks:maxConnections": "3",
    });
    await resolved(new Provider("eu", { ...account, maxConnections: 2 }).urn);
    expect(declared[0]?.inputs).toEqual({
      "webhooks:explicitProvider": "eu",
      "webhooks:apiKey": asSecret(account.apiKey),
      "webhooks:baseUrl": account.baseUrl,
      "webhooks:allowHttp": "true",
      "webhooks:timeoutSeconds": "7",
      "webhooks:deadlineSeconds": "70",
      "webhooks:maxConnections": "2",
    });
  });

  it.each([
    ["baseUrl", { apiKey: account.apiKey }, "baseUrl is missing"],
    ["apiKey", { baseUrl: account.baseUrl }, "apiKey is missing"],
    ["both", {}, "apiKey and baseUrl is missing"],
  ])("cannot be declared without its account: %s", (_, args, problem) => {
    pulumi.runtime.setAllConfig({ "webhooks:apiKey": "other-key", "webhooks:baseUrl": account.baseUrl });
    // As a program in JavaScript may do it.
    const declare = () => Reflect.construct(Provider, ["eu", args]);
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(
      `Provider eu of pulumi-webhooks needs the arguments apiKey and baseUrl, both: ${problem}.`,
    );
    expect(declared).toEqual([]);
  });
});

/** The value of an output that the mocks have answered. */
function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

/** A secret as it travels to the engine: marked as one, with Pulumi's own signature. */
function asSecret(value: string) {
  return { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value };
}
