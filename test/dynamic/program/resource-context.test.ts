import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { baseUrlOf } from "../../../src/dynamic/program/declared-base-url.js";
import { Provider, Webhook } from "../../../src/index.js";
import type { Described } from "../../../src/record/properties.js";
import { WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";
import { BASE_URL, urnOf } from "../../stack/exported.js";
import { declared, resolved, startEngine, useProgram } from "./program.js";

useProgram();

const url = "https://example.com/orders";
const euAccount = { apiKey: "key-canary", baseUrl: "https://eu.example.com" };

/** Declares a webhook, and returns the inputs that the program passes to check. */
async function inputsOf(name: string, args: object = {}, options: object = {}) {
  await resolved(new Webhook(name, { url, ...args }, options).urn);
  return declared.findLast((resource) => resource.name === name)?.inputs;
}

/** Declares a webhook, and returns what the program says of it. */
const pass = async (...webhook: Parameters<typeof inputsOf>): Promise<Described> =>
  JSON.parse((await inputsOf(...webhook)).__context);

it("passes the URN, the organization and the names of the arguments that the program sets", async () => {
  await startEngine();
  const secret = pulumi.output(undefined as unknown as string);
  expect(await pass("orders", { name: undefined, enabled: false, secret })).toEqual({
    urn: urnOf("orders"),
    organization: "acme",
    given: ["url", "enabled", "secret"],
    isPreview: false,
  });
});

it("passes the URN of a webhook below a component, also if its name contains ::", async () => {
  await startEngine();
  const parent = new pulumi.ComponentResource("test:Team", "a::b");
  const urn = `urn:pulumi:dev::test::test:Team$${WEBHOOK_TYPE}::orders`;
  expect(await pass("orders", {}, { parent })).toMatchObject({ urn });
});

it("passes what the option ignoreChanges names, whose arguments may have no value", async () => {
  await startEngine();
  const passed = async (name: string, ignoreChanges: string[]) =>
    await pass(name, { secret: "whsec-canary" }, { ignoreChanges });
  expect(await passed("a", ["enabled", "name", "createdAt"])).toMatchObject({
    ignored: ["name", "enabled"],
    given: ["url", "secret"],
  });
  expect(await passed("b", ["secret"])).toMatchObject({ ignored: ["secret"], given: ["url"] });
  const all = ["url", "name", "secret", "enabled"];
  expect(await passed("c", ["*"])).toMatchObject({ ignored: all, given: [] });
  expect(await passed("d", ["createdAt"])).not.toHaveProperty("ignored");
});

it("passes who else imports the webhook to import in the program, whichever Provider manages it", async () => {
  await startEngine();
  const importers = async (name: string, options: object) => (await inputsOf(name, {}, options)).__importers;
  pulumi.runtime.setConfig("webhooks:baseUrl", BASE_URL);
  const all = ["plain", "output"].map((name) => ({ urn: urnOf(name), baseUrl: BASE_URL }));
  const listed = (count: number) => JSON.stringify(all.slice(0, count));
  expect(await importers("plain", { import: "1" })).toBe(listed(0));
  expect(await importers("output", { import: pulumi.secret("1") })).toBe(listed(1));
  const provider = new Provider("eu", euAccount);
  expect(await importers("eu-legacy", { import: "1", provider })).toBe(listed(2));
  expect(await importers("other", { import: "2" })).toBe("[]");
  expect(await importers("new", {})).toBeUndefined();
  await startEngine(true);
  const unknown = pulumi.output(pulumi.unknown as unknown as string);
  // The webhook's other properties are known.
  expect(await pass("orders", {}, { import: unknown })).toMatchObject({ urn: urnOf("orders") });
  expect(await importers("orders", { import: unknown })).toBe(pulumi.unknown);
});

it("records a base URL as a secret if that of its own Provider may be one, in any order of declarations", async () => {
  await startEngine();
  pulumi.runtime.setConfig("webhooks:baseUrl", euAccount.baseUrl);
  const plain = new Provider("plain", euAccount);
  const hidden = new Provider("hidden", { ...euAccount, baseUrl: pulumi.output(euAccount.baseUrl) });
  const parent = new pulumi.ComponentResource("test:Team", "team", {}, { providers: [hidden] });
  expect([{}, { provider: plain }, { provider: hidden }, { parent }].map(baseUrlOf)).toEqual([
    euAccount.baseUrl,
    euAccount.baseUrl,
    undefined,
    undefined,
  ]);
  pulumi.runtime.setAllConfig({ "webhooks:baseUrl": euAccount.baseUrl }, ["webhooks:baseUrl"]);
  expect(baseUrlOf({})).toBeUndefined();
});
