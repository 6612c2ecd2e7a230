import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { baseUrlOf } from "../../../src/dynamic/program/declared-base-url.js";
import { currentRun } from "../../../src/dynamic/program/program-run.js";
import { Provider, Webhook } from "../../../src/index.js";
import type { ResourceContext } from "../../../src/record/properties.js";
import { WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";
import { BASE_URL, exported, pending, urnOf, webhook } from "../../stack/exported.js";
import { declared, resolved, start, startEngine, useProgram } from "./program.js";

useProgram();

const url = "https://example.com/orders";
const euAccount = { apiKey: "key-canary", baseUrl: "https://eu.example.com" };

/** Declares a webhook, and returns the inputs that the program passes to check. */
async function inputsOf(name: string, args: object = {}, options: object = {}) {
  await resolved(new Webhook(name, { url, ...args }, options).urn);
  return declared.findLast((resource) => resource.name === name)?.inputs;
}

/** Declares a webhook, and returns what the program says of it. */
const pass = async (...webhook: Parameters<typeof inputsOf>): Promise<ResourceContext> =>
  JSON.parse((await inputsOf(...webhook)).__context);

it("passes the URN, the names of the arguments that the program sets, and its folder of notes", async () => {
  await start();
  const secret = pulumi.output(undefined as unknown as string);
  expect(await pass("orders", { name: undefined, enabled: false, secret })).toEqual({
    urn: urnOf("orders"),
    organization: "acme",
    given: ["url", "enabled", "secret"],
    past: { kind: "new" },
    program: { notesFolder: currentRun()?.notesFolder, isPreview: false },
  });
});

it("passes the URN of a webhook below a component, also if its name contains ::", async () => {
  await start();
  const parent = new pulumi.ComponentResource("test:Team", "a::b");
  const urn = `urn:pulumi:dev::test::test:Team$${WEBHOOK_TYPE}::orders`;
  expect(await pass("orders", {}, { parent })).toMatchObject({ urn });
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
  const all = ["url", "name", "secret", "enabled"];
  expect(await passed("c", ["*"])).toMatchObject({ ignored: all, given: [] });
  expect(await passed("d", ["createdAt"])).not.toHaveProperty("ignored");
});

it("passes what the state says of the resource, such as that a change was cut off", async () => {
  const refunds = webhook("refunds", { id: "2", outputs: { baseUrl: BASE_URL, imported: true } });
  await start(exported([webhook("orders"), refunds], [pending("updating", "orders")]));
  const known = { kind: "known", id: "1" };
  expect(await pass("orders")).toMatchObject({ past: { ...known, condition: "sent again" } });
  expect(await pass("refunds")).toMatchObject({ past: { ...known, id: "2", condition: "imported" } });
  expect(await pass("new")).toMatchObject({ past: { kind: "new" } });
});

it("passes the records that have the webhook to import, whichever Provider manages them", async () => {
  await start(exported([webhook("legacy")]));
  const owners = async (name: string, options: object) => (await inputsOf(name, {}, options)).__owners;
  pulumi.runtime.setConfig("webhooks:baseUrl", BASE_URL);
  const all = ["legacy", "plain", "output"].map((name) => ({ urn: urnOf(name), baseUrl: BASE_URL }));
  const listed = (count: number) => JSON.stringify(all.slice(0, count));
  expect(await owners("plain", { import: "1" })).toBe(listed(1));
  expect(await owners("output", { import: pulumi.secret("1") }), "with those of the program").toBe(listed(2));
  const provider = new Provider("eu", euAccount);
  expect(await owners("eu-legacy", { import: "1", provider })).toBe(listed(3));
  expect(await owners("other", { import: "2" })).toBe("[]");
  expect(await owners("new", {})).toBeUndefined();
  await startEngine(true);
  const unknown = pulumi.output(pulumi.unknown as unknown as string);
  // The webhook's other properties are known.
  expect(await pass("orders", {}, { import: unknown })).toMatchObject({ urn: urnOf("orders") });
  expect(await owners("orders", { import: unknown })).toBe(pulumi.unknown);
});

it("records a base URL as a secret if that of its own Provider may be one, in any order of declarations", async () => {
  await start();
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
