import { describe, expect, it, vi } from "vitest";
import type { Result } from "../../src/lifecycle/values.js";
import { shortHash } from "../../src/record/hashes.js";
import { CREATED_ABOUT, type Past } from "../../src/record/past.js";
import { REPLACED_ID, RESOURCE_KEY, writeResourceKey } from "../../src/record/properties.js";
import { SEEN_BY } from "../../src/record/seen-by.js";
import { nameHashOf } from "../../src/record/webhook-name.js";
import { useNotesFolder } from "../notes/notes-folder.js";
import { create, declare, failureOf, messageOf, startRun } from "./runs.js";
import { api, loseReply, operations, refuse, reply, useSimulator, warnings } from "./simulator.js";
import { ORDERS, orders, PASTS, SECRET, seen, withSecret } from "./webhooks.js";

useSimulator();

const time = expect.stringMatching(/^\d{4}-.*Z$/);
const IN_DOUBT = expect.stringMatching(/^in-doubt:\d{4}-\d\d-\d\dT/);

it("sends all fields, and records them with the id, the URL and the times", async () => {
  expect(await declare(startRun()).declareNew(withSecret)).toEqual({
    id: "1",
    outputs: { ...withSecret, baseUrl: api.url, ...seen(), createdAt: time, updatedAt: time },
  });
  expect(api.webhooks).toMatchObject([withSecret]);
  expect(operations()).toEqual(["create"]);
  expect(warnings).toEqual([]);
});

it.each<[string, object, object]>([
  ["when it came if the API does not say when it created the webhook, and no undefined value", {}, {}],
  ["what stands for the name as the API writes it", { name: "first" }, { apiName: nameHashOf("first") }],
  ["no name that is the same", { name: " ORDERS" }, {}],
])("records of a reply %s", async (_, replied, recorded) => {
  reply({ id: 1, ...replied }, "create");
  reply({ id: 1, ...replied }, "update");
  const { outputs } = await create(orders);
  const always = { ...orders, baseUrl: api.url, ...seen(), [CREATED_ABOUT]: time };
  expect(outputs).toStrictEqual({ ...always, ...recorded });
});

const off = { ...orders, enabled: false };

it.each<[string, fail: () => void, message: string]>([
  ["contradicts it", () => reply({ id: 1, enabled: true }, "update"), "it should be disabled, but"],
  ["is refused", () => refuse("update", { status: 403 }), "403 Forbidden from POST /webhooks/update"],
  ["is of another webhook", () => reply({ id: 9 }, "update", 9), "the reply is about another webhook"],
])("records a webhook, to be sent again, if the update after its create %s", async (_, fail, message) => {
  api.behavior.ignoredByCreate = "enabled";
  fail();
  const webhook = declare(startRun());
  const failure = await failureOf(webhook.declareNew(off));
  expect(failure).toMatchObject({ id: "1", outputs: { ...off, baseUrl: api.url, unconfirmed: true } });
  expect(failure.message).toContain(`Updating webhook 1 (orders) failed: `);
  expect(failure.message).toContain(message);
  const asked = operations();
  // An error hook repeats it.
  expect(await failureOf(webhook.create(off))).toMatchObject({ id: "1" });
  expect(operations()).toEqual(asked);
});

it("names the setting for gateways that pass nothing on, after what to do first", async () => {
  refuse("create", { status: 503 });
  const message = await messageOf(declare(startRun()).create(orders));
  expect(message).toContain("It is unknown whether the API created this webhook.");
  expect(message).toMatch(
    /run pulumi config set webhooks:noEffectStatus 503 --stack \S+: it counts from the next create on\.$/,
  );
});

it("records the secret that the API makes if none is declared, and keeps it, in no message", async () => {
  api.behavior.generatedSecret = "if none is sent";
  const { id, outputs } = await declare(startRun()).declareNew(orders);
  const [{ secret } = expect.unreachable()] = api.webhooks;
  expect(outputs.generatedSecret).toBe(secret);
  refuse("update", { status: 403, body: JSON.stringify({ message: `Not with ${secret}` }) });
  const webhook = declare(startRun(), { past: PASTS.known });
  expect(await messageOf(webhook.update(id, outputs, off))).toContain("The API's message: Not with …");
  const kept = [await webhook.update(id, outputs, off), await startRun({ drift: "probe" }).read(id, outputs)];
  for (const one of kept) expect(one?.outputs).toMatchObject({ generatedSecret: secret });
  const declared = await declare(startRun()).declareNew(withSecret);
  reply({ id: 7, secret: "********" }, "create");
  for (const one of [declared, await declare(startRun()).declareNew(orders)])
    expect(one.outputs).not.toHaveProperty("generatedSecret");
});

it("shows the secret that the API has just made in no message about the update that the create needs", async () => {
  const secret = "correct horse battery";
  reply({ id: 7, name: "another", secret }, "create");
  refuse("update", { status: 403, body: JSON.stringify({ message: `Not with ${secret}` }) });
  const failure = await failureOf(declare(startRun()).declareNew(orders));
  expect(failure).toMatchObject({ id: "7", outputs: { generatedSecret: secret } });
  expect(failure.message).toContain("The API's message: Not with …");
});

it("records a webhook under the name that the API gives it, and warns once", async () => {
  api.behavior.storedNames = "first 40 characters";
  const run = startRun();
  const name = "Orders of the shop in Berlin and Hamburg";
  const { id, outputs } = await declare(run).declareNew({ ...orders, name: `${name} EU` });
  expect(outputs).toMatchObject({ name: `${name} EU`, apiName: nameHashOf(name) });
  const refunds = declare(run, { urn: ORDERS.replace("orders", "refunds") });
  await refunds.declareNew({ ...orders, name: `${name} US` });
  expect(warnings).toEqual([
    expect.stringContaining("The API replied twice with another name than was sent"),
    "- webhook 1 (orders): another name at the API",
    "- webhook 2 (refunds): another name at the API",
  ]);
  expect(operations(), "each of which asks once more").toEqual(["create", "update", "create", "update"]);
  expect(await startRun({ drift: "probe" }).read(id, outputs)).toEqual({ outputs });
  api.clearCalls();
  await declare(startRun()).update(id, outputs, { ...orders, name: `${name} EU`, enabled: false });
  expect(operations(), "which knows the name").toEqual(["update"]);
});

type Run = ReturnType<typeof startRun>;

const remove = (run: Run, { id, outputs }: Result) => run.delete(id, outputs);
const findGone = async (run: Run, { id, outputs }: Result) => {
  const other = await create();
  api.dashboard.delete(id);
  await run.read(other.id, other.outputs);
  await run.read(id, outputs);
};
const OLD_DELIVERS = "The old webhook 1 still delivers. If URLs or names must be unique, change them";

it.each([
  [1, "if the API refuses its replacement", PASTS.known],
  [0, "of a new webhook", PASTS.new],
  [0, "of a webhook that was deleted first", PASTS.deleted],
  [0, "if this run has deleted it", PASTS.known, remove],
  [0, "if this run has found that it is gone", PASTS.known, findGone],
])("says %d times that the old webhook still exists %s", async (times, _, past, act?) => {
  const old = await create();
  const run = startRun({ drift: "probe" });
  await act?.(run, old);
  refuse("create");
  const message = await messageOf(declare(run, { past }).declareNew({ ...orders, secret: "new" }));
  expect(message.split(OLD_DELIVERS)).toHaveLength(1 + times);
});

it("records an unresolved webhook, which neither an error hook nor a run without the state sends again", async () => {
  loseReply();
  const webhook = declare(startRun());
  const failure = await failureOf(webhook.declareNew(withSecret));
  expect(failure).toMatchObject({ id: IN_DOUBT, outputs: { ...withSecret, baseUrl: api.url } });
  for (const mark of ["unconfirmed", REPLACED_ID]) expect(failure.outputs).not.toHaveProperty(mark);
  expect((await failureOf(webhook.create(withSecret))).id).toBe(failure.id);
  const { id = "", outputs = {} } = failure;
  const next = declare(startRun(), { past: PASTS.unread });
  expect(await next.plan(id, outputs, { ...orders, secret: "new" })).toEqual({ changes: true });
  const message = await messageOf(next.update(id, outputs, withSecret));
  expect(message).toContain("a webhook of this stack is unresolved. Run ");
  expect(operations()).toEqual(["create"]);
});

it("records nothing if the API refuses the create, which the next attempt sends again", async () => {
  refuse("create", { body: JSON.stringify({ message: `The url is in use by a webhook with ${SECRET}.` }) });
  const webhook = declare(startRun());
  const failure = await failureOf(webhook.declareNew(withSecret));
  expect(failure.id).toBeUndefined();
  expect(failure.message).toContain("The API's message: The url is in use by a webhook with …");
  expect(await webhook.create(withSecret)).toMatchObject({ id: "1" });
});

const other = (run: Run, past: Past = PASTS.new) => declare(run, { urn: "urn:other", past });
/** Starts an import, whose request is still under way. */
const startImport = async (run: Run) => {
  api.inject({ operation: "update", fault: { kind: "latency", milliseconds: 300 } });
  const done = other(run).declareNew({ ...orders, import: "1" });
  await vi.waitFor(() => expect(operations()).toEqual(["update"]));
  return { done };
};

it.each<[string, id: string, (run: Run) => Promise<object>]>([
  ["has created", "2", (run) => other(run).declareNew(orders)],
  ["is importing", "1", startImport],
  ["keeps", "1", (run) => other(run, PASTS.known).check(orders, orders)],
])("is unresolved if the reply has the id of a webhook that another resource %s", async (_, id, act) => {
  const { outputs } = await create(orders);
  const run = startRun();
  const acted = await act(run);
  reply({ id }, "create");
  const failure = await failureOf(declare(run).declareNew({ ...orders, name: "Refunds" }));
  expect(failure).toMatchObject({ id: IN_DOUBT, outputs: { name: "Refunds" } });
  expect(failure.message).toContain(`webhook ${id}, which another resource has: urn:other.`);
  if ("done" in acted) expect(await acted.done).toMatchObject({ id });
  // The webhook stays with its first resource.
  await run.delete(id, outputs);
  expect(warnings).toEqual([expect.stringContaining("was not deleted: a resource of the program")]);
});

it.each<[string, Past]>([
  ["its own record", PASTS.known],
  ["a record which only the engine knows, by an alias", PASTS.new],
])("is unresolved if the reply has the id of the webhook that it is to replace: %s", async (_, past) => {
  const { id, outputs } = await create();
  const webhook = declare(startRun(), { past });
  const news = { ...orders, secret: "new" };
  await webhook.plan(id, outputs, news);
  reply({ id: 1, name: "Orders" }, "create");
  const failure = await failureOf(webhook.create(news));
  expect(failure).toMatchObject({ id: IN_DOUBT, outputs: { [REPLACED_ID]: "1" } });
  expect(failure.message).toContain("the id of webhook 1, which this create is to replace.");
});

it("believes the id of the replaced webhook if this run has deleted that one: an API may use ids again", async () => {
  const { id, outputs } = await create();
  api.behavior.deletedIds = "used again";
  const run = startRun();
  const webhook = declare(run, { past: PASTS.known });
  await webhook.plan(id, outputs, { ...orders, secret: "new" });
  await run.delete(id, outputs);
  expect(await webhook.create({ ...orders, secret: "new" })).toMatchObject({ id });
});

it("creates nothing at another URL than that of the webhook to be replaced, as with --replace", async () => {
  const past = { ...PASTS.known, baseUrl: "https://old" };
  const message = await messageOf(declare(startRun(), { past }).declareNew(orders));
  expect(message).toMatch(/was created at https:..old, .* set webhooks:baseUrl back\.$/);
  expect(operations()).toEqual([]);
});

describe("a replacement of a webhook that another key saw last", () => {
  const rotated = { ...orders, url: "https://example.com/moved", secret: "new" };
  const start = async () => {
    const { id, outputs } = await create();
    const past = { ...PASTS.known, seenBy: "0000", createdAt: String(outputs.createdAt) };
    const webhook = declare(startRun(), { past });
    return { id, webhook, outputs: { ...outputs, [SEEN_BY]: "0000" } };
  };

  it("begins with an update of what the record has, and hides a secret url that it has", async () => {
    const { id, webhook, outputs } = await start();
    const url = "https://user:correcthorse@example.com/hooks";
    const body = JSON.stringify({ message: "No answer to correcthorse of user." });
    refuse("update", { status: 404, body, times: 5 });
    await webhook.plan(id, { ...outputs, url }, rotated);
    const message = await messageOf(webhook.create(rotated));
    expect(message).toContain("The API's message: No answer to … of …");
    expect(message).toContain("Asking whether this API key sees webhook 1 (orders) failed: 404");
    expect(operations()).toEqual(Array(5).fill("update"));
  });

  it("asks nothing with --replace if what the record has is a secret in the state", async () => {
    const { webhook } = await start();
    await webhook.declareNew(rotated);
    expect(operations()).toEqual(["create"]);
  });

  it("goes on if the receiver of the old webhook refuses that: it proves nothing", async () => {
    const { id, webhook, outputs } = await start();
    refuse("update");
    await webhook.plan(id, outputs, rotated);
    await webhook.create(rotated);
    expect(operations()).toEqual(["update", "create"]);
  });
});

describe("the note of a create", () => {
  const notes = useNotesFolder();
  /** Declares a webhook in a run that takes notes. */
  const noting = (described = {}) => declare(startRun({}, { notes: notes.start() }), described);
  const created = { ...withSecret, [RESOURCE_KEY]: writeResourceKey(ORDERS, "n0nc") };
  const mark = { seenBy: expect.stringMatching(/^[0-9a-f]{4}$/) };
  const sent = { nonce: "n0nc", urn: ORDERS, ...mark, sentAt: time, until: time };

  it("is written when it is sent, with the mark of the key, and holds neither a name nor a url", async () => {
    let whileSent: unknown;
    api.onCall = () => {
      whileSent = notes.creates;
    };
    await noting({ organization: "acme" }).declareNew(created);
    const all = { ...sent, api: shortHash(api.url) };
    expect(whileSent).toEqual([all]);
    expect(notes.creates).toEqual([{ ...all, reply: { id: "1", createdAt: time }, endedAt: time }]);
    expect(notes.read().files).toMatchObject([{ organization: "acme" }]);
  });

  it("has the times when the request left, after the waits of retries, and of its unknown outcome", async () => {
    api.inject({ operation: "create", fault: { kind: "status", status: 429, retryAfter: "1" } });
    const began = Date.now();
    loseReply();
    const { id = "" } = await failureOf(noting().declareNew(created));
    expect(notes.creates).toEqual([{ ...sent, api: shortHash(api.url), endedAt: time }]);
    const [{ sentAt, until } = expect.unreachable()] = notes.creates;
    expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(began + 1000);
    expect(Date.parse(until) - Date.parse(sentAt)).toBe(60_000);
    expect(id, "as in the id of the record").toContain(`${sentAt}+60`);
  });

  it("goes if the create certainly had no effect", async () => {
    refuse("create");
    await failureOf(noting().declareNew(created));
    expect(notes.creates).toEqual([]);
  });
});
