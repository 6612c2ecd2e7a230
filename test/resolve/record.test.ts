import { describe, expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/noted-creates.js";
import { shortHash } from "../../src/notes/short-hash.js";
import { recordAnswer, recordInterrupted } from "../../src/resolve/record.js";
import { NO_WEBHOOK } from "../../src/stack/in-doubt.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { findUnresolved } from "../../src/stack/unresolved.js";
import {
  BASE_URL,
  exported,
  IN_DOUBT,
  pending,
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
const inDoubtAt = (sentAt: string) => expect.stringMatching(`^in-doubt:${sentAt}-\\w{4}$`);

/** Records all interrupted creates of a state. @returns the webhooks that were marked. */
function record(state: StackExport, notes: NotedCreate[] = []): string[] {
  const creates = findUnresolved(state, notes).filter((create) => create.record === undefined);
  const marked = recordInterrupted(
    state,
    creates.map((create) => ({ create, baseUrl: BASE_URL })),
  );
  return marked.map(({ urn }) => urn);
}
const resources = ({ deployment }: StackExport) => deployment?.resources;
const note = (fields: Partial<NotedCreate> = {}): NotedCreate => ({
  urn: urnOf("orders"),
  sentAt: SENT,
  api: shortHash(BASE_URL),
  file: "",
  ...fields,
});

describe("an interrupted create", () => {
  it("is recorded in doubt with all that was sent, and without a pending operation", () => {
    const state = exported([], [pending("creating", "orders", { inputs, protect: true })]);
    record(state);
    expect(resources(state)).toEqual([
      {
        ...webhook("orders", { inputs, protect: true }),
        id: inDoubtAt("2026-01-01T13:00:00.000Z"),
        created: time,
        modified: time,
        outputs: { ...inputs, baseUrl: BASE_URL, interrupted: true },
      },
    ]);
    expect(state.deployment?.pending_operations).toEqual([]);
    // Once recorded, it is the same question.
    expect(findUnresolved(state)).toMatchObject([{ urn: urnOf("orders"), name: "Orders" }]);
  });

  it("takes the place of the webhook that it replaces, which waits for its deletion", () => {
    const old = webhook("orders");
    const creating = pending("creating", "orders", { inputs, created: RECORDED });
    const state = exported([old, webhook("other")], [creating]);
    record(state);
    expect(resources(state)).toEqual([
      expect.objectContaining({ urn: old.urn, id: inDoubtAt("2026-01-01T13:00:00.000Z") }),
      webhook("other"),
      { ...old, delete: true },
    ]);
  });

  it.each([
    ["was only read", { external: true }],
    ["was deleted before it", { pendingReplacement: true }],
  ])("leaves no entry of a webhook that %s", (_, fields) => {
    const creating = pending("creating", "orders", { created: RECORDED });
    const state = exported([webhook("orders", fields)], [creating]);
    record(state);
    expect(resources(state)).toMatchObject([{ id: inDoubtAt("2026-01-01T13:00:00.000Z") }]);
  });

  it("refers to no resource that has left the state, which pulumi stack import would refuse", () => {
    const parent = webhook("parent");
    const state = exported(
      [parent],
      [
        pending("creating", "orders", {
          parent: "urn:gone",
          deletedWith: "urn:gone",
          dependencies: ["urn:gone", parent.urn],
          propertyDependencies: { url: ["urn:gone", parent.urn], name: null },
        }),
        pending("creating", "kept", { parent: parent.urn, created: SENT }),
      ],
    );
    record(state);
    const [orders, kept] = ["orders", "kept"].map((name) =>
      resources(state)?.find(({ urn }) => urn === urnOf(name)),
    );
    expect(orders).not.toHaveProperty("parent");
    expect(orders).not.toHaveProperty("deletedWith");
    expect(orders).toMatchObject({
      dependencies: [parent.urn],
      propertyDependencies: { url: [parent.urn], name: undefined },
    });
    expect(kept).toMatchObject({ parent: parent.urn });
  });

  it("that only a note shows is recorded with its resource's name, for an update that sends all fields", () => {
    const provider: ExportedResource = {
      urn: providerOf("eu").replace("::p1", ""),
      id: "p1",
      type: "pulumi:providers:pulumi-nodejs",
      inputs: { "webhooks:explicitProvider": "eu" },
    };
    const state = exported([provider]);
    record(state, [note({ provider: "eu" })]);
    const nothing = { url: "", name: "orders", enabled: true, __provider: expect.any(String) };
    expect(resources(state)?.[1]).toEqual({
      urn: urnOf("orders"),
      type: WEBHOOK_TYPE,
      custom: true,
      id: inDoubtAt(SENT),
      created: time,
      modified: time,
      inputs: nothing,
      outputs: { ...nothing, baseUrl: BASE_URL },
      provider: providerOf("eu"),
    });
    const urn = urnOf("orders").replace(WEBHOOK_TYPE, PLUGIN_TYPE);
    const ofPlugin = exported();
    record(ofPlugin, [note({ urn })]);
    expect(resources(ofPlugin)?.[0]).toMatchObject({ type: PLUGIN_TYPE, inputs: { name: "orders" } });
    expect(resources(ofPlugin)?.[0]?.inputs).not.toHaveProperty("__provider");
  });
});

it("marks the webhooks whose update or delete was cut off, and drops only their pending operations", () => {
  const bucket = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
  const state = exported(
    [webhook("a"), webhook("b"), webhook("c")],
    [pending("updating", "a"), bucket, pending("deleting", "b", { id: "1" })],
  );
  expect(record(state)).toEqual([urnOf("a"), urnOf("b")]);
  expect(resources(state)?.map(({ outputs }) => outputs?.unconfirmed)).toEqual([true, true, undefined]);
  expect(state.deployment?.pending_operations).toEqual([bucket]);
  expect(recordInterrupted({}, [])).toEqual([]);
});

/** The record of the resource after an answer. */
function answer(
  given: Parameters<typeof recordAnswer>[1]["answer"],
  fields: Partial<ExportedResource> = {},
  more: object = {},
) {
  const state = exported([webhook("orders", { id: IN_DOUBT, initErrors: ["no reply"], ...fields })]);
  recordAnswer(state, {
    urn: urnOf("orders"),
    answer: given,
    baseUrl: BASE_URL,
    createdAt: undefined,
    ...more,
  });
  return resources(state)?.[0];
}

describe("the answer that a webhook", () => {
  const outputs = { ...sent, baseUrl: BASE_URL };

  const killed = { outputs: { ...outputs, interrupted: true } };
  const entered = { id: "7", outputs: { ...outputs, unconfirmed: true, inDoubtId: IN_DOUBT } };
  const imported = { id: "7", outputs: { ...outputs, unconfirmed: true, imported: true } };
  const noted = { createdAt: SENT };

  it.each<[string, boolean, Partial<ExportedResource>, object, marks: object]>([
    ["has an id", false, {}, {}, { inDoubtId: IN_DOUBT }],
    ["certainly has an id", true, {}, noted, noted],
    ["has an id, beside a note of another reply", false, {}, noted, { inDoubtId: IN_DOUBT }],
    ["of a killed run has an id", false, killed, {}, { interrupted: true, inDoubtId: IN_DOUBT }],
    ["of a killed run certainly has an id", true, killed, {}, {}],
    ["has another id than the one that was entered", false, entered, {}, { inDoubtId: IN_DOUBT }],
    ["certainly has an id, and not the one that was entered", true, entered, {}, {}],
    ["has another id than the one that was imported", false, imported, {}, { imported: true }],
    ["has an id, at a URL that the record lacks", false, { outputs: sent }, {}, { inDoubtId: IN_DOUBT }],
  ])("%s is recorded", (_, isCertain, fields, more, marks) => {
    const recorded = answer({ found: "42", isCertain }, fields, more);
    expect(recorded).toMatchObject({ id: "42" });
    expect(recorded?.outputs).toEqual({ ...outputs, unconfirmed: true, ...marks });
    expect(recorded).not.toHaveProperty("initErrors");
  });

  it("does not exist removes its record, and leaves what it was to replace to the next up", () => {
    const old = webhook("orders", { id: "2", delete: true });
    const doubt = webhook("orders", { id: IN_DOUBT });
    for (const records of [
      [old, doubt],
      [doubt, old],
    ]) {
      const replaced = exported(records.map((one) => ({ ...one })));
      recordAnswer(replaced, { urn: doubt.urn, answer: "none", baseUrl: undefined, createdAt: undefined });
      expect(resources(replaced)).toEqual([old]);
    }
    const state = exported([webhook("orders", { id: IN_DOUBT }), webhook("other")]);
    for (const urn of [urnOf("orders"), urnOf("orders")]) {
      recordAnswer(state, { urn, answer: "none", baseUrl: undefined, createdAt: undefined });
    }
    expect(resources(state)).toEqual([webhook("other")]);
  });

  it("does not exist keeps a record that others refer to, for the engine to create it", () => {
    const state = exported([
      webhook("orders", { id: IN_DOUBT, protect: true, initErrors: ["x"] }),
      webhook("other", { dependencies: [urnOf("orders")] }),
    ]);
    recordAnswer(state, { urn: urnOf("orders"), answer: "none", baseUrl: undefined, createdAt: undefined });
    const [kept] = resources(state) ?? [];
    expect(kept).toEqual({ ...webhook("orders"), id: NO_WEBHOOK, pendingReplacement: true });
    expect(findUnresolved(state)).toEqual([]);
  });
});
