import { expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/noted-creates.js";
import { shortHash } from "../../src/notes/short-hash.js";
import { describeGate } from "../../src/stack/gate.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { findUnresolved, isSettled } from "../../src/stack/unresolved.js";
import {
  BASE_URL,
  EARLIER,
  exported,
  IN_DOUBT,
  LATER,
  pending,
  providerOf,
  RECORDED,
  SAVED,
  SENT,
  urnOf,
  webhook,
} from "./exported.js";

const note = (fields: Partial<NotedCreate> = {}): NotedCreate => ({
  urn: urnOf("orders"),
  sentAt: SENT,
  api: shortHash(BASE_URL),
  file: "1.jsonl",
  ...fields,
});
const reply = { id: "42" };
const inDoubt = webhook("orders", { id: IN_DOUBT });
const at = "2026-01-01T12:00:00Z";
const creating = pending("creating", "orders");

/** Leaves out the time, as pulumi stack import may. */
const untimed = ({ created, ...resource }: ExportedResource): ExportedResource => resource;

/** Lists what is unresolved, without the entries that show it. */
const find = (state: StackExport, notes: NotedCreate[] = []) =>
  findUnresolved(state, notes).map(({ kind, urn, record, pending: operation, note: noted, ...rest }) => ({
    urn,
    by: Object.entries({ record, pending: operation, note: noted })
      .flatMap(([name, value]) => (value ? [name] : []))
      .join(" "),
    ...rest,
  }));

const found = (by: string, fields: object = {}) => ({
  urn: urnOf("orders"),
  by,
  name: "Orders",
  sentAt: SAVED,
  ...fields,
});

it.each<[string, StackExport, NotedCreate[], object[]]>([
  ["nothing in a stack without a state", {}, [], []],
  ["no webhook that exists", exported([webhook("orders")]), [], []],

  ["a create in doubt", exported([inDoubt]), [], [found("record", { sentAt: at })]],
  [
    "one with its note",
    exported([inDoubt]),
    [note({ reply })],
    [found("record note", { sentAt: at, notedId: "42" })],
  ],
  [
    "one without the note of another create",
    exported([inDoubt]),
    [note({ sentAt: EARLIER })],
    [found("record", { sentAt: at })],
  ],
  [
    "one of a Provider",
    exported([{ ...inDoubt, provider: providerOf("eu") }]),
    [],
    [found("record", { sentAt: at, provider: "eu" })],
  ],
  ["none that waits for its deletion", exported([{ ...inDoubt, delete: true }]), [], []],
  ["none that was deleted for a replacement", exported([{ ...inDoubt, pendingReplacement: true }]), [], []],

  ["a pending create", exported([], [creating]), [], [found("pending")]],
  [
    "one with its note",
    exported([], [creating]),
    [note({ reply })],
    [found("pending note", { sentAt: SENT, notedId: "42" })],
  ],
  [
    "one whose name is a secret",
    exported([], [pending("creating", "orders", { inputs: { name: { ciphertext: "" } } })]),
    [],
    [found("pending", { name: "orders" })],
  ],
  [
    "one of a Provider that has left the state",
    exported([], [pending("creating", "orders", { provider: providerOf("eu::west") })]),
    [],
    [found("pending", { provider: "eu::west" })],
  ],
  [
    "one of a default provider",
    exported([], [pending("creating", "orders", { provider: providerOf("default_3_270_0") })]),
    [],
    [found("pending")],
  ],
  [
    "the newest of one resource, which comes first",
    exported([], [creating, pending("creating", "orders", { inputs: { name: "Old" } })]),
    [],
    [found("pending")],
  ],
  [
    "no other operation",
    exported([webhook("orders")], [pending("updating", "orders"), pending("deleting", "orders")]),
    [],
    [],
  ],
  ["no import", exported([], [pending("creating", "orders", { inputs: { import: "1" } })]), [], []],
  [
    "no create that an earlier version did not send",
    exported([], [pending("creating", "orders", { inputs: { __interrupted: true } })]),
    [],
    [],
  ],
  [
    "one of a record without a time",
    exported([untimed(webhook("orders"))], [{ type: "creating", resource: untimed(creating.resource) }]),
    [],
    [found("pending")],
  ],
  [
    "a pending replacement",
    exported([webhook("orders")], [pending("creating", "orders", { created: RECORDED })]),
    [],
    [found("pending")],
  ],
  ["none that is recorded since", exported([webhook("orders", { created: LATER })], [creating]), [], []],
  [
    "none whose record has no time, as after a stack import",
    exported([webhook("orders", { created: undefined as never })], [creating]),
    [],
    [],
  ],
  [
    "one although Webhook.get has read the resource since",
    exported([webhook("orders", { created: LATER, external: true })], [creating]),
    [],
    [found("pending")],
  ],
  ["one of a record in doubt once", exported([inDoubt], [creating]), [], [found("record", { sentAt: at })]],

  [
    "a noted create that the state does not list",
    exported(),
    [note({ reply })],
    [found("note", { name: "orders", sentAt: SENT, notedId: "42" })],
  ],
  [
    "one of a Provider",
    exported(),
    [note({ provider: "eu" })],
    [found("note", { name: "orders", sentAt: SENT, provider: "eu" })],
  ],
  [
    "one that replaces an older record",
    exported([webhook("orders")]),
    [note()],
    [found("note", { name: "orders", sentAt: SENT })],
  ],
  ["none whose resource is recorded since", exported([webhook("orders", { created: LATER })]), [note()], []],
  [
    "none whose webhook is recorded",
    exported([webhook("renamed", { id: "42", created: RECORDED })]),
    [note({ reply })],
    [],
  ],
  [
    "one whose id is that of another account's",
    exported([webhook("other", { id: "42", provider: providerOf("eu") })]),
    [note({ reply })],
    [found("note", { name: "orders", sentAt: SENT, notedId: "42" })],
  ],
  [
    "one whose id is that of another URL's",
    exported([webhook("other", { id: "42", outputs: { baseUrl: "https://eu.example.com" } })]),
    [note({ reply })],
    [found("note", { name: "orders", sentAt: SENT, notedId: "42" })],
  ],
  ["none whose run has saved its state", exported(), [note({ endedAt: SENT })], []],
  [
    "one whose run has not",
    exported(),
    [note({ endedAt: LATER })],
    [found("note", { name: "orders", sentAt: SENT })],
  ],

  [
    "each resource, by its URN",
    exported([webhook("refunds", { id: IN_DOUBT })], [creating]),
    [note({ urn: urnOf("exports") })],
    [
      found("note", { urn: urnOf("exports"), name: "exports", sentAt: SENT }),
      found("pending"),
      found("record", { urn: urnOf("refunds"), sentAt: at }),
    ],
  ],
])("finds %s", (_, state, notes, expected) => {
  expect(find(state, notes)).toEqual(expected);
});

it("keeps the note of a create that is in doubt, and of no older one", () => {
  expect(isSettled(note(), exported([inDoubt]))).toBe(false);
  expect(isSettled(note({ sentAt: EARLIER }), exported([inDoubt]))).toBe(true);
  expect(isSettled(note({ sentAt: LATER }), exported([inDoubt]))).toBe(false);
});

it("describes what closes the gate in one line, and nothing if it is open", () => {
  expect(describeGate([], "dev")).toBeUndefined();
  const gate = describeGate(findUnresolved(exported([inDoubt])), "dev");
  expect(gate).toMatch(
    /^It is unknown whether the API created this webhook: Orders\. .* resolve --stack dev\.$/,
  );
});
