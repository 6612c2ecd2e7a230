import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.js";
import { noteOf } from "../../src/journal/place.js";
import type { NotedCreate } from "../../src/journal/sent-creates.js";
import { readChange, readCreates } from "../../src/journal/sent-creates.js";
import { RecordedStack } from "../../src/stack/recorded-stack.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import {
  api,
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

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders";
const declared = { ...orders, secret: SECRET };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts a provider process that notes what it sends. */
const start = (settings: Record<string, string> = {}) =>
  startProvider(settings, undefined, new Journal(folder));

const note = () => noteOf(folder, { urn: URN, organization: "acme" });
const noted = (): NotedCreate[] => readCreates(folder, { stack: "dev", project: "test" });

/** Sends a create in a run that is killed before Pulumi records the reply. */
async function createUnrecorded(): Promise<void> {
  await declare(start(), { note: note() }).declareNew(declared);
}

/** Declares the resource in a new run, which has read the journal. */
function declareAgain(provider = start()) {
  const past = new RecordedStack({}, noted()).pastOf({ urn: URN });
  return declare(provider, { note: note(), past });
}

it("records a webhook that a killed run has created: a full update proves that it exists", async () => {
  await createUnrecorded();
  const { id, outs } = await declareAgain().declareNew(declared);
  expect(operations()).toEqual(["create", "update"]);
  expect(id).toBe("1");
  expect(outs).toMatchObject({ ...declared, baseUrl: api.url, createdAt: expect.any(String) });
  expect(warnings).toEqual([]);
});

it("records a webhook whose secret has changed since without one, so that the next up replaces it", async () => {
  await createUnrecorded();
  const rotated = { ...declared, secret: "whsec-canary-rotated" };
  const { id, outs = {} } = await declareAgain().declareNew(rotated);
  expect(outs).not.toHaveProperty("secret");
  expect(JSON.stringify(outs)).not.toContain("whsec");
  expect(warnings).toEqual([
    "Webhook 1 (Orders) was created by an earlier run with another secret, or with another API key. The next pulumi up replaces it by one with the secret of the program.",
  ]);
  expect(await declare(start()).plan(id, outs, rotated)).toEqual({ changes: true, replaces: ["secret"] });
  expect(await declare(start()).plan(id, outs, declared)).toEqual({ changes: false });
});

it("does not take a webhook of another Provider for it that has the same id: it may be another account's", async () => {
  await createUnrecorded();
  const holder = {
    urn: `${URN}-other`,
    type: WEBHOOK_TYPE,
    id: "1",
    outputs: { baseUrl: api.url },
    provider: "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::eu::p1",
  };
  const provider = {
    urn: "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::eu",
    type: "pulumi:providers:pulumi-nodejs",
    id: "p1",
    inputs: { "webhooks:explicitProvider": "eu" },
  };
  const stack = new RecordedStack({ deployment: { resources: [provider, holder] } }, noted());
  expect(stack.pastOf({ urn: URN }).interrupted?.noted?.reply).toMatchObject({ id: "1" });
});

it("confirms a webhook in doubt whose secret the state does not know before it replaces it", async () => {
  const { id, outs = {} } = await declare(start()).declareNew(declared);
  const { secret, ...known } = outs;
  const recorded = {
    ...known,
    url: "",
    secretDigest: "of another",
    unconfirmed: true,
    inDoubtId: "in-doubt:x",
  };
  const again = declare(start());
  expect(await again.plan(id, recorded, declared)).toEqual({ changes: true });
  const { outs: confirmed = {} } = await again.update(id, recorded, declared);
  expect(confirmed).toMatchObject({ url: declared.url, secretDigest: "of another" });
  expect(confirmed).not.toHaveProperty("secret");
  expect(await declare(startProvider()).plan(id, confirmed, declared)).toMatchObject({
    replaces: ["secret"],
  });
  const ignoring = declare(startProvider(), { ignored: ["secret"] });
  expect(await ignoring.plan(id, confirmed, orders)).toEqual({ changes: false });
});

it("refuses a replacement under a name that only the engine knows, while a create of the stack is interrupted", async () => {
  const { id, outs = {} } = await declare(start()).declareNew(declared);
  const renamed = declare(start(), { key: "renamed", past: { hasInterruptedStack: true } });
  const rotated = { ...declared, secret: "whsec-canary-rotated" };
  await expect(renamed.plan(id, outs, rotated)).rejects.toThrow("a transformation adds its alias");
});

it("records it as unconfirmed if the update has no clear reply", async () => {
  await createUnrecorded();
  api.inject({ operation: "update", times: 99, fault: { kind: "hang", commit: false } });
  const failure = await failureOf(declareAgain(start(IMPATIENT)).declareNew(declared));
  expect(failure).toMatchObject({ id: "1", properties: { ...declared, unconfirmed: true } });
});

it("sends nothing that the API refuses twice: the next up tries again", async () => {
  await createUnrecorded();
  api.inject({ operation: "update", fault: { kind: "status", status: 401 } });
  const failure = await failureOf(declareAgain().declareNew(declared));
  expect(failure).not.toHaveProperty("id");
  expect(noted()).toHaveLength(1);
  await declareAgain().declareNew(declared);
  expect(api.webhooks).toHaveLength(1);
});

it("creates it again if it is gone, once another webhook proves that", async () => {
  await createUnrecorded();
  const provider = start();
  const other = await declare(start(), { key: "other" }).declareNew({ ...orders, name: "Other" });
  api.dashboard.delete("1");
  await declare(provider, { key: "other" }).update(other.id, other.outs ?? {}, { ...orders, name: "New" });
  const { id } = await declareAgain(provider).declareNew(declared);
  expect(id).toBe("3");
});

it("records it as in doubt if the API does not know it, and nothing proves that", async () => {
  await createUnrecorded();
  api.dashboard.delete("1");
  const failure = await failureOf(declareAgain().declareNew(declared));
  expect(failure.id).toMatch(/^in-doubt:/);
  expect(failure.message).toContain(
    "an earlier run was killed after the API had created webhook 1. Now it replied that the webhook does not exist, and no other webhook proves that.",
  );
  expect(operations()).toEqual(["create", "update"]);
});

it("does not take a webhook for it that was created at another time: the API uses ids again", async () => {
  await createUnrecorded();
  const [create] = noted();
  const past = new RecordedStack({}, [
    { ...create, reply: { id: "1", createdAt: "2020-01-01T00:00:00Z" } } as NotedCreate,
  ]).pastOf({ urn: URN });
  const failure = await failureOf(declare(start(), { note: note(), past }).declareNew(declared));
  expect(failure.id).toMatch(/^in-doubt:/);
  expect(failure.message).toContain("so it is another one. Its url, name and enabled were overwritten");
});

it("sends nothing to another API than the one that has created it", async () => {
  await createUnrecorded();
  const elsewhere = start({ "webhooks:baseUrl": "http://127.0.0.1:1" });
  const failure = await failureOf(declareAgain(elsewhere).declareNew(declared));
  expect(failure).not.toHaveProperty("id");
  expect(failure.message).toContain("at another URL than the one that webhooks:baseUrl has now");
});

it("notes no create that surely had no effect", async () => {
  api.inject({ operation: "create", fault: { kind: "status", status: 422 } });
  await failureOf(createUnrecorded());
  expect(noted()).toEqual([]);
});

it("keeps a delete without a clear reply in mind, and sends all fields if the webhook is declared again", async () => {
  const { id, outs = {} } = await declare(start()).declareNew(declared);
  api.inject({ operation: "delete", times: 99, fault: { kind: "hang", commit: false } });
  await failureOf(start(IMPATIENT).delete(id, outs));
  expect(readChange(folder, { baseUrl: api.url, provider: undefined, id })).toMatchObject({
    operation: "delete",
  });
  const again = declare(start());
  expect(await again.plan(id, outs, declared)).toEqual({ changes: true });
  await again.update(id, outs, declared);
  await expect
    .poll(() => existsSync(folder) && readChange(folder, { baseUrl: api.url, provider: undefined, id }))
    .toBeUndefined();
});

it("keeps that in mind if the resource moves to another Provider", async () => {
  const { id, outs = {} } = await declare(start()).declareNew(declared);
  api.inject({ operation: "delete", times: 99, fault: { kind: "hang", commit: false } });
  await failureOf(start({ ...IMPATIENT, "webhooks:explicitProvider": "eu" }).delete(id, outs));
  const past = { recordedId: id, provider: { name: "eu" } };
  expect(await declare(start(), { past }).plan(id, outs, declared)).toEqual({ changes: true });
});
