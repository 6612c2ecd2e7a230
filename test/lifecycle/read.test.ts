import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { FINDINGS_FILE, parseFindings } from "../../src/lifecycle/finding.js";
import type { Result } from "../../src/lifecycle/values.js";
import { SECRETS } from "../../src/record/properties.js";
import { SEEN_BY } from "../../src/record/seen-by.js";
import { makeFolder } from "../temporary-folder.js";
import { create, declare, failureOf, messageOf, startRun } from "./runs.js";
import {
  api,
  operations,
  passSeconds,
  progress,
  refuse,
  reply,
  useSimulator,
  warnings,
} from "./simulator.js";
import { API_KEY, IN_DOUBT, orders, PASTS, SECRET, withSecret } from "./webhooks.js";

useSimulator();

beforeEach(() => {
  api.behavior.emptyUpdate = "leaves updated_at";
});

it.each([
  ["off", [/^Webhooks were not compared with the API, which has no read operation/], []],
  ["enforce", [], [/^webhooks:drift is enforce: webhooks are not compared with the API/]],
])("keeps the record with %s, sends no request, and says so once", async (drift, warned, shown) => {
  const { id, outputs } = await create();
  const run = startRun({ drift });
  for (const _ of ["a", "b"]) expect(await run.read(id, outputs)).toEqual({ outputs });
  expect(warnings).toEqual(warned.map((line) => expect.stringMatching(line)));
  expect(progress).toEqual(shown.map((line) => expect.stringMatching(line)));
  expect(operations()).toEqual([]);
});

const startProbing = (settings = {}) => startRun({ drift: "probe", ...settings });

it("shows what was changed in the dashboard, until the next update overwrites it", async () => {
  const { id, outputs } = await create();
  passSeconds(60);
  api.dashboard.edit(id, { name: "Renamed", enabled: false });
  const recorded = { ...outputs, fromTheFuture: [1] };
  const { outputs: found = {}, inputs } = (await startProbing().read(id, recorded)) ?? {};
  expect(inputs).toEqual({ ...withSecret, name: "Renamed", enabled: false });
  expect(found).toMatchObject({ name: "Renamed", enabled: false, fromTheFuture: [1] });
  const next = declare(startProbing(), { past: PASTS.known });
  expect(await next.plan(id, found, withSecret)).toEqual({ changes: true });
  const { outputs: updated } = await next.update(id, found, withSecret);
  expect(updated).toEqual({ ...outputs, updatedAt: expect.any(String) });
  expect(await startProbing().read(id, updated)).toEqual({ outputs: updated });
});

it.each<[string, string, object]>([
  ["that is unresolved", IN_DOUBT, {}],
  ["that is unresolved, and whose base URL is not known", IN_DOUBT, { baseUrl: undefined }],
  ["that the engine imported", "1", { url: undefined, imported: true }],
  ["that is sent again, and may have a secret name by now", "1", { unconfirmed: true }],
])("keeps the record of a webhook %s, and sends nothing", async (_, id, marks) => {
  const { outputs } = await create();
  const recorded = { ...outputs, ...marks };
  expect(await startProbing().read(id, recorded)).toEqual({ outputs: recorded });
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([]);
});

it("probes a webhook of a previous URL at the current one, and none of another account", async () => {
  const { id, outputs } = await create();
  const recorded = { ...outputs, baseUrl: "https://old.example.com" };
  const moved = startProbing({ previousBaseUrl: "https://old.example.com" });
  expect(await moved.read(id, recorded)).toEqual({ outputs: recorded });
  const { message } = await failureOf(startProbing().read(id, recorded));
  expect(message).toMatch(/was created at https:\/\/old.example.com, .* \(Without --run-program, a destroy/);
  expect(operations()).toEqual(["update"]);
});

it("fails for a record that is not that of a webhook, as what version 0.1.0 has read by its id", async () => {
  const read = startProbing().read("1", { name: "Orders", enabled: true, baseUrl: api.url });
  expect(await messageOf(read)).toContain("its outputs in the state are not those of a webhook.");
  expect(operations()).toEqual([]);
});

it("needs no API key for a refresh that sends nothing", async () => {
  const { id, outputs } = await create();
  expect(await startRun({ apiKey: "" }).read(id, outputs)).toEqual({ outputs });
  const wrong = await messageOf(startRun({ apiKey: "", drift: "sometimes" }).read(id, outputs));
  expect(wrong).toContain("webhooks:drift must be off, probe or enforce");
});

it("keeps a name secret that somebody has given it, and that has the secret or the API key in it", async () => {
  const { id, outputs } = await create();
  for (const secret of [SECRET, API_KEY]) {
    api.dashboard.edit(id, { name: `See ${secret}` });
    const read = await startProbing().read(id, outputs);
    expect(read?.secrets).toEqual(new Set(["name"]));
  }
});

it("fails if the probe is refused, or its 404 is a proxy's web page", async () => {
  const { id, outputs } = await create();
  const read = () => messageOf(startProbing().read(id, outputs));
  refuse("update", { status: 401 });
  expect(await read()).toMatch(/^Reading webhook 1 failed: .*The API key was refused/);
  refuse("update", { status: 404, body: "<html>", times: 5 });
  expect(await read()).toMatch(/failed: 404 Not Found/);
});

it.each<[string, object, found?: object]>([
  ["cleared", { name: "", enabled: "false" }, { name: "", enabled: false }],
  ["left out", {}],
  ["null", { name: null, enabled: null }],
])("warns if the probe returns fields that are %s, and the next up sends all", async (_, fields, found) => {
  const { id, outputs } = await create();
  reply({ id: 1, ...fields });
  const read = (await startProbing().read(id, outputs)) ?? expect.unreachable();
  expect(read).toEqual({
    outputs: { ...outputs, ...found, unconfirmed: true },
    ...(found && { inputs: { ...withSecret, ...found } }),
  });
  expect(warnings).toEqual([expect.stringMatching(/cleared its name: .* set webhooks:drift enforce/)]);
  const next = declare(startProbing(), { past: PASTS.known });
  expect(await next.plan(id, read.outputs, withSecret)).toEqual({ changes: true });
  expect((await next.update(id, read.outputs, withSecret)).outputs).not.toHaveProperty("unconfirmed");
});

it("keeps the record of a young webhook that the API does not find, and warns that it was not compared", async () => {
  const { id, outputs } = await declare(startRun()).declareNew(orders);
  const other = await create();
  api.behavior.clockSkewSeconds = 0;
  api.dashboard.delete(id);
  const run = startProbing();
  await run.read(other.id, other.outputs);
  expect(await run.read(id, outputs)).toEqual({ outputs });
  expect(warnings).toEqual([expect.stringMatching(/^A new webhook was not compared: webhook 1 /)]);
});

it("removes a webhook that another API key saw last if this key has found another one of that key", async () => {
  const [gone, other] = [await create(), await create()];
  api.dashboard.delete(gone.id);
  const run = startProbing();
  const seenBy = (seen: string, { outputs }: Result) => ({ ...outputs, [SEEN_BY]: seen });
  await run.read(other.id, seenBy("ffff", other));
  const message = await messageOf(run.read(gone.id, seenBy("0000", gone)));
  expect(message).toContain("another API key saw it last");
  expect(await run.read(other.id, seenBy("0000", other))).toEqual({ outputs: other.outputs });
  expect(await run.read(gone.id, seenBy("0000", gone))).toBeUndefined();
  // Earlier versions recorded no key.
  const { [SEEN_BY]: _, ...old } = gone.outputs;
  expect(await startProbing().read(other.id, other.outputs)).toBeDefined();
  expect(await run.read(gone.id, old)).toBeUndefined();
});

const setTime = () => {
  api.behavior.emptyUpdate = "sets updated_at";
};
const hideEnabled = ({ outputs }: Result) =>
  reply({ id: 1, name: "Orders", updated_at: outputs.updatedAt, enabled: "disabled" });
const seenByOther = ({ id }: Result) => {
  api.dashboard.edit(id, { enabled: false });
  return { [SEEN_BY]: "0000", createdAt: undefined };
};

it.each<[string, arrange: (webhook: Result) => unknown, warned: RegExp]>([
  ["whose time the probe may have set", setTime, /not compared: updated_at is too new/],
  ["whose enabled is neither true nor false", hideEnabled, /^Whether webhooks are enabled was not compared/],
  ["of another key that only its name makes alike", seenByOther, /^Webhook 1 was not compared: another API/],
])("keeps the record of a webhook %s, and warns once", async (_, arrange, warned) => {
  const created = await create();
  passSeconds(10);
  const outputs = { ...created.outputs, ...Object(arrange(created)) };
  const run = startProbing();
  for (const _ of ["once", "again"]) expect(await run.read(created.id, outputs)).toEqual({ outputs });
  expect(warnings).toEqual([expect.stringMatching(warned)]);
});

it("asks nothing of updated_at if ignoreUpdatedAt is true", async () => {
  const { id, outputs } = await create();
  passSeconds(60);
  api.dashboard.edit(id, {});
  passSeconds(60);
  expect(await startProbing({ ignoreUpdatedAt: "true" }).read(id, outputs)).toEqual({ outputs });
  expect([...warnings, ...progress]).toEqual([]);
});

it("writes for the command drift what it found of each webhook, and no secret", async () => {
  const file = join(makeFolder(), "findings");
  vi.stubEnv(FINDINGS_FILE, file);
  const secret = { ...withSecret, [SECRETS]: ["name", "url"], name: "canary name" };
  const [gone, renamed, same] = [await create(), await create(secret), await create()];
  passSeconds(60);
  api.dashboard.delete(gone.id);
  api.dashboard.edit(renamed.id, { name: "canary renamed", enabled: false });
  passSeconds(60);
  const run = startProbing();
  for (const { id, outputs } of [same, renamed, gone])
    await run.read(id, { ...outputs, [SECRETS]: secret[SECRETS] });
  await run.read("9", { ...same.outputs, unconfirmed: true });
  const text = readFileSync(file, "utf8");
  vi.unstubAllEnvs();
  expect(text).not.toMatch(/canary|example\.com/);
  expect(parseFindings(text)?.map(({ found }) => found)).toEqual([
    {},
    { change: { fields: { name: null, enabled: false }, changedAt: api.webhooks[0]?.updatedAt } },
    { change: "deleted" },
    { remark: { level: "not compared", text: expect.stringContaining("the next pulumi up sends") } },
  ]);
  // Half a line, as of a full disk, and one that was cut in the middle.
  for (const broken of [text.slice(0, -9), text.slice(9)]) expect(parseFindings(broken)).toBeUndefined();
});

it("records the creation of a webhook that has none, but not that of what may be another one", async () => {
  const { id, outputs } = await create();
  const { createdAt, ...recorded } = outputs;
  const first = await startProbing().read(id, recorded);
  expect(first?.outputs).toMatchObject({ createdAt: api.webhooks[0]?.createdAt });
  api.dashboard.edit(id, { name: "Renamed" });
  const read = await startProbing().read(id, recorded);
  expect(read?.outputs).toMatchObject({ name: "Renamed" });
  expect(read?.outputs).not.toHaveProperty("createdAt");
});
