import { expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/read-notes.js";
import { logicalNameOf } from "../../src/record/urn.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { findNotesToKeep, findUnresolved } from "../../src/stack/unresolved.js";
import {
  EARLIER,
  exported,
  IN_DOUBT,
  LATER,
  note,
  pending,
  providerOf,
  RECORDED,
  SAVED,
  SENT,
  urnOf,
  webhook,
} from "./exported.js";

const reply = { id: "42" };
const inDoubt = webhook("orders", { id: IN_DOUBT });
/** A state with a pending create. */
const creating = (fields: Partial<ExportedResource> = {}, ...resources: ExportedResource[]) =>
  exported(resources, [pending("creating", "orders", fields)]);
/** A state with the record of a create without a clear reply. */
const unclear = (fields: Partial<ExportedResource> = {}) => exported([{ ...inDoubt, ...fields }]);
/** A state with another webhook, which has the id of the noted reply. */
const other = (fields: Partial<ExportedResource> = {}) =>
  exported([webhook("other", { id: reply.id, ...fields })]);

/** Leaves out the time, as pulumi stack import may. */
const noTime = { created: undefined as never };
const isSecret = { inputs: { name: { ciphertext: "" } } };
const eu = { provider: providerOf("eu") };
const deleted = { pendingReplacement: true };
const ofOtherUrl = { outputs: { baseUrl: "https://eu.example.com" } };
const read = webhook("orders", { created: LATER, external: true });
const old = pending("creating", "orders", { inputs: { name: "Old" } });

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

const NONE = "";
const PENDING = "pending Orders by saved";

it.each<[what: string, StackExport, expected: string, ...NotedCreate[]]>([
  ["nothing in a stack without a state", {}, NONE],
  ["no webhook that exists", exported([webhook("orders")]), NONE],

  ["an unresolved create", unclear(), "record Orders sent"],
  ["one sent earlier", unclear({ id: IN_DOUBT.replace(":", ":by-") }), "record Orders by sent"],
  ["one with its note", unclear(), "record note Orders sent 42", note({ reply })],
  ["one without another's note", unclear(), "record Orders sent", note({ sentAt: EARLIER })],
  ["one of a Provider", unclear(eu), "record Orders sent eu"],
  ["none that waits for its deletion", unclear({ delete: true }), NONE],
  ["none that was deleted for a replacement", unclear({ pendingReplacement: true }), NONE],

  ["a pending create", creating(), PENDING],
  ["one with its note", creating(), "pending note Orders sent 42", note({ reply })],
  ["one whose name is a secret", creating(isSecret), "pending orders by saved"],
  ["one of a lost Provider", creating({ provider: providerOf("eu::west") }), `${PENDING} eu::west`],
  ["one of a default provider", creating({ provider: providerOf("default_3_270_0") }), PENDING],
  ["the newest of one resource", exported([], [pending("creating", "orders"), old]), PENDING],
  ["no update", exported([webhook("orders")], [pending("updating", "orders")]), NONE],
  ["no delete", exported([webhook("orders")], [pending("deleting", "orders")]), NONE],
  ["no import", creating({ inputs: { import: "1" } }), NONE],
  ["one of a record without a time", creating(noTime, webhook("orders", noTime)), PENDING],
  ["a pending replacement", creating({ created: RECORDED }, webhook("orders")), PENDING],
  ["none that is recorded since", creating({}, webhook("orders", { created: LATER })), NONE],
  ["none whose record has no time, as after an import", creating({}, webhook("orders", noTime)), NONE],
  ["one although Webhook.get has read the resource since", creating({}, read), PENDING],
  ["one of an unresolved record once", creating({}, inDoubt), "record Orders sent"],

  ["a noted create that the state does not list", exported(), "note orders sent 42", note({ reply })],
  ["one with its name", exported(), "note Orders sent", note({ name: "Orders" })],
  ["one of a Provider", exported(), "note orders sent eu", note({ provider: "eu" })],
  ["one that replaces an older record", exported([webhook("orders")]), "note orders sent", note()],
  ["none whose resource is recorded since", exported([webhook("orders", { created: LATER })]), NONE, note()],
  ["none whose webhook is recorded", other(), NONE, note({ reply })],
  [
    "one whose id is that of a webhook deleted before",
    other(deleted),
    "note orders sent 42",
    note({ reply }),
  ],
  ["one whose id is that of another account's", other(eu), "note orders sent 42", note({ reply })],
  ["one whose id is that of another URL's", other(ofOtherUrl), "note orders sent 42", note({ reply })],

  [
    "each resource, by its URN",
    creating({}, webhook("refunds", { id: IN_DOUBT })),
    `exports: note exports sent, ${PENDING}, refunds: record Orders sent`,
    note({ urn: urnOf("exports") }),
  ],
])("finds %s", (_, state, expected, ...notes) => {
  expect(find(state, notes)).toBe(expected);
});

it("keeps the note of a create that is unresolved, and of no older one", () => {
  const kept = [note(), note({ sentAt: LATER })];
  expect(findNotesToKeep(unclear({ created: SAVED }), [...kept, note({ sentAt: EARLIER })])).toEqual(kept);
});
