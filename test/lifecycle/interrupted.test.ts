import { expect, it } from "vitest";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import type { Past } from "../../src/stack/past.js";
import {
  __provider,
  api,
  create,
  declare,
  failureOf,
  keyed,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

const AT = "2026-01-01T12:00:00.123456789Z";
const interrupted = { at: AT, url: "https://example.com/sent", name: "Sent", enabled: false };
const past = { interrupted, provider: {} };
const declared = { ...orders, secret: SECRET };

it("approves a webhook whose create was interrupted: only create can record it", async () => {
  const passed = keyed(declared, { past });
  const { inputs, failures } = await startProvider().check({}, passed);
  expect({ inputs, failures }).toEqual({ inputs: { ...declared, __key: "orders" }, failures: [] });
});

it("approves two interrupted webhooks of the same url and name: each must be recorded", async () => {
  const twins = { past: { interrupted: { at: AT, ...orders }, provider: {}, twin: "urn:other" } };
  expect(await declare(startProvider(), twins).check({}, declared)).toEqual([]);
});

it("records the webhook in doubt as the interrupted create sent it, and sends nothing", async () => {
  const failure = await failureOf(declare(startProvider(), { past }).declareNew(declared));
  expect(failure.id).toMatch(/^in-doubt:2026-01-01T12:00:00\.123Z-[0-9a-f]{4}$/);
  expect(failure.properties).toEqual({
    __provider,
    url: "https://example.com/sent",
    name: "Sent",
    enabled: false,
    secret: SECRET,
    baseUrl: api.url,
    interrupted: true,
  });
  expect(failure.message).toContain("Creating webhook Sent failed: an earlier run was killed");
  expect(failure.message).toContain("npx pulumi-webhooks resolve");
  expect(operations()).toEqual([]);

  const { id = "", properties = {} } = failure;
  const again = await failureOf(startProvider().update(id, properties, declared));
  expect(again.message).toContain("an earlier run was killed");
  expect(again.properties).toEqual(properties);
  expect(operations()).toEqual([]);
});

it("says in every message that the create may have been sent earlier than the state was saved", async () => {
  const failure = await failureOf(declare(startProvider(), { past }).declareNew(declared));
  const whatToDo =
    "Look in the dashboard for a webhook named Sent, created at about 2026-01-01T12:00:00Z or earlier. Then run npx pulumi-webhooks resolve";
  expect(failure.message).toContain(whatToDo);

  const { id = "", properties = {} } = failure;
  await startProvider().diff(id, properties, declared);
  expect((await failureOf(startProvider().update(id, properties, declared))).message).toContain(whatToDo);
  await startProvider().delete(id, properties);
  expect(warnings).toEqual([
    "Webhook Sent is in doubt: an earlier run was killed during its create, which was sent at about 2026-01-01T12:00:00Z or earlier, so nothing more is sent for it. Look for it in the dashboard, then run npx pulumi-webhooks resolve.",
    `Webhook Sent (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named Sent with the URL https://example.com/sent, created at about 2026-01-01T12:00:00Z or earlier, delete it there, unless one of your programs imports it.`,
  ]);
});

const inDoubt: Past = { recordedId: "in-doubt:2026-01-01T12:00:00.000Z-abcd", isInDoubt: true };
const toEu = { "webhooks:explicitProvider": "eu" };
const toUs = { "webhooks:explicitProvider": "us" };

it.each<[string, string, Past, Record<string, string>]>([
  ["is in doubt", "the default Provider", { ...inDoubt, provider: {} }, toEu],
  ["is in doubt", "the Provider eu", { ...inDoubt, provider: { name: "eu" } }, {}],
  ["is in doubt", "the Provider eu", { ...inDoubt, provider: { name: "eu" } }, toUs],
  ["was interrupted", "the default Provider", { interrupted, provider: {} }, toEu],
  ["was interrupted", "the Provider eu", { interrupted, provider: { name: "eu" } }, {}],
  ["has an entered id", "the Provider eu", { ...inDoubt, recordedId: "1", provider: { name: "eu" } }, toUs],
])("refuses to create, import or move a webhook that %s with %s", async (_, known, found, settings) => {
  const moved = declare(startProvider(settings), { past: found });
  for (const inputs of [declared, { ...declared, import: "42" }]) {
    for (const olds of [{}, orders]) {
      expect(await moved.check(olds, inputs)).toEqual([
        `Webhook Orders is in doubt, so it cannot move to another Provider yet. Set its option provider back to ${known}, then run pulumi up. If it is still in doubt then, run npx pulumi-webhooks resolve.`,
      ]);
    }
  }
  const same = startProvider({ "webhooks:explicitProvider": found.provider?.name });
  expect(await declare(same, { past: found }).check(orders, declared)).toEqual([]);
});

it("creates a webhook in doubt with another Provider once it was deleted for its replacement", async () => {
  const deleted = { ...inDoubt, isDeleted: true as const, provider: {} };
  expect(await declare(startProvider(toEu), { past: deleted }).check({}, declared)).toEqual([]);
});

it("records it at the URL that the interrupted create was sent to, if the setting changed since", async () => {
  const baseUrl = "https://old.example.com/v1";
  const elsewhere = declare(startProvider(), { past: { ...past, interrupted: { ...interrupted, baseUrl } } });
  const failure = await failureOf(elsewhere.declareNew(declared));
  expect(failure.properties).toMatchObject({ baseUrl, interrupted: true });
  expect(failure.message).toContain(`while it was creating this webhook. It was sent to ${baseUrl}.`);
  const { id = "", properties = {} } = failure;
  await expect(startProvider().diff(id, properties, declared)).rejects.toThrow(baseUrl);
  expect(operations()).toEqual([]);
});

it("imports the webhook that was found instead, without a warning of the interrupted create", async () => {
  const { id } = await create();
  const webhook = declare(startProvider(), { past: { ...past, holders: [] } });
  const found = { ...declared, import: id };
  expect(await webhook.check({}, found)).toEqual([]);
  expect(warnings).toEqual([]);
  expect(await webhook.create(found)).toMatchObject({ id });
  expect(operations()).toEqual(["create", "update"]);
});

it("fails an update of a webhook whose replacement was interrupted, and sends nothing", async () => {
  const { id, outs } = await create();
  const webhook = declare(startProvider(), { past: { ...past, recordedId: id } });
  expect(await webhook.plan(id, outs, declared)).toEqual({ changes: true });
  const failure = await failureOf(webhook.update(id, outs, declared));
  expect(failure.message).toContain("an earlier run was killed while it was creating a replacement");
  expect(failure.id).toBeUndefined();
  expect(operations()).toEqual(["create"]);
});

it("lets the program import the interrupted replacement in place of the webhook", async () => {
  const { id, outs } = await create();
  const webhook = declare(startProvider(), { past: { ...past, recordedId: id } });
  const found = { ...declared, import: "2" };
  expect(await webhook.plan(id, outs, found)).toEqual({ changes: true, replaces: ["import"] });
});

const ordersUrn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders";

it("creates no webhook that may be one whose create has an unknown outcome", async () => {
  const renamed = declare(startProvider(), { past: { twin: ordersUrn } });
  expect(await renamed.check({}, { ...declared, name: "renamed" })).toEqual([
    `It is unknown whether the API created the webhook of ${ordersUrn}. Webhook renamed may be the same one, so it is not created. First look for it in the dashboard, and run npx pulumi-webhooks resolve. If you renamed that resource, then also add the option aliases: ["${ordersUrn}"].`,
  ]);
});

it("imports, updates, and in a preview with unknown inputs plans such a webhook", async () => {
  const renamed = declare(startProvider(), { past: { twin: ordersUrn } });
  expect(await renamed.check({}, { ...declared, import: "1" })).toEqual([]);
  expect(await renamed.check(orders, declared)).toEqual([]);
  const unknown = declare(startProvider(), { past: { twin: UNKNOWN } });
  expect(await unknown.check({}, { ...declared, url: UNKNOWN })).toEqual([]);
});

it.each([
  ["a create", {}],
  ["an update", orders],
])("refuses %s if a create was interrupted under the earlier name of the resource", async (_, olds) => {
  const renamed = declare(startProvider(), { past: { interruptedAs: ordersUrn } });
  expect(await renamed.check(olds, declared)).toEqual([
    `An earlier run was killed while it was creating this webhook under its earlier name, ${ordersUrn}. It is unknown whether the API created it, so nothing is sent for it. Look for it in the dashboard, and run npx pulumi-webhooks resolve. Then run pulumi up again, and keep the option aliases.`,
  ]);
});

it("sends all fields again after an engine was killed during an update or a delete", async () => {
  const { id, outs } = await create();
  const change = { past: { recordedId: id, provider: {}, hasInterruptedChange: true as const } };
  const webhook = declare(startProvider(), change);
  expect(await webhook.plan(id, outs, declared)).toEqual({ changes: true });
  expect(warnings).toEqual([
    "Webhooks may differ from the state: an earlier change of them did not end. A pulumi up sends url, name and enabled of each of them again.",
  ]);
  await webhook.update(id, outs, declared);
  expect(operations()).toEqual(["create", "update"]);
});

it("records that such a webhook may differ if its update is refused: the engine forgets the interrupted one", async () => {
  const { id, outs } = await create();
  const change = { past: { recordedId: id, provider: {}, hasInterruptedChange: true as const } };
  const webhook = declare(startProvider(), change);
  await webhook.plan(id, outs, declared);
  api.inject({ operation: "update", fault: { kind: "status", status: 422 } });
  const failure = await failureOf(webhook.update(id, outs, declared));
  expect(failure.message).toContain("422");
  expect(failure).toMatchObject({ id, properties: { ...outs, unconfirmed: true } });
  expect(await startProvider().diff(id, { ...failure.properties }, declared)).toEqual({ changes: true });
});
