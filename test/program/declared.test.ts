import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { Provider, Webhook } from "../../src/index.js";
import { readDeclared } from "../../src/stack/hidden-properties.js";
import { keyOf } from "../../src/stack/resource-key.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { declared, recorded, resolved, start, startEngine, urnOf, useProgram } from "./program.js";

useProgram();

const url = "https://example.com/orders";
const account = { apiKey: "key-canary", baseUrl: "https://api.example.com" };

/** Declares a webhook, and returns what the program passes to check. */
async function pass(name: string, args: object = {}, options: object = {}) {
  await resolved(new Webhook(name, { url, ...args }, options).urn);
  const passed = readDeclared(declared.findLast((resource) => resource.name === name)?.inputs.__key);
  if (passed === undefined) throw new Error(`Nothing is passed for ${name}.`);
  return passed;
}

it("gives each resource a key of eight characters, the same in each run", () => {
  expect(keyOf(urnOf("orders"))).toBe("vIJttu4E");
  expect(keyOf(urnOf("refunds"))).not.toBe(keyOf(urnOf("orders")));
  for (let n = 0; n < 100; n++) expect(keyOf(urnOf(`webhook-${n}`))).toMatch(/^[\w-]{8}$/);
});

it("passes the key, and the names of the arguments that the program sets", async () => {
  await start();
  const secret = pulumi.output(undefined as unknown as string);
  const args = { name: undefined, enabled: false, secret };
  expect(await pass("orders", args)).toEqual({
    key: keyOf(urnOf("orders")),
    given: ["url", "enabled", "secret"],
    note: { file: expect.stringMatching(/\.json$/), urn: urnOf("orders"), organization: "organization" },
    past: {},
  });
});

it("passes what the option ignoreChanges names, whose arguments may have no value", async () => {
  await start();
  const options = { ignoreChanges: ["enabled", "name", "createdAt"] };
  expect(await pass("orders", {}, options)).toMatchObject({ ignored: ["name", "enabled"] });
  const ignoring = { ignoreChanges: ["secret"] };
  expect(await pass("refunds", { secret: "whsec-canary" }, ignoring)).toMatchObject({
    ignored: ["secret"],
    given: ["url"],
  });
  expect(await pass("legacy", {}, { ignoreChanges: ["createdAt"] })).not.toHaveProperty("ignored");
});

it("passes neither for Webhook.get, nor without an engine, as under mocks", async () => {
  await start();
  await resolved(Webhook.get("found", "4711").urn);
  expect(Object.keys(declared[0]?.inputs)).toEqual(["__provider"]);
  const newResource = vi.fn(({ name, inputs }) => ({ id: name, state: inputs }));
  pulumi.runtime.resetOptions("", "", -1, "", "", false, "");
  await pulumi.runtime.setMocks({ call: () => ({}), newResource });
  await resolved(new Webhook("orders", { url }).urn);
  expect(newResource.mock.lastCall?.[0].inputs).not.toHaveProperty("__key");
});

it("passes no past if the state cannot be read", async () => {
  await startEngine();
  vi.stubEnv("PATH", "");
  expect(await pass("orders")).not.toHaveProperty("past");
});

it("passes what the state says of the resource, and of no other", async () => {
  const resources = [
    recorded("orders", { id: "1" }),
    ...["a", "b", "c"].map((name) => recorded(name, { id: name })),
  ];
  const pending_operations = [{ type: "updating", resource: recorded("orders") }];
  await start({ deployment: { resources, pending_operations } });
  expect(await pass("orders")).toMatchObject({
    past: { recordedId: "1", provider: {}, hasInterruptedChange: true },
  });
  expect(await pass("new")).toMatchObject({ past: {} });
});

it("passes what the state says of the resource under an earlier name", async () => {
  const urn = `urn:pulumi:dev::test::test:Team$${WEBHOOK_TYPE}::old`;
  await start({ deployment: { resources: [recorded("old", { urn, id: "1" })] } });
  const parent = new pulumi.ComponentResource("test:Team", "team");
  expect(await pass("orders", {}, { parent, aliases: [{ name: "old" }] })).toMatchObject({
    key: keyOf(`urn:pulumi:dev::test::test:Team$${WEBHOOK_TYPE}::orders`),
    past: { recordedId: "1" },
  });
});

describe("an import", () => {
  const legacy = { urn: urnOf("legacy"), isOwn: false, baseUrl: account.baseUrl, hasOtherKey: false };

  it("passes the resources that have the webhook, or import it too", async () => {
    await start({ deployment: { resources: [recorded("legacy", { id: "1" })] } });
    pulumi.runtime.setAllConfig({ "webhooks:baseUrl": "https://here.example.com" });
    expect(await pass("first", {}, { import: "1" })).toMatchObject({ past: { holders: [legacy] } });
    const first = { urn: urnOf("first"), isOwn: false, baseUrl: "https://here.example.com" };
    expect(await pass("second", {}, { import: pulumi.output("1") })).toMatchObject({
      past: { holders: [{ ...first, hasOtherKey: false }, legacy] },
    });
    expect(await pass("other", {}, { import: "2" })).toMatchObject({ past: { holders: [] } });
  });

  it("passes whether their Providers have another key, in plain text", async () => {
    await start({ deployment: { resources: [recorded("legacy", { id: "1" })] } });
    vi.stubEnv("WEBHOOKS_API_KEY", "another-key");
    const eu = new Provider("eu", account);
    const us = new Provider("us", { ...account, apiKey: pulumi.secret("third-key") });
    expect(await pass("first", {}, { import: "1", provider: eu })).toMatchObject({
      past: { holders: [{ ...legacy, hasOtherKey: true }] },
    });
    const passed = await pass("second", {}, { import: pulumi.secret("1"), provider: us });
    expect(passed.past?.holders).toEqual([
      { urn: urnOf("first"), isOwn: false, baseUrl: account.baseUrl, hasOtherKey: true },
      { ...legacy, hasOtherKey: true },
    ]);
    expect(JSON.stringify(passed)).not.toContain("-key");
  });
});

describe("a new webhook that may be one in doubt", () => {
  const inDoubt = recorded("orders", { id: "in-doubt:2026-01-01T12:00:00.000Z-abcd" });
  const deployment = { resources: [inDoubt] };

  it("passes the URN of that one", async () => {
    await start({ deployment });
    expect(await pass("renamed", { name: "Orders" })).toMatchObject({ past: { twin: urnOf("orders") } });
    const args = { name: pulumi.secret("Orders"), url: pulumi.output(url) };
    expect(await pass("secret", args)).toMatchObject({ past: { twin: urnOf("orders") } });
    expect((await pass("refunds")).past).toEqual({ hasUnresolvedStack: true });
  });

  it("passes none if the Provider of that one has another key", async () => {
    await start({ deployment });
    vi.stubEnv("WEBHOOKS_API_KEY", "another-key");
    const eu = new Provider("eu", account);
    expect((await pass("renamed", { name: "Orders" }, { provider: eu })).past).toEqual({
      hasUnresolvedStack: true,
    });
    vi.stubEnv("WEBHOOKS_API_KEY", account.apiKey);
    expect((await pass("moved", { name: "Orders" }, { provider: eu })).past).toEqual({
      hasUnresolvedStack: true,
      twin: urnOf("orders"),
    });
  });

  it("passes that it is not known yet if a preview knows neither the url nor the id to import", async () => {
    await start({ deployment, preview: true });
    const unknown = pulumi.output(pulumi.unknown as unknown as string);
    expect((await pass("renamed", { url: unknown })).past).toEqual({
      hasUnresolvedStack: true,
      twin: pulumi.unknown,
    });
    const imported = await pass("imported", {}, { import: unknown });
    expect(imported.past).toEqual({ holders: pulumi.unknown, hasUnresolvedStack: true });
  });
});
