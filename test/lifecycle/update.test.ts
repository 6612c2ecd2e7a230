import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { create, declare, failureOf, messageOf, startEndingRun, startRun } from "./runs.js";
import { api, operations, reply, useSimulator, warnings } from "./simulator.js";
import { ENTERED, IMPORTED, orders, PASTS, SECRET, withSecret } from "./webhooks.js";

useSimulator();

const webhookOf = (run = startRun()) => declare(run, { past: PASTS.known });

it("sends every field but the secret, and records what it sent with the new time", async () => {
  const { id, outputs } = await create();
  const result = await webhookOf().update(id, outputs, { ...withSecret, enabled: false });
  expect(api.calls.map(({ body }) => body)).toEqual([
    { webhook_id: "1", url: orders.url, name: "Orders", enabled: "false" },
  ]);
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
  });
});

/** Updates the name of a recorded webhook, and gets the reply that the webhook has this one. */
async function rename({ from = {}, to, replied }: { from?: object; to: string; replied: string }) {
  const { id, outputs } = await create();
  reply({ id: 1, name: replied });
  return webhookOf().update(id, { ...outputs, ...from }, { ...withSecret, name: to });
}

it.each([
  ["has the recorded name", {}, "Orders", "is Orders"],
  ["has it as the API writes it", { apiName: "ORDERS" }, "ORDERS", "is ORDERS"],
  ["has one that is a secret", { __secretName: true }, "Orders", "is [secret]"],
])("fails if the reply still %s", async (_, from, replied, shown) => {
  const failure = await failureOf(rename({ from, to: "Refunds", replied }));
  expect(failure).toMatchObject({ id: "1", outputs: { name: "Orders", unconfirmed: true } });
  expect(failure.message).toContain(`its name should be Refunds, but the API replied that it ${shown}.`);
});

it.each([
  ["writes the new name in its own way", {}, "A & B", "a &amp; b"],
  ["cuts names off, and the new name begins as the old one", { apiName: "Ord" }, "Ordinary", "Ord"],
  ["cuts off a name that is unchanged", { apiName: "Ord" }, "Orders", "Ord"],
  ["changes case only", {}, "orders", "Orders"],
  ["replies with a name that is neither", {}, "Refunds", "Something else"],
])("accepts the reply of an API that %s", async (_, from, to, replied) => {
  expect(await rename({ from, to, replied })).toMatchObject({ outputs: { name: to, apiName: replied } });
});

it("marks the record if it gets no clear reply, and sends all fields again after a revert", async () => {
  const { id, outputs } = await create();
  const run = startEndingRun("update");
  const failure = await failureOf(webhookOf(run).update(id, outputs, { ...withSecret, enabled: false }));
  expect(failure.message).toContain("500 Internal Server Error from POST /webhooks/update");
  expect(failure).toMatchObject({ id, outputs: { ...outputs, unconfirmed: true } });
  expect(api.webhooks).toMatchObject([{ enabled: false }]);

  const next = webhookOf();
  expect(await next.plan(id, failure.outputs ?? {}, withSecret)).toEqual({ changes: true });
  const sent = await next.update(id, failure.outputs ?? {}, withSecret);
  expect(sent.outputs).toEqual({ ...outputs, updatedAt: expect.any(String) });
  expect(api.webhooks).toMatchObject([{ enabled: true }]);
  expect(await webhookOf().plan(id, sent.outputs, withSecret)).toEqual({ changes: false });
});

it.each([
  ["keeps the record as it is", PASTS.known, undefined],
  ["marks the record, since the engine forgets that it was cut off,", PASTS["cut off"], "1"],
])("%s if the API refuses the update", async (_, past, recorded) => {
  const { id, outputs } = await create();
  api.inject({ operation: "update", fault: { kind: "status", status: 422 } });
  const webhook = declare(startRun(), { past });
  await webhook.plan(id, outputs, { ...withSecret, enabled: false });
  const failure = await failureOf(webhook.update(id, outputs, { ...withSecret, enabled: false }));
  expect(failure.message).toContain("422");
  expect(failure.id).toBe(recorded);
  if (recorded) expect(failure.outputs).toEqual({ ...outputs, unconfirmed: true });
});

it("fails if the webhook of the reply was created at another time: the API has used the id again", async () => {
  const { id, outputs } = await create();
  const at = (milliseconds: number) =>
    new Date(Date.parse(String(outputs.createdAt)) + milliseconds).toISOString();
  const olds = { ...outputs, createdAt: at(-61_000) };
  const failure = await failureOf(webhookOf().update(id, olds, withSecret));
  expect(failure.message).toContain("Webhook 1 (Orders) is another webhook now");
  expect(failure).toMatchObject({ id, outputs: { ...olds, unconfirmed: true } });
  // The clocks of several servers may differ by less than a minute.
  for (const createdAt of [at(59_000), undefined])
    await webhookOf().update(id, { ...outputs, createdAt }, withSecret);
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
  const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const notePlace = { folder, urn: "urn:orders" };
  const webhook = declare(startRun(), { past: PASTS.known, notePlace });
  const news = { ...withSecret, name: "B" };
  await webhook.plan(id, outputs, news);
  expect(await messageOf(webhook.update(id, outputs, news))).toContain(
    "run pulumi up --replace 'urn:orders'.",
  );
});

// Ids that no update has confirmed.

const sent = { url: orders.url, name: "Orders", enabled: "true", webhook_id: "1" };

it.each([
  ["entered", ENTERED, withSecret, []],
  ["imported", IMPORTED, { ...orders, secret: "new" }, [expect.stringContaining("Its secret was not sent")]],
])("confirms an id that was %s by one update", async (how, marks, recorded, warned) => {
  const { id, outputs } = await create();
  api.dashboard.edit(id, { name: "Old", enabled: false });
  const { createdAt, updatedAt, ...known } = outputs;
  const olds = how === "imported" ? { ...marks, baseUrl: api.url } : { ...known, ...marks };
  const past = { ...PASTS[how as "entered"], sent: { at: String(createdAt) } };
  // Only an entered id has a create that a probe can contradict.
  const run = startRun({ drift: how === "imported" ? "probe" : "off" });
  const webhook = declare(run, { past, unconfirmed: 1 });
  const news = { ...orders, secret: "new" };
  // The change of the secret waits for the next up.
  expect(await webhook.plan(id, olds, news)).toEqual({ changes: true });
  const record = { ...olds, ...(how === "entered" && { inDoubtId: `in-doubt:${createdAt}-abcd` }) };
  warnings.length = 0;
  const { outputs: confirmed } = await webhook.update(id, record, news);
  expect(confirmed).toEqual({ ...recorded, baseUrl: api.url, createdAt, updatedAt: expect.any(String) });
  expect(warnings).toEqual(warned);
  expect(api.calls.map(({ body }) => body)).toEqual([sent]);
  expect(await webhookOf().plan(id, confirmed, news)).toEqual(
    how === "entered" ? { changes: true, replaces: ["secret"] } : { changes: false },
  );
});

it("keeps an unconfirmed id as it is if the API does not know it, or refuses it", async () => {
  const { id, outputs } = await create();
  const run = startRun();
  const webhook = declare(run, { past: PASTS.entered, unconfirmed: 1 });
  const olds = { ...outputs, ...ENTERED };
  await webhook.plan(id, olds, withSecret);
  api.inject({ operation: "update", fault: { kind: "status", status: 422 } });
  expect((await failureOf(webhook.update(id, olds, withSecret))).id).toBeUndefined();
  api.dashboard.delete(id);
  const gone = await failureOf(webhook.update(id, olds, withSecret));
  expect(gone.message).toMatch(/^Webhook 1 \(Orders\) was not found: .* resolve to correct the id/);
  expect(gone.id).toBeUndefined();
  expect(await messageOf(run.delete("2", outputs))).toContain("this run deletes nothing more");
});

/** Confirms the entered id of webhook 1, which a stranger made, by an update of its name. */
async function confirm({ drift, inDoubtId = ENTERED.inDoubtId, name = "Orders" }: Record<string, string>) {
  const { id, outputs } = await create();
  api.dashboard.edit(id, { name: "Stranger's" });
  const olds = { ...outputs, name, unconfirmed: true, inDoubtId };
  const webhook = declare(startRun({ drift }), { past: PASTS.entered });
  return webhook.update(id, olds, { ...orders, name: "Renamed" });
}

it("probes an entered id first, and overwrites no webhook with another name", async () => {
  const failure = await failureOf(confirm({ drift: "probe" }));
  expect(failure.message).toContain("Webhook 1 is not Renamed: the API replied that its name is Stranger's,");
  expect(failure.id).toBeUndefined();
  expect(api.calls.map(({ body }) => body)).toEqual([{ webhook_id: "1" }]);
  expect(api.webhooks).toMatchObject([{ name: "Stranger's" }]);
});

it("probes an entered id first, and goes on if nothing contradicts it", async () => {
  const confirmed = await confirm({ drift: "probe", name: "Stranger's" });
  expect(confirmed).toMatchObject({ outputs: { name: "Renamed" } });
  expect(operations()).toEqual(["update", "update"]);
});

it("fails if an entered id is that of a webhook that is certainly older than the create", async () => {
  const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const failure = await failureOf(confirm({ drift: "off", inDoubtId: `in-doubt:${later}-abcd` }));
  expect(failure.message).toMatch(/^Webhook 1 \(Renamed\) is another webhook: .*long before the create/);
  expect(failure.id).toBeUndefined();
  expect(operations()).toEqual(["update"]);
});

it("quotes no reply to the probe of an entered id that contains the secret", async () => {
  const { id, outputs } = await create();
  const body = JSON.stringify({ message: `webhook secret ${SECRET} is invalid` });
  api.inject({ operation: "update", fault: { kind: "status", status: 422, body } });
  const run = declare(startRun({ drift: "probe" }), { past: PASTS.entered });
  const { message } = await failureOf(run.update(id, { ...outputs, ...ENTERED }, withSecret));
  expect(message).toContain("422");
  expect(message).not.toContain(SECRET);
});
