import { expect, it } from "vitest";
import { RECORDED } from "../../src/stack/hidden-properties.js";
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

/** Replies to the next create with the id of webhook 1, as an API does that updates a webhook of the same url or name. */
function replyWithExistingId(): void {
  api.inject({ operation: "create", fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1}}}' } });
}

it("keeps the webhook if the replacement that it is deleted for got the same id", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  replyWithExistingId();
  expect(await provider.create({ __provider, ...orders, secret: "another" })).toMatchObject({ id });
  await provider.delete(id, outs);
  expect(operations()).toEqual(["create", "create"]);
  expect(warnings).toEqual([
    "Webhook 1 (Orders) stays at the API, and only its older record is removed: a create of this run returned its id. Check its url and secret in the dashboard.",
  ]);
});

it("keeps the webhook if only a later run deletes the older record", async () => {
  const { id, outs } = await create();
  const facts = { recordedId: id, replacedIds: [id] };
  const later = startProvider();
  await later.check(orders, { ...orders, [RECORDED]: facts });
  await later.delete(id, outs);
  expect(operations()).toEqual(["create"]);
  expect(warnings).toEqual(["Webhook 1 (Orders) stays at the API: only an older record of it was removed."]);

  const replacing = startProvider();
  const news = { ...orders, secret: "another" };
  await replacing.check(orders, { ...news, [RECORDED]: facts });
  expect(await replacing.diff(id, outs, news)).toMatchObject({ replaces: ["secret"] });
  await replacing.check({}, { ...news, [RECORDED]: facts });
  await replacing.create({ __provider, ...news });
  await replacing.delete(id, outs);
  expect(operations()).toEqual(["create", "create", "delete"]);
});

it("keeps a second create with the same id in doubt, and leaves the webhook to its first resource", async () => {
  const provider = startProvider();
  await provider.create({ __provider, ...orders, name: "First" });
  replyWithExistingId();
  const failure = await failureOf(provider.create({ __provider, ...orders, secret: SECRET }));
  expect(failure.message).toContain(
    "Creating webhook Orders failed: The API replied with the id of webhook 1 (First), which this run has already created or imported for another resource.",
  );
  expect(failure.id).toMatch(/^in-doubt:/);
  expect(failure.properties).toMatchObject({ __provider, ...orders, secret: SECRET });
});

it("keeps a create in doubt whose id this run has imported for another resource", async () => {
  await create();
  const provider = startProvider();
  await provider.create({ __provider, ...orders, name: "Imported", import: "1" });
  replyWithExistingId();
  const failure = await failureOf(provider.create({ __provider, ...orders }));
  expect(failure.message).toContain("The API replied with the id of webhook 1 (Imported)");
  expect(failure.id).toMatch(/^in-doubt:/);
});

it("refuses to import a webhook that this run created for another resource", async () => {
  const provider = startProvider();
  await provider.create({ __provider, ...orders });
  const failure = await failureOf(provider.create({ __provider, ...orders, name: "Twin", import: "1" }));
  expect(failure.message).toContain("Orders already manages this webhook");
  expect(operations()).toEqual(["create"]);
});

it("shows no secret name of the webhook that has the same id", async () => {
  const provider = startProvider();
  await provider.create({ __provider, ...orders, name: "name-canary", __secretName: true });
  replyWithExistingId();
  const failure = await failureOf(provider.create({ __provider, ...orders }));
  expect(failure.message).toContain("the id of webhook 1 ([secret])");
});
