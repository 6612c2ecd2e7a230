import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Fault } from "../../simulator/src/index.js";
import { WebhookLifecycle } from "../../src/lifecycle/lifecycle.js";
import type { Properties } from "../../src/lifecycle/values.js";
import { SEEN_BY } from "../../src/record/seen-by.js";
import { parse } from "../settings/parse.js";
import { create, declare, failureOf, messageOf, receive, startEndingRun, startRun } from "./runs.js";
import { api, operations, refuse, reply, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, ORDERS, orders, PASTS, withSecret } from "./webhooks.js";

useSimulator();

const OLD = "https://old.example.com";

const notFound = [expect.stringContaining("The API has no webhooks with these"), "- webhook 1: not found"];

it("deletes a webhook, and counts one that is already gone as deleted, with a warning", async () => {
  const { id, outputs } = await create();
  await startRun().delete(id, outputs);
  expect(api.webhooks).toEqual([]);
  expect(warnings).toEqual([]);
  await startRun().delete(id, outputs);
  expect(warnings).toEqual(notFound);
});

it("counts the status that the setting names as a 404, and names the setting without it", async () => {
  const { id, outputs } = await create();
  api.dashboard.delete(id);
  api.behavior.unknownIdStatus = 422;
  const advice =
    "run pulumi config set webhooks:unknownIdStatus 422 --stack dev, then try again. (Without --run-program, a destroy and a refresh use the settings of the last up.)";
  expect(await messageOf(startRun().delete(id, outputs))).toContain(advice);
  await startRun({ unknownIdStatus: "422" }).delete(id, outputs);
  expect(warnings).toEqual(notFound);
});

it("keeps a webhook whose delete the API refuses by the status for unknown ids, and quotes the reason", async () => {
  const { id, outputs } = await declare(startRun()).declareNew(orders);
  const body = JSON.stringify({ message: "It is in use by an integration." });
  refuse("delete", { status: 422, times: 2, body });
  const failure = await failureOf(startRun({ unknownIdStatus: "422" }).delete(id, outputs));
  expect(failure.message).toContain("The API's message: It is in use by an integration.");
  expect(operations()).toEqual(["create", "delete", "update"]);
  expect(api.webhooks).toMatchObject([{ id, ...orders }]);
});

const LOST: Fault = { kind: "reset", when: "after commit" };

it.each<[string, Fault, settings: object, asked: string[]]>([
  ["a lost reply", LOST, {}, []],
  ["a lost reply of an API that gives unknown ids a 422", LOST, { unknownIdStatus: "422" }, ["update"]],
  ["a 202", { kind: "status", status: 202, commit: true }, {}, []],
])("takes a young webhook for deleted that is not found after %s", async (_, fault, settings, asked) => {
  const { id, outputs } = await declare(startRun()).declareNew(orders);
  if (asked.length > 0) api.behavior.unknownIdStatus = 422;
  api.inject({ operation: "delete", fault });
  await startRun({ ...settings }).delete(id, outputs);
  expect(operations()).toEqual(["create", "delete", "delete", ...asked]);
  expect(warnings).toEqual([]);
});

type Run = ReturnType<typeof startRun>;

const OWNED = /^Webhook 1 \(orders\) was not deleted/;
const keep = (run: Run) => declare(run, { past: PASTS.known }).check(orders, withSecret);
const keepRenamed = (run: Run, olds: Properties) => declare(run).plan("1", olds, withSecret);
const reimport = (run: Run) => declare(run).check({}, { ...orders, import: "1" });
const replaceDeleted = (run: Run) => declare(run, { past: PASTS.deleted }).check({}, withSecret);

it.each<[string, act: (run: Run, olds: Properties) => unknown, warned: RegExp[]]>([
  ["that a resource keeps", keep, [OWNED]],
  ["of an id that only the engine knew, by an alias", keepRenamed, [OWNED]],
  ["that was deleted before its replacement, as the state says", replaceDeleted, []],
])("sends nothing for a webhook %s, and drops its entry", async (_, act, warned) => {
  const { id, outputs } = await create();
  const run = startRun();
  await act(run, outputs);
  await run.delete(id, outputs);
  expect(warnings).toEqual(warned.map((line) => expect.stringMatching(line)));
  expect(operations()).toEqual([]);
});

it("keeps what was replaced as long as its replacement does not deliver, or fails", async () => {
  const { id, outputs } = await create();
  const news = { ...orders, secret: "new" };
  api.behavior.verification = "by hand";
  const run = startRun();
  const webhook = declare(run, { past: PASTS.known });
  await webhook.plan(id, outputs, news);
  const replacement = await webhook.create(news);
  expect(await messageOf(run.delete(id, outputs))).toContain("its replacement does not deliver yet");

  const next = startRun();
  const past = { kind: "known", id: "2", obsolete: [id] } as const;
  refuse("update");
  await failureOf(declare(next, { past }).update("2", replacement.outputs, { ...news, enabled: false }));
  expect(await messageOf(next.delete(id, outputs))).toContain("failed in this run");
});

it.each<["create" | "update", (webhook: ReturnType<typeof declare>) => Promise<unknown>]>([
  ["create", (webhook) => webhook.create(orders)],
  ["update", (webhook) => webhook.update("2", { ...orders, baseUrl: api.url }, { ...orders, name: "B" })],
])("deletes after a failed %s only what was replaced before, until it is repeated", async (kind, act) => {
  const { id, outputs } = await create();
  await create();
  const run = startRun();
  const other = declare(run, { urn: "urn:other" });
  refuse(kind);
  await failureOf(act(other));
  expect(await messageOf(run.delete(id, outputs))).toContain("failed in this run, so this webhook stays");
  expect(await messageOf(run.delete(IN_DOUBT, outputs))).toContain("which says the same");
  await declare(run, { past: { kind: "known", id: "9", obsolete: [id] } }).check(orders, orders);
  await run.delete(id, outputs);
  // As an error hook does.
  await act(other);
  await run.delete(IN_DOUBT, outputs);
  expect(operations()).toEqual([kind, "delete", kind]);
});

it("drops an unresolved webhook only when its warning has reached the engine, which may end the process at once", async () => {
  const events: string[] = [];
  const warn = async () => {
    await setTimeout(10);
    events.push("warned");
  };
  const run = new WebhookLifecycle(parse({}), { log: { warn, progress: () => {} } });
  await run.delete(IN_DOUBT, receive({ ...orders, baseUrl: api.url }));
  events.push("dropped");
  expect(events).toEqual(["warned", "dropped"]);
  expect(operations()).toEqual([]);
});

it("says what to do if a delete gets no clear reply", async () => {
  const { id, outputs } = await create();
  expect(await messageOf(startEndingRun("delete").delete(id, outputs))).toMatch(
    /^Deleting webhook 1 failed: 500 .* run pulumi up --refresh=false --replace '<urn>'/,
  );
});

const NO_URL = "its outputs in the state are not those of a webhook";

it.each<[string, act: (run: Run) => unknown, recorded: object, message: string]>([
  ["that has no URL, of a resource", keep, { baseUrl: undefined }, NO_URL],
  ["that has another URL, of a resource", keep, { baseUrl: OLD }, `was created at ${OLD}`],
  ["that deleteBeforeReplace would import again", reimport, {}, "deleteBeforeReplace does not work"],
])("fails for the record %s, and sends nothing", async (_, act, recorded, message) => {
  const { id, outputs } = await create();
  const run = startRun();
  await act(run);
  expect(await messageOf(run.delete(id, { ...outputs, ...recorded }))).toContain(message);
  expect(operations()).toEqual([]);
});

const CREATED_ELSEWHERE = { createdAt: "2025-01-01T00:00:00Z" };
const refuseAll = () => refuse("update", { status: 500, times: Number.POSITIVE_INFINITY });
const nothing = () => {};
const both = ["update", "delete"];
const ANOTHER = "is another webhook now";
const UNSEEN = "another API key saw it last. If this is another account's key, set the right one.";

it.each<[string, recorded: object, act: (id: string) => unknown, sent: string[], message?: string]>([
  ["asks by the id alone, and deletes what was created when the record says", {}, nothing, both],
  ["keeps what was created at another time", CREATED_ELSEWHERE, nothing, ["update"], ANOTHER],
  ["keeps one that it does not see", {}, (id) => api.dashboard.delete(id), Array(5).fill("update"), UNSEEN],
  ["asks by what the record has if the question is refused", {}, () => refuse("update"), ["update", ...both]],
  ["deletes one if all questions are refused", {}, () => refuse("update", { times: 2 }), ["update", ...both]],
  ["deletes one whose creation no reply shows", {}, () => reply({ id: 1, name: "Orders" }, "update"), both],
  ["keeps one if the question gets no answer", {}, refuseAll, [], "sees webhook 1 (orders) failed"],
])("under a key that has not seen it, %s", async (_, recorded, act, sent, message) => {
  const { id, outputs } = await create();
  act(id);
  const other = { ...outputs, [SEEN_BY]: "0000", ...recorded };
  const deleting = startRun({ deadlineSeconds: "0.5" }).delete(id, other, { urn: ORDERS });
  if (message === undefined) await deleting;
  else expect(await messageOf(deleting)).toContain(message);
  if (sent.length > 0) expect(operations()).toEqual(sent);
  else expect(JSON.stringify(api.calls.map(({ body }) => body))).not.toContain("url");
  expect(operations().includes("delete")).toBe(sent.includes("delete"));
  expect(JSON.stringify(api.calls[0]?.body)).toBe('{"webhook_id":"1"}');
});

it("asks by what the record has if the API cannot be probed, or answers the question as it does for an unknown id", async () => {
  const { id, outputs } = await create();
  const other = { ...outputs, [SEEN_BY]: "0000" };
  refuse("delete", { times: 2 });
  await failureOf(startRun({ drift: "enforce" }).delete(id, other));
  refuse("update");
  await failureOf(startRun({ unknownIdStatus: "422" }).delete(id, other));
  const updates = api.calls.filter(({ operation }) => operation === "update");
  expect(updates.map(({ body }) => Object.keys(Object(body)).length)).toEqual([4, 1, 4, 4]);
});

it("asks with a key one question after the other until one is answered: of webhooks of another account, it touches one", async () => {
  const created = [await create(), await create(), await create()];
  refuse("update", { status: 404, times: 5 });
  const run = startRun();
  const remove = ({ id, outputs }: (typeof created)[number]) =>
    messageOf(run.delete(id, { ...outputs, [SEEN_BY]: "0000", ...CREATED_ELSEWHERE }));
  const [missing, second, third] = await Promise.all(created.map(remove));
  expect(missing).toContain(UNSEEN);
  expect(second).toContain("is another webhook now");
  expect(third).toContain("sends nothing more in this run");
  expect(operations()).toEqual(Array(6).fill("update"));
});

it("does not believe another key's 404 of a young webhook", async () => {
  const { id, outputs } = await declare(startRun()).declareNew(orders);
  api.dashboard.delete(id);
  const message = await messageOf(startRun().delete(id, { ...outputs, [SEEN_BY]: "0000" }));
  expect(message).toContain("It is less than two minutes old");
});

it("explains once why the API refuses the key, in at most 60 words, and refers to that for every other webhook", async () => {
  const created = [await create(), await create(), await create()];
  api.apiKey = "another-key";
  const run = startRun();
  const messages: string[] = [];
  for (const { id, outputs } of created) messages.push(await messageOf(run.delete(id, outputs)));
  const [first = "", ...others] = messages;
  const refused =
    /^Deleting webhook 1 failed: 401 .* The API key was refused\. Set the right one: pulumi config/;
  expect(first).toMatch(refused);
  expect(first.split(" ").length).toBeLessThanOrEqual(60);
  const reference = `see the error "Deleting webhook 1 failed", which says the same.`;
  expect(others).toEqual(["2", "3"].map((id) => `Deleting webhook ${id} failed: ${reference}`));
});
