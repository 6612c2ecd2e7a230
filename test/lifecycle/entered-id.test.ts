import { expect, it } from "vitest";
import {
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

// A webhook in doubt whose id a person entered: only an update proves that the id is right.
useSimulator();

const declared = { ...orders, secret: SECRET };
const IN_DOUBT = "in-doubt:2026-01-01T12:00:00.000Z-abcd";

/** The outputs that resolve writes. */
const entered = (outs: object) => ({ ...outs, unconfirmed: true, inDoubtId: IN_DOUBT });
/** What the state says of it. */
const pastOf = (recordedId: string) => ({ recordedId, isInDoubt: true as const, provider: {} });

it("confirms the id by a full update, and then forgets that the webhook was in doubt", async () => {
  const { id, outs } = await create();
  expect(await startProvider().diff(id, entered(outs), declared)).toEqual({ changes: true });
  expect(warnings).toEqual([
    "Webhook 1 (Orders) was in doubt until its id was entered. A pulumi up confirms the id: it sends url, name and enabled.",
  ]);
  const { outs: confirmed } = await startProvider().update(id, entered(outs), declared);
  expect(confirmed).toEqual({ ...outs, updatedAt: expect.any(String) });
});

it("stays recorded if the API does not know the id", async () => {
  const { outs } = await create();
  const failure = await failureOf(startProvider().update("99", entered(outs), declared));
  expect(failure.message).toBe(
    "Webhook 99 (Orders) was not found: the API has no webhook with the id that was entered for this one. Look for it in the dashboard again, then run npx pulumi-webhooks resolve.",
  );
  expect(failure.id).toBeUndefined();

  const probe = startProvider({ "webhooks:drift": "probe" });
  expect(await probe.read("99", entered(outs))).toEqual({ id: "99", props: entered(outs) });
  expect(warnings).toEqual([failure.message]);
});

it("fails if the id is that of a webhook that is much older than the create in doubt", async () => {
  const { id, outs } = await create();
  const created = String(outs.createdAt);
  const dayLater = new Date(Date.parse(created) + 25 * 60 * 60 * 1000).toISOString();
  const older = { ...entered(outs), inDoubtId: `in-doubt:${dayLater}-abcd` };
  const failure = await failureOf(startProvider().update(id, older, declared));
  expect(failure.message).toBe(
    `Webhook 1 (Orders) is another webhook: the API replied that it was created at ${new Date(created).toISOString()}, long before the create in doubt. Its url, name and enabled were overwritten. Run npx pulumi-webhooks resolve and correct the id. Then restore this webhook in the dashboard. If the id is right after all, answer n there, and set the option import to it.`,
  );
  expect(failure.properties).toEqual(older);
  // That of a killed run may have been sent long before the time that the state shows.
  await startProvider().update(id, { ...older, interrupted: true }, declared);
});

it.each([
  ["the secret changes", { secret: "another" }, "secret"],
  ["replaceOnChanges asks for it", { name: "New", __replaceOnChanges: ["name"] }, "name"],
])("is not replaced when %s, since the id may be another webhook's", async (_, change, field) => {
  const { id, outs } = await create();
  const webhook = declare(startProvider(), { past: pastOf(id) });
  const failure = await failureOf(webhook.plan(id, entered(outs), { ...declared, ...change }));
  expect(failure.message).toBe(
    `Webhook 1 (Orders) cannot be replaced yet: its id was entered by hand, and no update has confirmed it. Take back the change of ${field}, and run pulumi up, which confirms the id. Then make the change again.`,
  );
});

it.each([
  ["--replace, with which the engine checks once", []],
  ["replacementTrigger, with which it checks twice", [orders]],
])("is not replaced by %s", async (_, earlier) => {
  for (const inputs of [declared, { ...declared, import: "42" }]) {
    const webhook = declare(startProvider(), { past: pastOf("1") });
    for (const olds of earlier) expect(await webhook.check(olds, inputs)).toEqual([]);
    expect(await webhook.check({}, inputs)).toEqual([
      "Webhook 1 (Orders) cannot be replaced yet: its id was entered by hand, and no update has confirmed it. First run pulumi up without a replacement (--replace, replacementTrigger, replaceWith), which confirms the id.",
    ]);
  }
});

it("is not deleted until an update has confirmed the id", async () => {
  const { id, outs } = await create();
  const failure = await failureOf(startProvider().delete(id, entered(outs)));
  expect(failure.message).toBe(
    "Deleting webhook 1 (Orders) failed: its id was entered by hand, and no update has confirmed it. If the program declares it, run pulumi up first, which confirms the id. To correct the id, run npx pulumi-webhooks resolve. To keep the webhook at the API, run pulumi state delete '<urn>' (pulumi stack --show-urns lists the URNs).",
  );
  expect(operations()).toEqual(["create"]);

  const { outs: confirmed = {} } = await startProvider().update(id, entered(outs), declared);
  await startProvider().delete(id, confirmed);
  expect(operations()).toEqual(["create", "update", "delete"]);
});

it("is neither kept from a replacement nor from a delete once an update has confirmed the id", async () => {
  const { id, outs } = await create();
  const confirming = declare(startProvider(), { past: pastOf(id) });
  await confirming.plan(id, entered(outs), declared);
  const { outs: confirmed = {} } = await confirming.update(id, entered(outs), declared);

  const next = startProvider();
  const webhook = declare(next, { past: { recordedId: id, provider: {} } });
  const news = { ...declared, secret: "another" };
  expect(await webhook.plan(id, confirmed, news)).toEqual({ changes: true, replaces: ["secret"] });
  await webhook.create(news);
  await next.delete(id, confirmed);
  expect(operations()).toEqual(["create", "update", "create", "delete"]);
  expect(api.webhooks.map((webhook) => webhook.id)).toEqual(["2"]);
});
