import { expect, it } from "vitest";
import type { NotedCreate } from "../../src/notes/read-notes.js";
import { logicalNameOf } from "../../src/record/urn.js";
import type { ExportedResource, StackExport } from "../../src/stack/stack-export.js";
import { findUnresolved } from "../../src/stack/unresolved.js";
import {
  BASE_URL,
  exported,
  IN_DOUBT,
  inputs,
  LATER,
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
} from "./exported.js";

const reply = { id: "42" };
const inDoubt = webhook("orders", { id: IN_DOUBT, inputs });
/** A state with a pending create. */
const creating = (fields: Partial<ExportedResource> = {}, ...resources: ExportedResource[]) =>
  exported(resources, [pending("creating", "orders", { inputs, ...fields })]);
/** A state with the record of a create without a clear reply. */
const unclear = (fields: Partial<ExportedResource> = {}) => exported([{ ...inDoubt, ...fields }]);
/** A state with another webhook, which has the id of the noted reply. */
const other = (fields: Partial<ExportedResource> = {}) =>
  exported([webhook("other", { id: reply.id, ...fields })]);

/** Leaves out the time, as pulumi stack import may. */
const noTime = { created: undefined as never };
const isSecret = { inputs: { ...inputs, name: { ciphertext: "" } } };
const eu = { provider: providerOf("eu") };
const [main, newer, euProvider] = [provider("default"), provider("default_3_270_0"), provider("eu")];
const ofOtherUrl = { outputs: { baseUrl: "https://eu.example.com" } };
const movedUrl = webhook("orders", { ...reply, ...ofOtherUrl });
const createdEarlier = { ...reply, createdAt: SENT };
const createdAt = (time: string) => ({ outputs: { baseUrl: BASE_URL, createdAt: time } });
const read = webhook("orders", { created: LATER, external: true });
const CREATING = pending("creating", "orders", { inputs });
const old = pending("creating", "orders", { inputs: { name: "Old" } });
const another = { nonce: "another" };
const ended = { writer: "ended" } as const;
/** The result of a create that went to the engine before the state was saved, and later. */
const [saved, unsaved] = [{ endedAt: SENT }, { endedAt: LATER }];
/** A state that no engine has saved yet. */
const NEW: StackExport = { deployment: {} };

const TIMES: Record<string, string> = { "2026-01-01T12:00:00Z": "sent", [SENT]: "sent" };

/** Lists what is unresolved, in words: what shows it, its name and time, the noted id and the Provider. */
const find = (state: StackExport, notes: NotedCreate[]) =>
  findUnresolved(state, notes)
    .unresolved.map(({ urn, shownBy, name = "secret", sentAt = "", notedId, provider }) => {
      const resource = urn === urnOf("orders") ? [] : [`${logicalNameOf(urn)}:`];
      const manager = provider?.split("::").at(-2);
      const words = [...resource, shownBy, name, TIMES[sentAt], notedId, manager];
      return words.filter(Boolean).join(" ");
    })
    .join(", ");

const NONE = "";
const PENDING = "pending Orders";
const refunds = webhook("refunds", { id: IN_DOUBT });
const ALL = `exports: note secret sent, ${PENDING}, refunds: record Orders sent`;

it.each<[what: string, StackExport, expected: string, ...NotedCreate[]]>([
  ["nothing in a stack without a state", {}, NONE],
  ["no webhook that exists", exported([webhook("orders")]), NONE],

  ["an unresolved create", unclear(), "record Orders sent"],
  ["one sent at an unknown time", unclear({ id: IN_DOUBT.replace(":", ":by-") }), "record Orders"],
  ["one with its note", unclear(), "record Orders sent 42", note({ reply })],
  ["one without another's note", unclear(), "record Orders sent", note({ reply, ...another })],
  ["one of a Provider", exported([euProvider, { ...inDoubt, ...eu }]), "record Orders sent eu"],
  ["none that waits for its deletion", unclear({ delete: true }), NONE],
  ["none that was deleted for a replacement", unclear({ pendingReplacement: true }), NONE],

  ["a pending create", creating(), PENDING],
  ["one with its note", creating(), "pending Orders sent 42", note({ reply })],
  ["one without another's note", creating(), PENDING, note({ reply, ...another })],
  ["one whose name is a secret", creating(isSecret), "pending secret"],
  ["one of a Provider that is no longer in the state", creating(eu), PENDING],
  ["one of the older of two default providers", creating({}, main, newer), `${PENDING} default`],
  ["one of the later default provider", creating({}, euProvider, newer), `${PENDING} default_3_270_0`],
  ["the newest of one resource", exported([], [CREATING, old]), PENDING],
  ["one of version 0.1.0, which stores no time", creating({ inputs: sent }), PENDING],
  ["no update", exported([webhook("orders")], [pending("updating", "orders")]), NONE],
  ["no delete", exported([webhook("orders")], [pending("deleting", "orders")]), NONE],
  ["no import", creating({ inputs: { import: "1" } }), NONE],
  ["one of a record without a time", creating(noTime, webhook("orders", noTime)), PENDING],
  ["a pending replacement", creating({ created: RECORDED }, webhook("orders")), PENDING],
  ["none that is recorded since", creating({}, webhook("orders", { created: LATER })), NONE],
  ["none whose record has no time, as after an import", creating({}, webhook("orders", noTime)), NONE],
  ["one although the resource was only read since", creating({}, read), PENDING],
  ["one of an unresolved record once", creating({}, inDoubt), "record Orders sent"],

  ["a create that only a note shows", exported(), "note secret sent", note()],
  ["one of a Provider", exported([newer, euProvider]), "note secret sent eu", note({ provider: "eu" })],
  ["one of a Provider that the state lacks", exported([newer]), "note secret sent", note({ provider: "eu" })],

  ["each resource, by its URN", creating({}, refunds), ALL, note({ urn: urnOf("exports") })],
])("finds %s", (_, state, expected, ...notes) => {
  expect(find(state, notes)).toBe(expected);
});

it.each<[what: string, StackExport, Partial<NotedCreate>, expected: string]>([
  ["of the pending create", creating(), { reply }, "open"],
  ["of the recorded create", unclear(), { reply }, "open"],
  ["of another create than the pending one", creating(), { ...ended, ...saved, ...another }, NONE],
  ["that the state does not show", exported(), {}, "open"],
  ["of a replacement of an older record", exported([webhook("orders")]), {}, "open"],
  ["of a resource that is recorded since", exported([webhook("orders", { created: LATER })]), {}, NONE],
  ["whose webhook is recorded", other(), { reply }, NONE],
  ["whose webhook waits for its deletion", other({ delete: true }), { reply }, NONE],
  ["whose webhook has moved to another Provider", other(eu), { reply }, NONE],
  ["whose webhook has moved to another URL", exported([movedUrl]), { reply }, NONE],
  ["whose id is that of another account's webhook", other({ ...eu, ...ofOtherUrl }), { reply }, "open"],
  ["whose id is that of a later webhook", other(createdAt(LATER)), { reply: createdEarlier }, "open"],
  ["of a run that ended well, its webhook deleted since", exported(), { reply, ...ended, ...saved }, NONE],
  ["of one in which the person dropped an unclear create", exported(), { ...ended, ...saved }, NONE],
  ["of a killed provider, before which the engine saved", exported(), { reply, ...saved }, "open"],
  ["whose process is alive", exported(), { reply, ...saved, writer: "running" }, "open"],
  ["of a run that could not save its webhook", exported(), { reply, ...ended, ...unsaved }, "open"],
  ["of one that could save nothing, or of a stack made again", NEW, { reply, ...ended, ...saved }, "open"],
  ["that was unresolved, whatever is saved later", exported(), { reply, ...ended, endedAt: "" }, "open"],
])("settles a note, or leaves it open: %s", (_, state, fields, expected) => {
  const { unresolved, open } = findUnresolved(state, [note(fields)]);
  expect(open.length > 0 ? "open" : NONE).toBe(expected);
  expect(unresolved.length > 0 ? "open" : NONE).toBe(expected || (find(state, []) && "open"));
});

it("lets no create take effect any more to which the API has replied, but that of a running process", () => {
  const untilOf = (fields: Partial<NotedCreate>) =>
    findUnresolved(exported(), [note(fields)]).unresolved[0]?.until;
  expect([{}, { reply }, { reply, writer: "running" } as const].map(untilOf)).toEqual([UNTIL, SENT, UNTIL]);
});

const secretive = provider("default", { ciphertext: "" });
const replied = note({ reply });
const at = (createdAt: string) => note({ reply: { ...reply, createdAt } });
const MADE = { id: "42" };
const before = { ...MADE, createdAt: "2026-01-01T11:59:00Z" };

it.each<[what: string, StackExport, notes: NotedCreate[], made: object | undefined, baseUrl?: string]>([
  ["by the note of the pending create", creating({}, main), [replied], MADE],
  ["by the note of the recorded create", exported([main, inDoubt]), [replied], MADE],
  ["and not without a reply", creating({}, main), [note()], undefined],
  ["and not by the note of another create", creating({}, main), [note({ reply, ...another })], undefined],
  ["and not by a note alone", exported([main]), [note({ reply, writer: "running" })], undefined],
  ["and not without its Provider", creating(), [replied], undefined, BASE_URL],
  ["and not at another URL", creating({}, provider("default", "https://b")), [replied], undefined],
  ["and not at a secret URL", creating({}, secretive), [replied], undefined],
  ["at the URL of a record", creating({}, secretive, webhook("b", { id: "2" })), [replied], MADE],
  ["at the URL of the environment", creating({}, secretive), [replied], MADE, BASE_URL],
  ["created a minute before it was sent", creating({}, main), [at(before.createdAt)], before],
  ["and not created earlier", creating({}, main), [at("2026-01-01T11:58:59Z")], undefined],
  ["and not with the id of a record", creating({}, main, webhook("b", reply)), [replied], undefined],
  ["and not of two creates", exported([main], [CREATING, old]), [replied], undefined],
])("knows the webhook that a create has made %s", (_, state, notes, made, baseUrl) => {
  const { unresolved } = findUnresolved(state, notes, baseUrl);
  expect(unresolved).toMatchObject([{ urn: urnOf("orders") }]);
  expect(unresolved[0]?.made).toEqual(made);
  if (made !== undefined) expect(unresolved[0]?.baseUrl).toBe(BASE_URL);
});

it("lets a pending create take effect for longer if the program sets a deadline for it", () => {
  const [create] = findUnresolved(creating({ customTimeouts: { create: 600 } })).unresolved;
  expect(create?.until).toBe("2026-01-01T12:11:30.000Z");
});

it.each([
  ["a secret", unclear({ outputs: { url: { ciphertext: "" }, name: { ciphertext: "" } } })],
  ["listed by additionalSecretOutputs", creating({ additionalSecretOutputs: ["url", "name"] })],
])("shows neither a url nor a name that is %s", (_, state) => {
  const [create] = findUnresolved(state, []).unresolved;
  expect(create).toMatchObject({ url: undefined, name: undefined });
});
