import { expect, it } from "vitest";
import { SECRETS_NOT_SENT } from "../../src/lifecycle/import.js";
import type { Result } from "../../src/lifecycle/values.js";
import type { ResourceContext } from "../../src/record/properties.js";
import { nameMarkOf } from "../../src/record/webhook-name.js";
import { create, declare, failureOf, messageOf, startEndingRun, startRun } from "./runs.js";
import { api, operations, passMinutes, refuse, reply, useSimulator, warnings } from "./simulator.js";
import { ORDERS, orders, PASTS, seen, withSecret } from "./webhooks.js";

useSimulator();

const webhookOf = (run = startRun()) => declare(run, { past: PASTS.known });

it("sends every field but the secret, and records what it sent with the new time", async () => {
  const { id, outputs } = await create();
  const result = await webhookOf().update(id, outputs, { ...withSecret, enabled: false });
  const body = { webhook_id: "1", url: orders.url, name: "Orders", enabled: "false" };
  expect(api.calls.map((call) => call.body)).toEqual([body]);
  const updatedAt = expect.stringMatching(/Z$/);
  expect(result).toEqual({ id, outputs: { ...outputs, enabled: false, updatedAt } });
  expect(result.outputs.updatedAt).not.toBe(outputs.updatedAt);
});

it("keeps the recorded secret and createdAt, and records the new URL after a move", async () => {
  const { id, outputs } = await create();
  reply({ id: 1 });
  const moved = webhookOf(startRun({ previousBaseUrl: "https://old.example.com" }));
  const marks = { changedOutsidePulumi: "2026", unconfirmed: true };
  const olds = { ...outputs, baseUrl: "https://old.example.com", ...marks };
  expect((await moved.update(id, olds, { ...orders, secret: "new" })).outputs).toEqual({
    ...withSecret,
    createdAt: outputs.createdAt,
    baseUrl: api.url,
    ...seen(),
  });
});

it("fails, and marks the record, if the API ignores that it should be disabled, or refuses to repeat it", async () => {
  const { id, outputs } = await create();
  api.behavior.ignoredByUpdate = "enabled";
  const news = { ...withSecret, enabled: false };
  const failure = await failureOf(webhookOf().update(id, outputs, news));
  expect(failure).toMatchObject({ id, outputs: { ...outputs, unconfirmed: true } });
  expect(failure.message).toContain("it should be disabled, but the API replied twice that it is enabled.");
  api.inject({
    operation: "update",
    match: () => api.calls.length % 2 === 0,
    fault: { kind: "status", status: 422 },
  });
  expect(await failureOf(webhookOf().update(id, outputs, news))).toMatchObject({
    id,
    outputs: { unconfirmed: true },
  });
});

it("records what stands for the name as the API writes it", async () => {
  const { id, outputs } = await create();
  reply({ id: 1, name: "a" }, "update", 2);
  const updated = await webhookOf().update(id, outputs, { ...withSecret, name: "A & B" });
  expect(updated.outputs).toMatchObject({ name: "A & B", apiName: nameMarkOf("a") });
});

it("marks the record if it gets no clear reply", async () => {
  const { id, outputs } = await create();
  const run = startEndingRun("update");
  const failure = await failureOf(webhookOf(run).update(id, outputs, { ...withSecret, enabled: false }));
  expect(failure.message).toContain("500 Internal Server Error from POST /webhooks/update");
  expect(failure).toMatchObject({ id, outputs: { ...outputs, unconfirmed: true } });
  expect(api.webhooks).toMatchObject([{ enabled: false }]);
});

it.each([
  ["says that the webhook is gone if what is recorded gets the status for unknown ids, too", true],
  ["says that the API refused the fields if it finds the webhook, which is then no drift", false],
])("%s", async (_, isGone) => {
  const { id, outputs } = await create();
  api.behavior.unknownIdStatus = 422;
  const news = { ...withSecret, name: "Refunds" };
  if (isGone) api.dashboard.delete(id);
  else
    api.inject({
      times: 3,
      match: ({ body }) => "url" in Object(body),
      fault: { kind: "status", status: 422 },
    });
  expect(await messageOf(webhookOf().update(id, outputs, news))).toContain("webhooks:unknownIdStatus 422");
  api.clearCalls();
  const run = startRun({ unknownIdStatus: "422", drift: "probe" });
  const failure = await failureOf(webhookOf(run).update(id, outputs, news));
  expect(failure.message).toContain(
    isGone ? "it was deleted outside Pulumi" : "The API rejected the request.",
  );
  expect(failure.message).not.toContain("unknownIdStatus");
  expect(operations()).toHaveLength(isGone ? 2 : 3);
  passMinutes();
  if (!isGone) expect(await run.read(id, outputs)).toEqual({ outputs });
});

/** Returns the failure of an update that the API refuses. */
async function failureOfRefused({ id, outputs }: Result, past: ResourceContext["past"]) {
  refuse("update");
  const webhook = declare(startRun(), { past });
  const news = { ...withSecret, enabled: false };
  await webhook.plan(id, outputs, news);
  return failureOf(webhook.update(id, outputs, news));
}

it("keeps the record as it is if the API refuses the update", async () => {
  const failure = await failureOfRefused(await create(), PASTS.known);
  expect(failure.message).toContain("422");
  expect(failure.id).toBeUndefined();
});

it("marks the record of what was cut off, which the engine forgets, if the API refuses the update", async () => {
  const created = await create();
  const outputs = { ...created.outputs, unconfirmed: true };
  expect(await failureOfRefused(created, PASTS["sent again"])).toMatchObject({ id: created.id, outputs });
});

it("fails if the webhook of the reply was created at another time: the API has used the id again", async () => {
  const { id, outputs } = await create();
  const olds = { ...outputs, createdAt: "2025-01-01T00:00:00Z" };
  const failure = await failureOf(webhookOf().update(id, olds, withSecret));
  expect(failure.message).toContain("Webhook 1 (orders) is another webhook now");
  expect(failure).toMatchObject({ id, outputs: { ...olds, unconfirmed: true } });
});

it.each([
  ["lives at another URL", { baseUrl: "https://old.example.com" }, "was created at https://old.example.com"],
  ["has a record that cannot be read", { url: 1 }, "its outputs in the state are not those of a webhook"],
])("sends nothing for a webhook that %s", async (_, recorded, message) => {
  const { id, outputs } = await create();
  expect(await messageOf(webhookOf().update(id, { ...outputs, ...recorded }, orders))).toContain(message);
  expect(operations()).toEqual([]);
});

it("says how to create a webhook again that the API no longer has", async () => {
  const { id, outputs } = await create();
  api.dashboard.delete(id);
  const webhook = webhookOf();
  const news = { ...withSecret, name: "B" };
  await webhook.plan(id, outputs, news);
  expect(await messageOf(webhook.update(id, outputs, news))).toContain(`--replace '${ORDERS}' --stack dev.`);
});

it("sends an imported webhook before it is replaced, and takes the declared secret for its own, with a warning", async () => {
  const { id, outputs } = await create();
  api.dashboard.edit(id, { name: "Old", enabled: false });
  const olds = { imported: true, baseUrl: api.url };
  const webhook = declare(startRun(), { past: PASTS.imported });
  const news = { ...orders, secret: "new" };
  expect(await webhook.plan(id, olds, news)).toEqual({ changes: true });
  const { outputs: sent } = await webhook.update(id, olds, news);
  const times = { createdAt: outputs.createdAt, updatedAt: expect.any(String) };
  expect(sent).toEqual({ ...news, baseUrl: api.url, ...seen(), ...times });
  expect(warnings.slice(0, 2)).toEqual([SECRETS_NOT_SENT, "- webhook 1 (orders)"]);
  const body = { webhook_id: "1", url: orders.url, name: "Orders", enabled: "true" };
  expect(api.calls.map((call) => call.body)).toEqual([body]);
  expect(await webhookOf().plan(id, sent, news)).toEqual({ changes: false });
});

it("keeps the record of an import that the API does not know, and says how to import the right id", async () => {
  const webhook = declare(startRun(), { past: PASTS.imported });
  const olds = { imported: true, baseUrl: api.url };
  await webhook.plan("1", olds, orders);
  const failure = await failureOf(webhook.update("1", olds, orders));
  expect(failure.message).toContain(
    `Run pulumi state delete '${ORDERS}' --stack dev, then import the right id.`,
  );
  expect(failure.id).toBeUndefined();
});
