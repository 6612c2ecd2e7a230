import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/commands/resolve/questions.js";
import { toQuestions } from "../../../src/commands/resolve/questions.js";
import type { Outcome } from "../../../src/commands/resolve/record.js";
import { settle } from "../../../src/commands/resolve/settle.js";
import type { NotedCreate } from "../../../src/notes/read-notes.js";
import { FINGERPRINT } from "../../../src/record/properties.js";
import { logicalNameOf } from "../../../src/record/urn.js";
import type { ExportedResource, StackExport } from "../../../src/stack/stack-export.js";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../../src/stack/stack-export.js";
import { findUnresolved } from "../../../src/stack/unresolved.js";
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
} from "../../stack/exported.js";

const secret = { ciphertext: "v1:secret" };
const inputs = { ...sent, secret, __provider: "the stored text" };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const inDoubtBy = (sentAt: string) => expect.stringMatching(`^in-doubt:by-${sentAt}-\\w{4}$`);
const reply = { name: "Orders", createdAt: SENT, updatedAt: SENT };

const main = provider("default");
const full = { baseUrl: BASE_URL, ...sent };
const doubt = webhook("orders", { id: IN_DOUBT, initErrors: ["no reply"] });
const outputs = { ...sent, baseUrl: BASE_URL, __provider: expect.any(String) };

/** A state with the pending create of a replacement of the webhook orders. */
const replacing = (resources: ExportedResource[], fields: Partial<ExportedResource> = {}) =>
  exported([main, ...resources], [pending("creating", "orders", { inputs, created: RECORDED, ...fields })]);

/** Settles all creates of a state. Without an outcome, they stay unresolved. */
function settled(state: StackExport, outcome?: Outcome, notes: NotedCreate[] = []) {
  const questions = toQuestions(state, findUnresolved(state, notes), BASE_URL);
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

  it("comes after its Provider, and refers to nothing that comes later or has left the state", () => {
    const eu = provider("eu");
    const component = { urn: "urn:component", type: "app" };
    const state = replacing([webhook("orders"), webhook("other"), eu, component], {
      provider: providerOf("eu"),
      parent: component.urn,
      deletedWith: "urn:gone",
      dependencies: ["urn:gone", urnOf("other")],
      propertyDependencies: { url: ["urn:gone", urnOf("other")] },
    });
    const { resources } = settled(state);
    const names = resources.map(({ urn }) => urn.split("::").at(-1));
    expect(names).toEqual(["default", "other", "eu", "orders", "urn:component", "orders"]);
    const dependencies = [urnOf("other")];
    expect(resources[3]).toMatchObject({ dependencies, propertyDependencies: { url: dependencies } });
    expect(resources[3]).not.toHaveProperty("parent");
    expect(resources[3]).not.toHaveProperty("deletedWith");
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
    const noted = note({ ...full, url: undefined, name: undefined });
    const { resources } = settled(exported([main]), { id: "7" }, [noted]);
    expect(resources[1]).toMatchObject({ id: "7", outputs: { url: "", name: "orders", unconfirmed: true } });
  });
});

const orders = webhook("orders");
const other = webhook("other", { dependencies: [orders.urn] });
const legacy = webhook("legacy");
const dependent = webhook("dependent", { dependencies: [legacy.urn] });
const renamed = { aliases: ["urn:x", legacy.urn] };
const deleted = webhook("orders", { id: "2", delete: true });
const created = { id: "7", reply };
const aliased = replacing([legacy, dependent], renamed);
const afterOne = (fields: object) => replacing([webhook("orders", fields)]);

/** The records after an outcome, in their order. */
it.each<[string, StackExport, Outcome | undefined, string]>([
  ["what it replaces", replacing([orders, other]), undefined, "orders=?, other=1, orders=1 deleted"],
  ["one of its aliases", aliased, undefined, "orders=?, dependent=1, orders=1 deleted"],
  ["one of its aliases, once found", aliased, created, "orders=7, dependent=1, orders=1 deleted"],
  ["no alias if there is none", aliased, "none", "legacy=1, dependent=1"],
  ["one that was only read", afterOne({ external: true }), undefined, "orders=?"],
  ["one that was deleted before", afterOne({ pendingReplacement: true }), undefined, "orders=?"],
  ["nothing if there is none", replacing([orders]), "none", "orders=1"],
  ["its own record alone if there is none", exported([main, doubt, deleted]), "none", "orders=2 deleted"],
])("takes the place of %s", (_, state, outcome, expected) => {
  const { resources } = settled(state, outcome);
  const described = resources.slice(1).map(({ urn, id, delete: isDeleted }) => {
    const shown = id?.startsWith("in-doubt:") ? "?" : id;
    return `${logicalNameOf(urn)}=${shown}${isDeleted ? " deleted" : ""}`;
  });
  expect(described.join(", ")).toBe(expected);
});

it("refers to the new name of a record that had an alias, and to nothing that does not exist", () => {
  const { resources } = settled(aliased, created);
  expect(resources[2]).toMatchObject({ dependencies: [orders.urn] });
  expect(JSON.stringify(resources)).not.toMatch(/aliases|::legacy/);
  expect(settled(exported([main, doubt, other]), "none").resources[1]).toEqual({
    ...other,
    dependencies: [],
  });
});

describe("the outcome of a create", () => {
  it("is an ordinary record if its webhook was updated", () => {
    const outcome = { id: "42", reply: { ...reply, name: "orders " } };
    const recorded = { ...outputs, apiName: "orders ", createdAt: SENT, updatedAt: SENT };
    expect(settled(exported([main, doubt]), outcome).resources[1]).toEqual({
      ...webhook("orders", { id: "42", created: time, modified: time, outputs: recorded }),
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
  expect(() => settled(twice)).toThrow(
    `The state was not changed: it would have two records of ${urnOf("b")}.`,
  );
});
