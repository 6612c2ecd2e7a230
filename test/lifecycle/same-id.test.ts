import { expect, it } from "vitest";
import {
  __provider,
  api,
  create,
  declare,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

/** Replies to the next create with the id of webhook 1, as an API does that updates a webhook of the same url or name. */
function replyWithExistingId(): void {
  api.inject({ operation: "create", fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1}}}' } });
}

it("keeps the webhook if the replacement that it is deleted for got the same id", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  const news = { ...orders, secret: "another" };
  expect(await webhook.plan(id, outs, news)).toEqual({ changes: true, replaces: ["secret"] });
  replyWithExistingId();
  expect(await webhook.create(news)).toMatchObject({ id });
  await provider.delete(id, outs);
  expect(operations()).toEqual(["create", "create"]);
  expect(warnings).toEqual([
    "Webhook 1 (Orders) was not deleted: the API returned its id for a new webhook. Check its url and secret in the dashboard.",
  ]);
});

it("keeps the webhook if only a later run deletes the outdated entry", async () => {
  const { id, outs } = await create();
  const past = { recordedId: id, replacedIds: [id], provider: {} };
  const later = startProvider();
  await declare(later, { past }).plan(id, outs, { ...orders, secret: SECRET });
  await later.delete(id, outs);
  expect(operations()).toEqual(["create"]);
  expect(warnings).toEqual(["Webhook 1 (Orders) was not deleted; only an outdated entry left the state."]);

  const replacing = startProvider();
  const webhook = declare(replacing, { past });
  const news = { ...orders, secret: "another" };
  expect(await webhook.plan(id, outs, news)).toMatchObject({ replaces: ["secret"] });
  await webhook.create(news);
  await replacing.delete(id, outs);
  expect(operations()).toEqual(["create", "create", "delete"]);
});

it("keeps a second create with the same id in doubt, and leaves the webhook to its first resource", async () => {
  const provider = startProvider();
  await declare(provider, { key: "first" }).declareNew({ ...orders, name: "First" });
  replyWithExistingId();
  const second = declare(provider, { key: "second" });
  const failure = await failureOf(second.declareNew({ ...orders, secret: SECRET }));
  expect(failure.message).toContain(
    "Creating webhook Orders failed: The API replied with the id of webhook 1 (First), which another resource of the stack has. That webhook may have been changed. Give the two resources different urls and names, or remove one.",
  );
  expect(failure.id).toMatch(/^in-doubt:/);
  expect(failure.properties).toMatchObject({ __provider, ...orders, secret: SECRET });
});

it("keeps a create in doubt whose id this run has imported for another resource", async () => {
  await create();
  const provider = startProvider();
  const imported = declare(provider, { key: "imported" });
  await imported.declareNew({ ...orders, name: "Imported", import: "1" });
  replyWithExistingId();
  const failure = await failureOf(declare(provider).declareNew(orders));
  expect(failure.message).toContain("The API replied with the id of webhook 1 (Imported)");
  expect(failure.id).toMatch(/^in-doubt:/);
});

it("keeps a create in doubt whose id is recorded for another resource, which this run keeps unchanged", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const kept = declare(provider, { key: "kept", past: { recordedId: id, provider: {} } });
  await kept.plan(id, outs, { ...orders, secret: SECRET });
  replyWithExistingId();
  const failure = await failureOf(declare(provider).declareNew({ ...orders, name: "Refunds" }));
  expect(failure.message).toContain(
    "Creating webhook Refunds failed: The API replied with the id of webhook 1 (Orders)",
  );
  expect(failure.id).toMatch(/^in-doubt:/);
});

it("refuses to import a webhook that this run created for another resource", async () => {
  const provider = startProvider();
  await declare(provider).declareNew(orders);
  const twin = declare(provider, { key: "twin" });
  const failure = await failureOf(twin.declareNew({ ...orders, name: "Twin", import: "1" }));
  expect(failure.message).toContain("Orders already manages this webhook");
  expect(operations()).toEqual(["create"]);
});

it.each(["created", "updated"])("names a webhook without a key that this run has %s", async (how) => {
  const { id, outs } = await create({ ...orders, name: "First" });
  const provider = startProvider();
  if (how === "updated") await provider.update(id, outs, { ...orders, name: "First" });
  else {
    replyWithExistingId();
    await provider.create({ __provider, ...orders, name: "First" });
  }
  replyWithExistingId();
  const failure = await failureOf(declare(provider).declareNew(orders));
  expect(failure.message).toContain("The API replied with the id of webhook 1 (First)");
});

it("shows no secret name of the webhook that has the same id", async () => {
  const provider = startProvider();
  const secretly = { ...orders, name: "name-canary", __secretName: true };
  await declare(provider, { key: "secret" }).declareNew(secretly);
  replyWithExistingId();
  const failure = await failureOf(declare(provider).declareNew(orders));
  expect(failure.message).toContain("the id of webhook 1 ([secret])");
});

it("notices a create that returns the id of a webhook which the program declares later", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const first = declare(provider, { key: "new" });
  api.inject({ operation: "create", fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1}}}' } });
  const created = await first.declareNew({ ...orders, name: "New" }).then(
    () => "created",
    () => "in doubt",
  );
  const kept = declare(provider, { key: "kept", past: { recordedId: id, provider: {} } });
  const compared = await kept.plan(id, outs, { ...orders, secret: SECRET }).then(
    () => "quiet",
    () => "noticed",
  );
  expect([created, compared]).not.toEqual(["created", "quiet"]);
});
