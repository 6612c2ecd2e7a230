import { expect, it } from "vitest";
import { DECLARED_SECRET, INTERRUPTED, RECORDED } from "../../src/stack/hidden-properties.js";
import type { RecordedFacts } from "../../src/stack/recorded-facts.js";
import {
  __provider,
  api,
  create,
  failureOf,
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
const declared = { __provider, ...orders, secret: SECRET, [DECLARED_SECRET]: SECRET };

it("lets a webhook whose create was interrupted pass, with a mark for create", async () => {
  const result = await startProvider().check({}, { ...declared, [RECORDED]: { interrupted } });
  expect(result).toEqual({ inputs: { ...orders, secret: SECRET, [INTERRUPTED]: interrupted }, failures: [] });
});

it("fails if the id that a person entered is that of a webhook that is much older than the create in doubt", async () => {
  const { id, outs } = await create();
  const [created = ""] = [outs.createdAt].map(String);
  const dayLater = new Date(Date.parse(created) + 25 * 60 * 60 * 1000).toISOString();
  const entered = { ...outs, unconfirmed: true, inDoubtId: `in-doubt:${dayLater}-abcd` };
  const failure = await failureOf(startProvider().update(id, entered, { ...orders, secret: SECRET }));
  expect(failure.message).toBe(
    `Webhook 1 (Orders) is another webhook: the API replied that it was created at ${new Date(created).toISOString()}, long before the create in doubt. Its url, name and enabled were overwritten. Run npx pulumi-webhooks resolve and correct the id. Then restore this webhook in the dashboard. If it is the right one, answer n, and import it.`,
  );
  expect(failure.properties).toEqual(entered);
  // That of a killed run may have been sent long before the time that the state shows.
  await startProvider().update(id, { ...entered, interrupted: true }, { ...orders, secret: SECRET });
});

it("lets two interrupted webhooks of the same url and name pass: each must be recorded", async () => {
  const { url, name } = orders;
  const facts = { interrupted: { at: AT, ...orders }, unresolved: [{ urn: "urn:other", url, name }] };
  expect(await startProvider().check({}, { ...declared, [RECORDED]: facts })).toMatchObject({ failures: [] });
});

it("records the webhook in doubt as the interrupted create sent it, and sends nothing", async () => {
  const failure = await failureOf(startProvider().create({ ...declared, [INTERRUPTED]: interrupted }));
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
  const failure = await failureOf(startProvider().create({ ...declared, [INTERRUPTED]: interrupted }));
  const whatToDo =
    "Look in the dashboard for a webhook named Sent, created at about 2026-01-01T12:00:00Z or earlier. Then run npx pulumi-webhooks resolve";
  expect(failure.message).toContain(whatToDo);

  const { id = "", properties = {} } = failure;
  await startProvider().diff(id, properties, declared);
  expect((await failureOf(startProvider().update(id, properties, declared))).message).toContain(whatToDo);
  await startProvider().delete(id, properties);
  expect(warnings).toEqual([
    "Webhook Sent is in doubt: an earlier run was killed during its create, which was sent at about 2026-01-01T12:00:00Z or earlier, so nothing more is sent for it. Look for it in the dashboard, then run npx pulumi-webhooks resolve.",
    `Webhook Sent (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named Sent, created at about 2026-01-01T12:00:00Z or earlier, delete it there, unless one of your programs imports it.`,
  ]);
});

it.each<[string, { provider?: string }, Record<string, string>]>([
  ["the default Provider", {}, { "webhooks:explicitProvider": "eu" }],
  ["the Provider eu", { provider: "eu" }, {}],
  ["the Provider eu", { provider: "eu" }, { "webhooks:explicitProvider": "us" }],
])(
  "refuses to create, import or move a webhook that is in doubt with %s",
  async (known, unresolvedWith, settings) => {
    for (const inputs of [declared, { ...declared, import: "42" }]) {
      const news = { ...inputs, [RECORDED]: { unresolvedWith } };
      for (const olds of [{}, orders]) {
        const { failures = [] } = await startProvider(settings).check(olds, news);
        expect(failures.map(({ reason }) => reason)).toEqual([
          `Webhook Orders is in doubt, so it cannot move to another Provider yet. Set its option provider back to ${known}, then run pulumi up. If it is still in doubt then, run npx pulumi-webhooks resolve.`,
        ]);
      }
    }
    const same = { "webhooks:explicitProvider": unresolvedWith.provider };
    const news = { ...declared, import: "42", [RECORDED]: { unresolvedWith } };
    expect(await startProvider(same).check({}, news)).toMatchObject({ failures: [] });
  },
);

it("records it at the URL that the interrupted create was sent to, if the setting changed since", async () => {
  const baseUrl = "https://old.example.com/v1";
  const elsewhere = { ...interrupted, baseUrl };
  const failure = await failureOf(startProvider().create({ ...declared, [INTERRUPTED]: elsewhere }));
  expect(failure.properties).toMatchObject({ baseUrl, interrupted: true });
  expect(failure.message).toContain(`while it was creating this webhook. It was sent to ${baseUrl}.`);
  const { id = "", properties = {} } = failure;
  await expect(startProvider().diff(id, properties, declared)).rejects.toThrow(baseUrl);
  expect(operations()).toEqual([]);
});

it("imports the webhook that was found instead, without a warning of the interrupted create", async () => {
  const { id } = await create();
  const provider = startProvider();
  const found = { ...declared, import: id, [RECORDED]: { interrupted, holders: [] } };
  const { inputs = {} } = await provider.check({}, found);
  expect(warnings).toEqual([]);
  expect(await provider.create({ __provider, ...inputs })).toMatchObject({ id });
  expect(operations()).toEqual(["create", "update"]);
});

it("fails an update of a webhook whose replacement was interrupted, and sends nothing", async () => {
  const { id, outs } = await create();
  const news = { ...declared, [INTERRUPTED]: interrupted };
  expect(await startProvider().diff(id, outs, news)).toEqual({ changes: true });
  const failure = await failureOf(startProvider().update(id, outs, news));
  expect(failure.message).toContain("an earlier run was killed while it was creating a replacement");
  expect(failure.id).toBeUndefined();
  expect(operations()).toEqual(["create"]);
});

it("lets the program import the interrupted replacement in place of the webhook", async () => {
  const { id, outs } = await create();
  const news = { ...declared, import: "2", [INTERRUPTED]: interrupted };
  expect(await startProvider().diff(id, outs, news)).toEqual({ changes: true, replaces: ["import"] });
});

/** The record of a webhook in doubt whose id a person entered. */
const unverified = (outs: object) => ({ ...outs, unconfirmed: true, inDoubtId: "in-doubt:x" });

it("verifies an id that a person entered by a full update, and then forgets that it was in doubt", async () => {
  const { id, outs } = await create();
  expect(await startProvider().diff(id, unverified(outs), declared)).toEqual({ changes: true });
  expect(warnings).toEqual([expect.stringContaining("was in doubt until its id was entered")]);
  const { outs: proven } = await startProvider().update(id, unverified(outs), declared);
  expect(proven).toEqual({ ...outs, updatedAt: expect.any(String) });
});

it("keeps the record if the API does not know the id that a person entered", async () => {
  const { outs } = await create();
  const failure = await failureOf(startProvider().update("99", unverified(outs), declared));
  expect(failure.message).toBe(
    "Webhook 99 (Orders) was not found: the API has no webhook with the id that was entered for this one. Look for it in the dashboard again, then run npx pulumi-webhooks resolve.",
  );
  expect(failure.id).toBeUndefined();

  const probe = startProvider({ "webhooks:drift": "probe" });
  expect(await probe.read("99", unverified(outs))).toEqual({ id: "99", props: unverified(outs) });
  expect(warnings).toEqual([failure.message]);
});

it("names the webhook in a warning when it deletes an id that a person entered and the API does not know", async () => {
  const { outs } = await create();
  // Nor does an earlier attempt prove that there was one.
  api.inject({ operation: "delete", fault: { kind: "status", status: 502 } });
  await startProvider().delete("99", unverified(outs));
  expect(warnings).toEqual([
    "Webhook 99 (Orders) was removed from the state, but the API has no webhook with this id, which was entered for one in doubt. Look for Orders in the dashboard, and delete it there if it should not exist.",
  ]);
});

const ordersUrn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders";
/** The create of the webhook orders has an unknown outcome. */
const unresolved = (fields: object = {}) => [
  { urn: ordersUrn, logicalName: "orders", url: orders.url, name: "orders", ...fields },
];

const problemsOf = async (olds: object, inputs: object, facts: RecordedFacts) => {
  const { failures } = await startProvider().check(
    { ...olds },
    { ...declared, ...inputs, [RECORDED]: facts },
  );
  return failures?.map(({ property, reason }) => property + reason);
};

it.each([
  ["the url and the name are equal", {}, { name: "orders" }],
  ["the url is equal, and both names are the default", {}, { name: "renamed" }],
  ["the name is equal, and the url was a secret", { url: undefined }, { name: "orders" }],
  ["the url is equal, and the name was a secret", { name: undefined }, { name: "Other" }],
])("creates no webhook that may be an unresolved one: %s", async (_, fields, inputs) => {
  const facts = { unresolved: unresolved(fields), logicalName: "renamed" };
  expect(await problemsOf({}, inputs, facts)).toEqual([
    `It is unknown whether the API created the webhook of ${ordersUrn}. Webhook ${inputs.name} may be the same one, so it is not created. First look for it in the dashboard, and run npx pulumi-webhooks resolve. If you renamed that resource, then also add the option aliases: ["${ordersUrn}"].`,
  ]);
});

it("imports a webhook that may be an unresolved one", async () => {
  const facts = { unresolved: unresolved(), logicalName: "orders" };
  expect(await problemsOf({}, { name: "orders", import: "1" }, facts)).toEqual([]);
});

it.each([
  ["the url", { url: "https://example.com/other" }],
  ["the name", { name: "Other" }],
])("creates a webhook that differs from an unresolved one by %s", async (_, inputs) => {
  const facts = { unresolved: unresolved(), logicalName: "renamed" };
  expect(await problemsOf({}, { name: "renamed", ...inputs }, facts)).toEqual([]);
});

it.each([
  ["a create", {}],
  ["an update", orders],
])("refuses %s if a create was interrupted under the earlier name of the resource", async (_, olds) => {
  expect(await problemsOf(olds, {}, { interruptedAs: ordersUrn })).toEqual([
    `An earlier run was killed while it was creating this webhook under its earlier name, ${ordersUrn}. It is unknown whether the API created it, so nothing is sent for it. Look for it in the dashboard, and run npx pulumi-webhooks resolve. Then run pulumi up again, and keep the option aliases.`,
  ]);
});
