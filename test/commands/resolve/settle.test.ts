import { describe, expect, it } from "vitest";
import { settle } from "../../../src/commands/resolve/settle.js";
import type { NotedCreate } from "../../../src/notes/read-notes.js";
import { NOTED_ID, REPLACED_ID, RESOURCE_KEY } from "../../../src/record/properties.js";
import { SEEN_BY, seenByOf } from "../../../src/record/seen-by.js";
import { logicalNameOf } from "../../../src/record/urn.js";
import {
  type ExportedResource,
  PLUGIN_TYPE,
  type StackExport,
  WEBHOOK_TYPE,
} from "../../../src/stack/stack-export.js";
import { findUnresolved, type UnresolvedCreate } from "../../../src/stack/unresolved.js";
import {
  BASE_URL,
  inputs as checked,
  exported,
  IN_DOUBT,
  NONCE,
  note,
  pending,
  provider,
  providerOf,
  RECORDED,
  SENT,
  sent,
  UNTIL,
  urnOf,
  webhook,
} from "../../stack/exported.js";

const secret = { ciphertext: "v1:secret" };
const inputs = { ...checked, secret, __provider: "the stored text" };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

const main = provider("default");
const orders = webhook("orders");
const doubt = webhook("orders", { id: IN_DOUBT, initErrors: ["no reply"] });
const outputs = { ...sent, baseUrl: BASE_URL, __provider: expect.any(String) };

/** A state with the pending create of a replacement of the webhook orders. */
const replacing = (resources: ExportedResource[], fields: Partial<ExportedResource> = {}) =>
  exported([main, ...resources], [pending("creating", "orders", { inputs, created: RECORDED, ...fields })]);

/** The webhook that all creates have made, or that they have made none. Without it, they stay unresolved. */
type Outcome = UnresolvedCreate["made"] | "none";

/** Settles all creates of a state. */
function settled(state: StackExport, outcome?: Outcome, notes: NotedCreate[] = [], sendsAllAgain = false) {
  const { unresolved } = findUnresolved(state, notes);
  const made = typeof outcome === "object" && { made: outcome };
  const creates = unresolved.map((one) => ({ ...one, ...made, keep: [] }));
  const before = JSON.stringify(state);
  const after = settle({ exported: state, creates, sendsAllAgain }, outcome === "none" ? creates : []);
  expect(JSON.stringify(state), "the state that was read").toBe(before);
  const resources = after.deployment?.resources ?? [];
  const shown = resources.map(({ urn, id, delete: isDeleted }) => {
    const shownId = id?.startsWith("in-doubt:") ? "?" : id;
    return `${logicalNameOf(urn)}=${shownId}${isDeleted ? " deleted" : ""}`;
  });
  return { after, resources, shown: shown.join(", ") };
}

describe("an unresolved create", () => {
  it("is recorded with all that was sent, and without a pending operation", () => {
    const creating = pending("creating", "orders", { inputs, protect: true, aliases: ["urn:old"] });
    const { after, resources } = settled(exported([main], [creating]));
    expect(resources[1]).toEqual({
      ...webhook("orders", { inputs, protect: true }),
      id: expect.stringMatching(/^in-doubt:by-2026-01-01T12:01:00.000Z\+0-\w{4}$/),
      created: time,
      modified: time,
      outputs: { ...outputs, secret },
    });
    expect(after.deployment?.pending_operations).toEqual([]);
    // Once recorded, it is the same question.
    const same = { urn: urnOf("orders"), name: "Orders", until: UNTIL };
    expect(findUnresolved(after).unresolved).toMatchObject([same]);
  });

  it("comes after its Provider, and refers to nothing that comes later or has left the state", () => {
    const component = { urn: "urn:pulumi:dev::test::app::parent", type: "app", id: "2" };
    const all = ["urn:gone", urnOf("other")];
    const lists = { dependencies: all, replaceWith: all, propertyDependencies: { url: all } };
    const create = { ...lists, parent: component.urn, deletedWith: all[0] ?? "", provider: providerOf("eu") };
    const records = [orders, webhook("other"), provider("eu"), component];
    const { resources, shown } = settled(replacing(records, create));
    expect(shown).toBe("default=p1, other=1, eu=p1, orders=?, parent=2, orders=1 deleted");
    const known = [urnOf("other")];
    const left = { dependencies: known, replaceWith: known, propertyDependencies: { url: known } };
    expect(resources[3]).toMatchObject(left);
    for (const name of ["parent", "deletedWith"]) expect(resources[3]).not.toHaveProperty(name);
  });

  it("that only a note shows is recorded with what is noted, and so with its nonce", () => {
    const notes = [note({ provider: "eu" })];
    const { resources } = settled(exported([provider("eu")]), undefined, notes);
    expect(resources[1]).toEqual({
      ...{ urn: urnOf("orders"), type: WEBHOOK_TYPE, custom: true },
      id: expect.stringMatching(/^in-doubt:2026-01-01T12:00:00\.000Z\+60-/),
      created: time,
      modified: time,
      inputs: { [RESOURCE_KEY]: expect.stringContaining(NONCE), __provider: expect.any(String) },
      outputs: { baseUrl: BASE_URL, enabled: true, __provider: expect.any(String) },
      provider: providerOf("eu"),
    });
    const urn = urnOf("orders").replace(WEBHOOK_TYPE, PLUGIN_TYPE);
    const plugin = { ...provider("default"), type: "pulumi:providers:webhooks" };
    const [, ofPlugin] = settled(exported([plugin]), undefined, [note({ urn })]).resources;
    expect(ofPlugin).toMatchObject({ type: PLUGIN_TYPE, outputs: { enabled: true } });
    expect(ofPlugin?.inputs).not.toHaveProperty("__provider");
    expect(settled(exported(), undefined, [note()]).resources, "without a Provider").toEqual([]);
  });

  it("that only a note shows stays unresolved once it is recorded, and its noted id is named: no state has shown it", () => {
    const notes = [note({ reply: { id: "42" } })];
    const { after, resources } = settled(exported([main]), undefined, notes);
    expect(resources[1]?.outputs).toMatchObject({ [NOTED_ID]: "42" });
    for (const known of [notes, []]) {
      const { unresolved } = findUnresolved(after, known);
      expect(unresolved).toMatchObject([{ shownBy: "record", notedId: "42" }]);
      expect(unresolved[0]).not.toHaveProperty("made");
    }
  });
});

const other = webhook("other", { dependencies: [orders.urn] });
const legacy = webhook("legacy");
const renamed = { aliases: [legacy.urn] };
const deleted = webhook("orders", { id: "2", delete: true });
const debris = webhook("orders", { id: "0", delete: true });
const created = { id: "7", createdAt: SENT };
/** A state with the unclear create of the replacement of a webhook, and older debris. */
const rotating = (id?: string) =>
  exported([main, debris, { ...doubt, outputs: { ...doubt.outputs, [REPLACED_ID]: id } }, other, deleted]);
const BACK = "orders=0 deleted, orders=2, other=1";
const LEFT = "orders=0 deleted, other=1, orders=2 deleted";
const afterOne = (fields: object) => replacing([webhook("orders", fields)]);

/** The records after an outcome, in their order. */
it.each<[string, StackExport, Outcome, string]>([
  ["what it replaces", replacing([orders, other]), undefined, "orders=?, other=1, orders=1 deleted"],
  ["none of its aliases", replacing([legacy], renamed), created, "legacy=1, orders=7"],
  ["one that was deleted before", afterOne({ pendingReplacement: true }), undefined, "orders=?"],
  ["nothing if there is none", replacing([orders]), "none", "orders=1"],
  ["nothing: what it was to replace is back at its place", rotating("2"), "none", BACK],
  ["nothing if it does not say what it was to replace", rotating(), "none", LEFT],
  ["nothing if what it was to replace is gone", rotating("1"), "none", LEFT],
])("takes the place of %s", (_, state, outcome, expected) => {
  expect(settled(state, outcome).shown).toBe(`default=p1, ${expected}`);
});

it("refers to nothing that does not exist", () => {
  const [, left] = settled(exported([main, doubt, other]), "none").resources;
  expect(left).toEqual({ ...other, dependencies: [] });
});

it("is recorded with what it replaces, so that none restores the state from before", () => {
  const { after, resources } = settled(replacing([orders, other]));
  expect(resources[1]?.outputs).toMatchObject({ [REPLACED_ID]: "1" });
  expect(settled(after, "none").resources).toEqual([main, orders, other]);
  expect(settled(exported([main], [pending("creating", "orders")])).resources[1]?.outputs).toEqual(outputs);
});

it("is recorded with the noted id as it was sent, to be sent again by the next up, and as seen by the key that sent it", () => {
  const seenBy = seenByOf("key", "eu");
  const mark = { [SEEN_BY]: seenBy };
  const recorded = { ...outputs, name: secret, secret, ...mark, createdAt: SENT, unconfirmed: true };
  const hidden = { inputs: { ...inputs, name: secret } };
  const { resources } = settled(replacing([], hidden), created, [note({ seenBy })]);
  expect(resources[1]).toEqual(
    webhook("orders", { ...hidden, id: "7", created: time, modified: time, outputs: recorded }),
  );
  expect(settled(exported([main, doubt]), created).resources[1]).not.toHaveProperty("initErrors");
});

const bucket = { type: "creating", resource: { urn: "urn:bucket", type: "aws:s3/bucket:Bucket" } };
const [a, b] = [webhook("a"), webhook("b", { id: "2" })];
const webhooks = [main, a, b, webhook("b", { id: "3", delete: true }), webhook("read", { external: true })];
const creating = pending("creating", "new");

it.each([true, false])("marks every known webhook after a killed run, and no other one: %s", (isKilled) => {
  const { resources } = settled(exported([...webhooks, doubt], [creating]), "none", [], isKilled);
  const marked = resources.filter(({ outputs }) => outputs?.unconfirmed).map(({ id }) => id);
  expect(marked).toEqual(isKilled ? ["1", "2"] : []);
});

it("is a state that was saved now, which settles notes, without pending operations of webhooks", () => {
  const operations = [pending("updating", "a"), bucket, pending("deleting", "b", { id: "2" })];
  const { deployment } = settled(exported([a, b], operations)).after;
  expect(deployment?.pending_operations).toEqual([bucket]);
  expect(Date.parse(deployment?.manifest?.time ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(settled({}).after).toEqual({});
});
