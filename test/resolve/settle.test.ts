import { describe, expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/read-notes.js";
import type { Question } from "../../src/resolve/questions.js";
import { findQuestions } from "../../src/resolve/questions.js";
import type { Outcome } from "../../src/resolve/settle.js";
import { settle } from "../../src/resolve/settle.js";
import { FINGERPRINT } from "../../src/stack/hidden-properties.js";
import type { StackExport } from "../../src/stack/stack-export.js";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { findUnresolved } from "../../src/stack/unresolved.js";
import {
  BASE_URL,
  exported,
  IN_DOUBT,
  note,
  pending,
  provider,
  providerOf,
  RECORDED,
  SENT,
  sent,
  urnOf,
  webhook,
} from "../stack/exported.js";

const secret = { ciphertext: "v1:secret" };
const inputs = { ...sent, secret, __provider: "the stored text" };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const inDoubtBy = (sentAt: string) => expect.stringMatching(`^in-doubt:by-${sentAt}-\\w{4}$`);
const reply = { name: "Orders", createdAt: SENT, updatedAt: SENT };

const main = provider("default");

const full = { baseUrl: BASE_URL, ...sent };

/** Settles all creates of a state. Without an outcome, they stay unresolved. */
function settled(state: StackExport, outcome?: Outcome, notes: NotedCreate[] = []) {
  const questions = findQuestions(state, { notes, configuredUrl: BASE_URL });
  const outcomes = new Map<Question, Outcome>();
  if (outcome !== undefined) for (const question of questions) outcomes.set(question, outcome);
  const before = JSON.stringify(state);
  const { state: after, sendAgain } = settle(state, questions, outcomes);
  expect(JSON.stringify(state), "the state that was read").toBe(before);
  return { after, resources: after.deployment?.resources ?? [], sendAgain };
}

describe("an unresolved create", () => {
  it("is recorded with all that was sent, and without a pending operation", () => {
    const creating = pending("creating", "orders", { inputs, protect: true, aliases: ["urn:old"] });
    const { after, resources } = settled(exported([main], [creating]));
    expect(resources[1]).toEqual({
      ...webhook("orders", { inputs, protect: true }),
      id: inDoubtBy("2026-01-01T13:00:00.000Z"),
      created: time,
      modified: time,
      outputs: { ...inputs, __provider: expect.any(String), baseUrl: BASE_URL },
    });
    expect(after.deployment?.pending_operations).toEqual([]);
    // Once recorded, it is the same question.
    expect(findUnresolved(after)).toMatchObject([
      { urn: urnOf("orders"), name: "Orders", isSentEarlier: true },
    ]);
  });

  it("takes the place of the webhook that it replaces, which waits for its deletion", () => {
    const old = webhook("orders");
    const creating = pending("creating", "orders", { inputs, created: RECORDED });
    const { resources } = settled(exported([main, old, webhook("other")], [creating]));
    expect(resources).toEqual([
      main,
      expect.objectContaining({ urn: old.urn, id: inDoubtBy("2026-01-01T13:00:00.000Z") }),
      webhook("other"),
      { ...old, delete: true },
    ]);
  });

  it("takes the place of a record of one of its aliases, under whose name no record is left", () => {
    const alias = urnOf("legacy");
    const creating = pending("creating", "orders", { inputs, created: RECORDED, aliases: ["urn:x", alias] });
    const dependent = webhook("dependent", { dependencies: [alias] });
    const state = exported([main, webhook("legacy"), dependent], [creating]);
    for (const outcome of [undefined, { id: "7", reply }]) {
      const { resources } = settled(state, outcome);
      expect(resources).toMatchObject([
        main,
        { urn: urnOf("orders"), id: outcome?.id ?? expect.stringMatching(/^in-doubt:/) },
        { urn: urnOf("dependent"), dependencies: [urnOf("orders")] },
        { urn: urnOf("orders"), id: "1", delete: true },
      ]);
      expect(JSON.stringify(resources)).not.toMatch(/aliases|::legacy/);
    }
    expect(settled(state, "none").resources).toEqual([main, webhook("legacy"), dependent]);
  });

  it("comes after its Provider, and refers to nothing that comes later or has left the state", () => {
    const eu = provider("eu");
    const creating = pending("creating", "orders", {
      provider: providerOf("eu"),
      created: RECORDED,
      parent: "urn:component",
      deletedWith: "urn:gone",
      dependencies: ["urn:gone", urnOf("other")],
      propertyDependencies: { url: ["urn:gone", urnOf("other")] },
    });
    const component = { urn: "urn:component", type: "app" };
    const state = exported([main, webhook("orders"), webhook("other"), eu, component], [creating]);
    const { resources } = settled(state);
    expect(resources.map(({ urn }) => urn)).toEqual(
      [main, webhook("other"), eu, webhook("orders"), component, webhook("orders")].map(({ urn }) => urn),
    );
    expect(resources[3]).toMatchObject({
      dependencies: [urnOf("other")],
      propertyDependencies: { url: [urnOf("other")] },
    });
    expect(resources[3]).not.toHaveProperty("parent");
    expect(resources[3]).not.toHaveProperty("deletedWith");
  });

  it.each([
    ["was only read", { external: true }],
    ["was deleted before it", { pendingReplacement: true }],
  ])("leaves no entry of a webhook that %s", (_, fields) => {
    const creating = pending("creating", "orders", { created: RECORDED });
    const { resources } = settled(exported([main, webhook("orders", fields)], [creating]));
    expect(resources).toMatchObject([main, { id: inDoubtBy("2026-01-01T13:00:00.000Z") }]);
  });

  it("that only a note shows is recorded with what the note says that it sent", () => {
    const state = exported([provider("eu")]);
    const noted = note({ ...full, provider: "eu", fingerprint: "salt:abcd" });
    const { resources } = settled(state, undefined, [noted]);
    expect(resources[1]).toEqual({
      urn: urnOf("orders"),
      type: WEBHOOK_TYPE,
      custom: true,
      id: expect.stringMatching(`^in-doubt:${SENT}-`),
      created: time,
      modified: time,
      inputs: { ...sent, __provider: expect.any(String) },
      outputs: { ...sent, baseUrl: BASE_URL, [FINGERPRINT]: "salt:abcd", __provider: expect.any(String) },
      provider: providerOf("eu"),
    });
    const urn = urnOf("orders").replace(WEBHOOK_TYPE, PLUGIN_TYPE);
    const ofPlugin = settled(exported(), undefined, [note({ ...full, urn })]).resources[0];
    expect(ofPlugin).toMatchObject({ type: PLUGIN_TYPE, inputs: sent });
    expect(ofPlugin?.inputs).not.toHaveProperty("__provider");
  });

  it("of a note without a url, which is a secret, is sent by the next up once it has an id", () => {
    const { resources } = settled(exported([main]), { id: "7" }, [
      note({ ...full, url: undefined, name: undefined }),
    ]);
    expect(resources[1]).toMatchObject({ id: "7", outputs: { url: "", name: "orders", unconfirmed: true } });
  });
});

describe("the outcome of a create", () => {
  const doubt = webhook("orders", { id: IN_DOUBT, initErrors: ["no reply"] });
  const outputs = { ...sent, baseUrl: BASE_URL, __provider: expect.any(String) };

  it("is an ordinary record if its webhook was updated", () => {
    const { resources } = settled(exported([main, doubt]), {
      id: "42",
      reply: { ...reply, name: "orders " },
    });
    const recorded = { ...outputs, apiName: "orders ", createdAt: SENT, updatedAt: SENT };
    expect(resources[1]).toEqual({
      ...webhook("orders"),
      id: "42",
      created: time,
      modified: time,
      outputs: recorded,
    });
  });

  it("has no name of the API in plain text if the name is a secret", () => {
    const secretName = { ...doubt, outputs: { ...doubt.outputs, name: secret } };
    const { resources } = settled(exported([main, secretName]), { id: "42", reply });
    expect(resources[1]?.outputs).toEqual({ ...outputs, name: secret, createdAt: SENT, updatedAt: SENT });
  });

  it("is sent again by the next up if this machine has noted the id", () => {
    const { resources } = settled(exported([main, doubt]), { id: "42", createdAt: SENT });
    expect(resources[1]?.outputs).toEqual({ ...outputs, createdAt: SENT, unconfirmed: true });
  });

  it("is no record if the webhook does not exist. What it was to replace, and what refers to it, stay", () => {
    const old = webhook("orders", { id: "2", delete: true });
    const other = webhook("other", { dependencies: [doubt.urn] });
    expect(settled(exported([main, doubt, old]), "none").resources).toEqual([main, old]);
    expect(settled(exported([main, doubt, other]), "none").resources).toEqual([
      main,
      { ...other, dependencies: [] },
    ]);
  });

  it("leaves the recorded webhook as it is if its replacement was never created", () => {
    const creating = pending("creating", "orders", { inputs, created: RECORDED });
    expect(settled(exported([main, webhook("orders")], [creating]), "none").resources).toEqual([
      main,
      webhook("orders"),
    ]);
  });
});

it("marks the webhooks whose update or delete was cut off, and drops only their pending operations", () => {
  const bucket = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
  const state = exported(
    [webhook("a"), webhook("b"), webhook("c")],
    [pending("updating", "a"), bucket, pending("deleting", "b", { id: "1" })],
  );
  const { after, resources, sendAgain } = settled(state);
  expect(sendAgain.map(({ urn }) => urn)).toEqual([urnOf("a"), urnOf("b")]);
  expect(resources.map(({ outputs }) => outputs?.unconfirmed)).toEqual([true, true, undefined]);
  expect(after.deployment?.pending_operations).toEqual([bucket]);
  expect(settle({}, [], new Map())).toEqual({ state: {}, sendAgain: [] });
});

it("refuses a state that the engine would refuse, once it has resolved the aliases", () => {
  const twice = exported([main, webhook("a"), webhook("b", { aliases: [urnOf("a")] })]);
  expect(() => settled(twice)).toThrow(`The state would have two records of ${urnOf("b")}.`);
});
