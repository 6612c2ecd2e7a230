import { expect, it } from "vitest";
import type { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import type { Holder } from "../../src/stack/past.js";
import {
  api,
  create,
  declare,
  failureOf,
  IMPATIENT,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

const importWebhook = (provider: WebhookProvider, news: object) =>
  declare(provider).declareNew({ ...orders, ...news });

it("sends one full update, and records the webhook under its id", async () => {
  api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  expect(await importWebhook(startProvider(), { import: "1" })).toMatchObject({
    id: "1",
    outs: { ...orders, baseUrl: api.url },
  });
  expect(api.webhooks).toMatchObject([{ id: "1", ...orders }]);
  expect(operations()).toEqual(["update"]);
  expect(warnings).toEqual([]);
});

it("records a declared secret without sending it, and warns", async () => {
  api.dashboard.create({ ...orders, secret: "made in the dashboard" });
  expect(await importWebhook(startProvider(), { import: "1", secret: SECRET })).toMatchObject({
    outs: { secret: SECRET },
  });
  expect(api.webhooks).toMatchObject([{ secret: "made in the dashboard" }]);
  expect(warnings).toEqual([expect.stringContaining("Its secret was not sent")]);
  expect(warnings.join()).not.toContain("canary");
});

it("fails clearly if the API does not know the id, and records nothing", async () => {
  const failure = await failureOf(importWebhook(startProvider(), { import: "4711" }));
  expect(failure.message).toBe(
    "Importing webhook 4711 (Orders) failed: the API has no webhook with this id. Correct the option import, or remove it to create a webhook.",
  );
  expect(failure.id).toBeUndefined();
});

it("says that the webhook may have changed if no reply comes, and records nothing", async () => {
  api.dashboard.create(orders);
  api.inject({ operation: "update", fault: { kind: "hang", commit: true } });
  const failure = await failureOf(importWebhook(startProvider(IMPATIENT), { import: "1", enabled: false }));
  expect(failure.message).toContain("The webhook may have been changed anyway");
  expect(failure.id).toBeUndefined();
});

it("refuses a second import of the same id, but not another attempt after a failure", async () => {
  api.dashboard.create(orders);
  const provider = startProvider();
  api.inject({ fault: { kind: "status", status: 422 } });
  await failureOf(importWebhook(provider, { import: "1" }));
  await importWebhook(provider, { import: "1" });
  const twin = declare(provider, { key: "twin" });
  const failure = await failureOf(twin.declareNew({ ...orders, import: "1", name: "Twin" }));
  expect(failure.message).toContain("Orders already manages this webhook");
  expect(operations()).toEqual(["update", "update"]);
});

it("drops an outdated entry of an imported webhook, and keeps the webhook", async () => {
  const { id, outs } = await create(orders);
  const provider = startProvider();
  await importWebhook(provider, { import: id });
  await provider.delete(id, outs);
  expect(api.webhooks).toHaveLength(1);
  expect(warnings).toEqual(["Webhook 1 (Orders) was not deleted; only an outdated entry left the state."]);
});

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::legacy";

/** The reasons for which check refuses an import, given the resources that have the webhook. */
const refusals = (holders: Holder[], olds = {}) =>
  declare(startProvider(), { past: { holders } }).check(olds, { ...orders, import: "1" });

it("refuses, in a preview already, the id of another resource's webhook", async () => {
  expect(await refusals([{ urn: URN, isOwn: false, baseUrl: api.url }])).toEqual([
    `import: webhook 1 belongs to another resource of this stack, ${URN}. Two resources cannot own one webhook. If you renamed or moved that resource, remove import and add the option aliases: ["${URN}"] instead. If you meant another webhook, correct the id.`,
  ]);
});

it("refuses to replace a webhook by an import of itself", async () => {
  expect(await refusals([{ urn: URN, isOwn: true, baseUrl: api.url }])).toEqual([
    "import: the program imports the webhook that it replaces. Remove import or correct the id, then run pulumi up again.",
  ]);
});

it("refuses to replace a webhook by an import of another one, as a trigger does without a diff", async () => {
  const past = { recordedId: "1" };
  const replacing = (id: unknown, more = {}) =>
    declare(startProvider(), { past: { ...past, ...more } }).check({}, { ...orders, import: id });
  expect(await replacing("2")).toEqual([
    "The option import cannot turn webhook 1 (Orders) into another webhook: it is 2. To import that webhook, declare another resource.",
  ]);
  expect(await replacing(UNKNOWN)).toEqual([]);
  // A person has found the replacement that was interrupted, or the one that is missing since deleteBeforeReplace.
  expect(await replacing("2", { interrupted: { at: "2026-01-01T00:00:00Z" }, provider: {} })).toEqual([]);
  expect(await replacing("2", { isDeleted: true })).toEqual([]);
});

it("refuses the id of a resource whose URL is written in another way", async () => {
  const baseUrl = `${api.url.replace("http", "HTTP")}//`;
  expect(await refusals([{ urn: URN, isOwn: false, baseUrl }])).toHaveLength(1);
});

it("accepts an id that is recorded for another account, or for the resource itself", async () => {
  expect(await refusals([{ urn: URN, isOwn: false, baseUrl: "https://eu.example.com" }])).toEqual([]);
  expect(await refusals([{ urn: URN, isOwn: false, baseUrl: api.url, hasOtherKey: true }])).toEqual([]);
  expect(await refusals([{ urn: URN, isOwn: true, baseUrl: api.url }], orders)).toEqual([]);
  expect(await refusals([])).toEqual([]);
});

it("refuses the id of a resource at this API among those of other accounts", async () => {
  const other = { urn: "urn:other", isOwn: false, baseUrl: api.url, hasOtherKey: true };
  const here = { urn: URN, isOwn: false, baseUrl: undefined, hasOtherKey: false };
  expect(await refusals([other, here])).toEqual([expect.stringContaining(URN)]);
});

it("accepts an id that a preview does not know yet", async () => {
  const unknown = declare(startProvider(), { past: Object({ holders: UNKNOWN }) });
  expect(await unknown.check({}, { ...orders, import: UNKNOWN })).toEqual([]);
});

it.each(["created", "imported"])("deletes a webhook that was %s when it is replaced", async (how) => {
  const { id, outs: older } = await create(orders);
  const { outs = {} } =
    how === "imported" ? await importWebhook(startProvider(), { import: id }) : { outs: older };
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  const news = { ...orders, name: "New", __replaceOnChanges: ["name"] };
  expect(await webhook.plan(id, outs, news)).toEqual({ changes: true, replaces: ["name"] });
  await webhook.create(news);
  await provider.delete(id, outs);
  expect(api.webhooks).toMatchObject([{ name: "New" }]);
});

it("refuses to delete a webhook that is still to be imported, as deleteBeforeReplace would", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  expect(await declare(provider).check({}, { ...orders, secret: SECRET, import: id })).toEqual([]);
  const failure = await failureOf(provider.delete(id, outs));
  expect(failure.message).toContain("deleteBeforeReplace does not work with import");
  expect(operations()).toEqual(["create"]);
});
