import { expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/file.js";
import { shortHash } from "../../src/notes/short-hash.js";
import { describeGate } from "../../src/stack/gate.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { findNotesToKeep, findUnresolved } from "../../src/stack/unresolved.js";
import { logicalNameOf } from "../../src/stack/urn.js";
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
  number: 1,
  ...fields,
});
const reply = { id: "42" };
const inDoubt = webhook("orders", { id: IN_DOUBT });
/** A state with a pending create. */
const creating = (fields: Partial<ExportedResource> = {}, ...resources: ExportedResource[]) =>
  exported(resources, [pending("creating", "orders", fields)]);

/** Leaves out the time, as pulumi stack import may. */
const NO_TIME = { created: undefined as never };

const TIMES: Record<string, string> = { "2026-01-01T12:00:00Z": "sent", [SENT]: "sent", [SAVED]: "saved" };

/** Lists what is unresolved, in words: what shows it, its name and time, the noted id and the Provider. */
const find = (state: StackExport, notes: NotedCreate[]) =>
  findUnresolved(state, notes)
    .map(({ urn, record, pending: operation, note: noted, ...create }) => {
      const shown = { record, pending: operation, note: noted };
      const by = Object.entries(shown).flatMap(([what, value]) => (value ? [what] : []));
      const resource = urn === urnOf("orders") ? [] : [`${logicalNameOf(urn)}:`];
      const { name, isSentEarlier, sentAt, notedId, provider } = create;
      const words = [...resource, ...by, name, isSentEarlier && "by", TIMES[sentAt], notedId, provider];
      return words.filter(Boolean).join(" ");
    })
    .join(", ");

const eu = { provider: providerOf("eu") };

it.each<[string, StackExport, NotedCreate[], string]>([
  ["nothing in a stack without a state", {}, [], ""],
  ["no webhook that exists", exported([webhook("orders")]), [], ""],

  ["an unresolved create", exported([inDoubt]), [], "record Orders sent"],
  [
    "one that may have been sent earlier",
    exported([{ ...inDoubt, id: IN_DOUBT.replace(":", ":by-") }]),
    [],
    "record Orders by sent",
  ],
  ["one with its note", exported([inDoubt]), [note({ reply })], "record note Orders sent 42"],
  ["one without another's note", exported([inDoubt]), [note({ sentAt: EARLIER })], "record Orders sent"],
  ["one of a Provider", exported([{ ...inDoubt, ...eu }]), [], "record Orders sent eu"],
  ["none that waits for its deletion", exported([{ ...inDoubt, delete: true }]), [], ""],
  ["none that was deleted for a replacement", exported([{ ...inDoubt, pendingReplacement: true }]), [], ""],

  ["a pending create", creating(), [], "pending Orders by saved"],
  ["one with its note", creating(), [note({ reply })], "pending note Orders sent 42"],
  [
    "one whose name is a secret",
    creating({ inputs: { name: { ciphertext: "" } } }),
    [],
    "pending orders by saved",
  ],
  [
    "one of a Provider that has left the state",
    creating({ provider: providerOf("eu::west") }),
    [],
    "pending Orders by saved eu::west",
  ],
  [
    "one of a default provider",
    creating({ provider: providerOf("default_3_270_0") }),
    [],
    "pending Orders by saved",
  ],
  [
    "the newest of one resource, which comes first",
    exported([], [pending("creating", "orders"), pending("creating", "orders", { inputs: { name: "Old" } })]),
    [],
    "pending Orders by saved",
  ],
  [
    "no other operation",
    exported([webhook("orders")], [pending("updating", "orders"), pending("deleting", "orders")]),
    [],
    "",
  ],
  ["no import", creating({ inputs: { import: "1" } }), [], ""],
  [
    "one of a record without a time",
    creating(NO_TIME, webhook("orders", NO_TIME)),
    [],
    "pending Orders by saved",
  ],
  [
    "a pending replacement",
    creating({ created: RECORDED }, webhook("orders")),
    [],
    "pending Orders by saved",
  ],
  ["none that is recorded since", creating({}, webhook("orders", { created: LATER })), [], ""],
  [
    "none whose record has no time, as after a stack import",
    creating({}, webhook("orders", NO_TIME)),
    [],
    "",
  ],
  [
    "one although Webhook.get has read the resource since",
    creating({}, webhook("orders", { created: LATER, external: true })),
    [],
    "pending Orders by saved",
  ],
  ["one of an unresolved record once", creating({}, inDoubt), [], "record Orders sent"],

  ["a noted create that the state does not list", exported(), [note({ reply })], "note orders sent 42"],
  ["one with its name", exported(), [note({ name: "Orders" })], "note Orders sent"],
  ["one of a Provider", exported(), [note({ provider: "eu" })], "note orders sent eu"],
  ["one that replaces an older record", exported([webhook("orders")]), [note()], "note orders sent"],
  ["none whose resource is recorded since", exported([webhook("orders", { created: LATER })]), [note()], ""],
  ["none whose webhook is recorded", exported([webhook("renamed", { id: "42" })]), [note({ reply })], ""],
  [
    "one whose id is that of another account's",
    exported([webhook("other", { id: "42", ...eu })]),
    [note({ reply })],
    "note orders sent 42",
  ],
  [
    "one whose id is that of another URL's",
    exported([webhook("other", { id: "42", outputs: { baseUrl: "https://eu.example.com" } })]),
    [note({ reply })],
    "note orders sent 42",
  ],

  [
    "each resource, by its URN",
    creating({}, webhook("refunds", { id: IN_DOUBT })),
    [note({ urn: urnOf("exports") })],
    "exports: note exports sent, pending Orders by saved, refunds: record Orders sent",
  ],
])("finds %s", (_, state, notes, expected) => {
  expect(find(state, notes)).toBe(expected);
});

it("keeps the note of a create that is unresolved, and of no older one", () => {
  const kept = [note(), note({ sentAt: LATER })];
  expect(findNotesToKeep(exported([inDoubt]), [...kept, note({ sentAt: EARLIER })])).toEqual(kept);
});

it("describes what closes the gate in one line, and nothing if it is open", () => {
  expect(describeGate([])).toBeUndefined();
  const gate = describeGate(findUnresolved(exported([inDoubt])));
  expect(gate).toMatch(
    /^pulumi up changes no webhook .* whether the API created webhook Orders\. .* resolve --stack dev: it asks/,
  );
});
