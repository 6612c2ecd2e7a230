import { describe, expect, it } from "vitest";
import { SECRETS_NOT_SENT } from "../../src/lifecycle/import.js";
import type { Result } from "../../src/lifecycle/values.js";
import type { Past } from "../../src/record/past.js";
import { SEEN_BY, seenByOf } from "../../src/record/seen-by.js";
import { create, declare, failureOf, messageOf, startRun } from "./runs.js";
import { api, operations, passMinutes, refuse, reply, useSimulator, warnings } from "./simulator.js";
import { API_KEY, ORDERS, orders, PASTS, seen, withSecret } from "./webhooks.js";

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

it.each([
  ["says that the webhook is gone if what is recorded gets the status for unknown ids, too", true],
  ["says that the API refused the fields if it finds the webhook, which is then no drift", false],
])("%s", async (_, isGone) => {
  const { id, outputs } = await create();
  api.behavior.unknownIdStatus = 422;
  const news = { ...withSecret, name: "Refunds" };
  const fault = { kind: "status", status: 422 } as const;
  if (isGone) api.dashboard.delete(id);
  else api.inject({ times: 2, match: ({ body }) => "url" in Object(body), fault });
  const run = startRun({ unknownIdStatus: "422", drift: "probe" });
  const failure = await failureOf(webhookOf(run).update(id, outputs, news));
  expect(failure.message).toContain(isGone ? `--replace '${ORDERS}' --` : "The API rejected the request.");
  expect(failure.message).not.toContain("unknownIdStatus");
  expect(operations()).toHaveLength(2);
  passMinutes();
  if (!isGone) expect(await run.read(id, outputs)).toEqual({ outputs });
});

it("names unknownIdStatus if no word of the message is a field", async () => {
  const { id, outputs } = await create();
  refuse("update", { status: 422, body: '{ "message": "No hostname has it." }' });
  const updating = webhookOf(startRun()).update(id, outputs, { ...withSecret, name: "Refunds" });
  expect(await messageOf(updating)).toContain("set webhooks:unknownIdStatus 422");
});

const ANOTHER = { createdAt: "2025-01-01T00:00:00Z" };
const disabled = { ...withSecret, enabled: false };

const cutOff = PASTS["sent again"];
const UNSEEN = { [SEEN_BY]: "0000" };
const noAnswer = () => refuse("update", { status: 500, times: Number.POSITIVE_INFINITY });

it.each<[string, act: () => void, message: string, recorded?: object, past?: Past]>([
  ["the API replies twice that it is enabled", () => replyEnabled(2), "it should be disabled, but the API"],
  ["the API refuses to repeat it", () => [replyEnabled(1), refuse("update")], "422 Unprocessable"],
  ["the API has used the id again", () => {}, "Its fields were overwritten", ANOTHER],
  ["the API refuses what was cut off", () => refuse("update"), "422", {}, cutOff],
  ["the API does not find yet what was cut off", () => api.reset(), "two minutes old", {}, cutOff],
  ["nobody says if this key sees what was cut off", noAnswer, "Asking whether", UNSEEN, cutOff],
])("fails, and marks the record, if %s", async (_, act, message, recorded = {}, past = PASTS.known) => {
  const { id, outputs } = await create();
  const olds = { ...outputs, ...recorded };
  const run = startRun(recorded === UNSEEN ? { drift: "probe", deadlineSeconds: "0.2" } : {});
  act();
  const failure = await failureOf(declare(run, { past }).update(id, olds, disabled));
  expect(failure).toMatchObject({ id, outputs: { ...olds, unconfirmed: true } });
  expect(failure.message).toContain(message);
});

const replyEnabled = (times: number) => reply({ id: 1, enabled: true }, "update", times);

it("sends nothing for a webhook that has a record that cannot be read", async () => {
  const { id, outputs } = await create();
  const message = await messageOf(webhookOf().update(id, { ...outputs, url: 1 }, orders));
  expect(message).toContain("its outputs in the state are not those of a webhook");
  expect(operations()).toEqual([]);
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
  expect(warnings.slice(0, 2)).toEqual([SECRETS_NOT_SENT, "- webhook 1 (orders): secret not sent"]);
  const body = { webhook_id: "1", url: orders.url, name: "Orders", enabled: "true" };
  expect(api.calls.map((call) => call.body)).toEqual([body]);
  expect(await webhookOf().plan(id, sent, news)).toEqual({ changes: false });
});

it("keeps the record of an import that the API does not know, and says how to import the right id", async () => {
  const webhook = declare(startRun(), { past: PASTS.imported });
  const failure = await failureOf(webhook.update("1", { imported: true, baseUrl: api.url }, orders));
  const advice = `Set the right key, or run pulumi state delete '${ORDERS}' --stack dev, then import the right id.`;
  expect(failure.message).toContain(`or the webhook was deleted since. ${advice}`);
  expect(failure.id).toBeUndefined();
});

it("records an update without a clear reply also if an error hook repeats it and the API refuses that", async () => {
  const { id, outputs } = await create(orders);
  const webhook = webhookOf();
  replyEnabled(2);
  refuse("update", { status: 401 });
  const update = () => failureOf(webhook.update(id, outputs, { ...orders, enabled: false }));
  const marked = { id, outputs: { ...outputs, unconfirmed: true } };
  expect(await update()).toMatchObject(marked);
  const refused = await update();
  expect(refused).toMatchObject(marked);
  expect(refused.message).toContain("401 Unauthorized");
});

describe("under a key that has not seen the webhooks", () => {
  const unseen = { ...PASTS.known, seenBy: "0000" };
  const renamed = { ...withSecret, name: "Refunds" };
  const other = { [SEEN_BY]: "0000", createdAt: "2025-01-01T00:00:00Z" };
  /** Updates three webhooks, which the account of the key has from another time. */
  const updateAll = async (settings: object) => {
    const created = [await create(), await create(), await create()];
    api.clearCalls();
    const run = startRun({ ...settings });
    const update = ({ id, outputs }: Result) => {
      const webhook = declare(run, { past: { ...unseen, id }, urn: `urn:${id}` });
      return messageOf(webhook.update(id, { ...outputs, ...other }, renamed));
    };
    return Promise.all(created.map(update));
  };

  it("ends all updates together if the API is down", async () => {
    api.inject({ operation: "update", times: 9, fault: { kind: "hang", commit: false } });
    const messages = await updateAll({ deadlineSeconds: "0.3" });
    expect(messages.slice(1).join()).toContain("no request was sent");
    expect(operations().length).toBeLessThan(3);
  });

  it.each([0, 1])("overwrites one of another account at most, after %i refused ones", async (times) => {
    refuse("update", { times });
    const [overwritten, ...others] = (await updateAll({})).slice(times);
    expect(overwritten).toMatch(/^Webhook \d .* is another webhook now: .* were overwritten: restore them/);
    for (const message of others) expect(message).toContain("This Provider sends nothing more in this run");
    expect(operations()).toEqual(Array(times + 1).fill("update"));
  });

  it("overwrites none if the API can be probed", async () => {
    for (const message of await updateAll({ drift: "probe" }))
      expect(message).toMatch(/is another webhook now|sends nothing more in this run/);
    expect(api.webhooks.map(({ name }) => name)).toEqual(["Orders", "Orders", "Orders"]);
  });

  it("names as the account to look at that of the key before if it does not see one", async () => {
    const { id, outputs } = await create();
    api.dashboard.delete(id);
    const olds = { ...outputs, [SEEN_BY]: "0000" };
    const message = await messageOf(declare(startRun(), { past: unseen }).update(id, olds, renamed));
    expect(message).toContain(
      "another API key saw it last. If this is another account's key, set the right one. If the webhook was",
    );
    expect(message).toContain(`run pulumi state delete '${ORDERS}' --stack dev.`);
  });
});

it("records the new mark of a webhook that has moved to another Provider with its key, and sends nothing", async () => {
  const { id, outputs } = await create();
  const webhook = webhookOf(startRun({ explicitProvider: "eu" }));
  const marked = { id, outputs: { ...outputs, [SEEN_BY]: seenByOf(API_KEY, "eu") } };
  expect(await webhook.update(id, outputs, withSecret)).toEqual(marked);
  expect(operations()).toEqual([]);
});
