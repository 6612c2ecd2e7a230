import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { Provider, Webhook } from "../../src/index.js";
import { shortHash } from "../../src/notes/short-hash.js";
import { currentRun } from "../../src/program/program-run.js";
import { readDeclared } from "../../src/stack/hidden-properties.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { declared, recorded, resolved, start, startEngine, urnOf, useProgram, warnings } from "./program.js";

useProgram();

const url = "https://example.com/orders";
const euAccount = { apiKey: "key-canary", baseUrl: "https://eu.example.com" };
const inDoubt = recorded("doubt", { id: "in-doubt:2026-01-01T12:00:00.000Z-abcd" });

/** Declares a webhook, and returns what the program passes to check. */
async function pass(name: string, args: object = {}, options: object = {}) {
  await resolved(new Webhook(name, { url, ...args }, options).urn);
  return readDeclared(declared.findLast((resource) => resource.name === name)?.inputs.__key);
}

it("gives each resource a key of eight characters, the same in each run", () => {
  expect(shortHash(urnOf("orders"))).toBe("vIJttu4E");
  expect(shortHash(urnOf("refunds"))).not.toBe(shortHash(urnOf("orders")));
  for (let n = 0; n < 100; n++) expect(shortHash(urnOf(`webhook-${n}`))).toMatch(/^[\w-]{8}$/);
});

it("passes the key, the names of the arguments that the program sets, and the place for a note", async () => {
  await start();
  const secret = pulumi.output(undefined as unknown as string);
  expect(await pass("orders", { name: undefined, enabled: false, secret })).toEqual({
    key: shortHash(urnOf("orders")),
    given: ["url", "enabled", "secret"],
    notePlace: { folder: currentRun()?.notesFolder, urn: urnOf("orders"), organization: "organization" },
    past: { kind: "new" },
  });
});

it("passes the URN of a webhook below a component, also if its name contains ::", async () => {
  await start();
  const parent = new pulumi.ComponentResource("test:Team", "a::b");
  const urn = `urn:pulumi:dev::test::test:Team$${WEBHOOK_TYPE}::orders`;
  expect(await pass("orders", {}, { parent })).toMatchObject({ key: shortHash(urn), notePlace: { urn } });
});

it("passes what the option ignoreChanges names, whose arguments may have no value", async () => {
  await start();
  const passed = async (name: string, ignoreChanges: string[]) =>
    await pass(name, { secret: "whsec-canary" }, { ignoreChanges });
  expect(await passed("a", ["enabled", "name", "createdAt"])).toMatchObject({
    ignored: ["name", "enabled"],
    given: ["url", "secret"],
  });
  expect(await passed("b", ["secret"])).toMatchObject({ ignored: ["secret"], given: ["url"] });
  const all = ["url", "name", "enabled", "secret"];
  expect(await passed("c", ["*"])).toMatchObject({ ignored: all, given: [] });
  expect(await passed("d", ["createdAt"])).not.toHaveProperty("ignored");
});

it("passes what the state says of the resource, and how many ids of its Provider are unconfirmed", async () => {
  const outputs = { baseUrl: "https://api.example.com", unconfirmed: true, imported: true };
  const pending_operations = [{ type: "updating", resource: recorded("orders") }];
  const resources = [recorded("orders", { id: "1" }), recorded("refunds", { id: "2", outputs })];
  await start({ deployment: { resources, pending_operations } });
  expect(await pass("orders")).toMatchObject({
    past: { kind: "known", id: "1", sendAgain: true },
    unconfirmed: 1,
  });
  const eu = new Provider("eu", euAccount);
  const past = { kind: "unconfirmed", by: "import" };
  expect(await pass("refunds", {}, { provider: eu })).toMatchObject({ past });
  expect(await pass("new", {}, { provider: eu })).not.toHaveProperty("unconfirmed");
});

it("passes the gate in an up, and only warns of it in a preview, beside which an up may run", async () => {
  const gate = /it is unknown whether the API created webhook Orders\./;
  await start({ deployment: { resources: [inDoubt] } });
  expect((await pass("orders"))?.gate).toMatch(gate);
  expect(warnings).toEqual([]);
  await startEngine(true);
  for (const name of ["orders", "refunds"]) expect(await pass(name)).not.toHaveProperty("gate");
  expect(warnings).toEqual([expect.stringMatching(gate)]);
});

it("passes neither a gate nor a past if the state cannot be read", async () => {
  await startEngine();
  vi.stubEnv("PATH", "");
  const passed = await pass("orders", {}, { import: "1" });
  expect(passed).toMatchObject({ past: { kind: "unread" } });
  expect(Object.keys(passed ?? {})).toEqual(["key", "given", "notePlace", "past"]);
});

it("passes the other resource of the Provider that has the webhook to import", async () => {
  await start({ deployment: { resources: [recorded("legacy", { id: "1" })] } });
  const holder = async (name: string, options: object) => (await pass(name, {}, options))?.holder;
  expect(await holder("plain", { import: "1" })).toBe(urnOf("legacy"));
  expect(await holder("output", { import: pulumi.secret("1") })).toBe(urnOf("legacy"));
  expect(await holder("other", { import: "2" })).toBeUndefined();
  expect(await holder("legacy", { import: "1" })).toBeUndefined();
  const eu = new Provider("eu", euAccount);
  expect(await holder("eu-legacy", { import: "1", provider: eu })).toBeUndefined();
  await startEngine(true);
  const unknown = pulumi.output(pulumi.unknown as unknown as string);
  expect(await holder("orders", { import: unknown })).toBeUndefined();
});

it("passes nothing for Webhook.get, nor without an engine, as under mocks", async () => {
  await start();
  await resolved(Webhook.get("found", "4711").urn);
  expect(Object.keys(declared[0]?.inputs)).toEqual(["__provider"]);
  const newResource = vi.fn(({ name, inputs }) => ({ id: name, state: inputs }));
  pulumi.runtime.resetOptions("", "", -1, "", "", false, "");
  await pulumi.runtime.setMocks({ call: () => ({}), newResource });
  await resolved(new Webhook("orders", { url }).urn);
  expect(newResource.mock.lastCall?.[0].inputs).not.toHaveProperty("__key");
});

it.each<[string, pulumi.Input<string>, string[], boolean]>([
  ["no base URL is one", euAccount.baseUrl, [], false],
  ["that of the config is one", euAccount.baseUrl, ["webhooks:baseUrl"], true],
  ["that of a Provider may be one", pulumi.output(euAccount.baseUrl), [], true],
])("records all base URLs as secrets, or none: %s", async (_, baseUrl, secrets, expected) => {
  await startEngine();
  pulumi.runtime.setAllConfig({ "webhooks:baseUrl": euAccount.baseUrl }, secrets);
  new Provider("eu", { ...euAccount, baseUrl });
  expect(currentRun()?.hasSecretBaseUrl).toBe(expected);
});
