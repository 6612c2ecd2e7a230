import { expect, it } from "vitest";
import { type Decision, decideCheck, decideDiff } from "../../src/lifecycle/decision.js";
import { readEntry } from "../../src/lifecycle/state.js";
import { SEEN_BY, seenByOf } from "../../src/record/seen-by.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { API_KEY, PASTS, withSecret } from "./webhooks.js";

const key = seenByOf(API_KEY);
const ofEu = { key: seenByOf("another key", "eu") };

/** Writes a decision as the rows do. */
function write(decision: Decision): string {
  if (decision.kind === "replace") return `replace ${decision.old.id}`;
  if (decision.kind === "update") return `update: ${decision.because}`;
  if (decision.kind === "refuse")
    return `refuse: ${typeof decision.because === "string" ? decision.because : JSON.stringify(decision.because)}`;
  return ["keep", "import"].includes(decision.kind) && "id" in decision && decision.id !== undefined
    ? `${decision.kind} ${decision.id}`
    : decision.kind;
}

type CheckFacts = Parameters<typeof decideCheck>[0];
type Pasts = Partial<Record<keyof typeof PASTS, string>>;

const isNew = { isNew: true };
const seen = { ...PASTS.known, seenBy: seenByOf(API_KEY) };
const replaced = { kind: "replace", old: { id: "1" } } as const;
const known = (decision: string): Pasts =>
  Object.fromEntries(["known", "sent again", "deleted", "imported"].map((past) => [past, decision]));

it.each<[string, Partial<CheckFacts>, other: string, Pasts]>([
  ["is declared as before", {}, "keep", known("keep 1")],
  [
    "is imported by the engine",
    { ...isNew, earlier: { kind: "record import", id: "1" } },
    "record import",
    {},
  ],
  [
    "is created or replaced",
    isNew,
    "create",
    { ...known("replace 1"), deleted: "create", imported: "keep 1" },
  ],
  ["is replaced under another name", { ...isNew, earlier: replaced }, "replace 1", { imported: "keep 1" }],
  [
    "would import the webhook that it replaces",
    { ...isNew, inputs: { import: "1" } },
    "import 1",
    { ...known("refuse: it imports what it replaces"), imported: "keep 1" },
  ],
  ["imports another one", { ...isNew, inputs: { import: "2" } }, "import 2", { imported: "keep 1" }],
])("decides by a check of a resource that %s", (_, question, other, pasts) => {
  for (const [name, past] of Object.entries(PASTS)) {
    const facts = { past, inputs: {}, isNew: false, earlier: { kind: "keep" } as const, key };
    const decision = write(decideCheck({ ...facts, ...question }));
    expect(decision, name).toBe(pasts[name as keyof Pasts] ?? other);
  }
});

it.each<[string, string, Partial<CheckFacts>]>([
  ["refuse: it moves to another key", "of another Provider with another key", ofEu],
  ["keep 1", "of another Provider with the same key", { key: seenByOf(API_KEY, "eu") }],
  ["keep 1", "whose key was rotated", { key: seenByOf("rotated") }],
  ["keep 1", "that no record says who saw", { past: PASTS.known, ...ofEu }],
  ['refuse: {"twin":"urn:copy"}', "that another record has, too", { past: { ...seen, twin: "urn:copy" } }],
])("decides %s for a webhook %s", (decision, _, facts) => {
  for (const isNew of decision.startsWith("refuse") ? [true, false] : [false]) {
    const given = { past: seen, inputs: {}, isNew, earlier: { kind: "keep" } as const, key };
    expect(write(decideCheck({ ...given, ...facts }))).toBe(decision);
  }
});

type DiffFacts = Omit<Parameters<typeof decideDiff>[0], "entry"> & { recorded: object };
const baseUrl = "https://api.example.com";
const recorded = { ...withSecret, baseUrl, [SEEN_BY]: seenByOf(API_KEY) };

function decide(past: "known" | "sent again" | "imported", facts: Partial<DiffFacts>): string {
  const marks = {
    known: {},
    "sent again": { unconfirmed: true },
    imported: { url: undefined, imported: true },
  };
  const { recorded: given = recorded, ...rest } = facts;
  const entry = readEntry("1", { values: { ...given, ...marks[past] }, secrets: new Set() });
  const usual: Omit<DiffFacts, "recorded"> = {
    wasCutOff: false,
    news: withSecret,
    settings: { baseUrl, drift: "off" },
    key,
    given: ["url", "name", "enabled"],
    ignored: [],
    hasProgram: true,
    mustRecord: false,
  };
  return write(decideDiff({ entry, ...usual, ...rest }));
}

const enforced = { settings: { baseUrl, drift: "enforce" } } as const;
const moved = { recorded: { ...recorded, baseUrl: "https://old.example.com" } };
const edited = { recorded: { ...recorded, changedOutsidePulumi: "2026" } };
const changed = (fields: object) => ({ news: { ...withSecret, ...fields } });
const inRefresh = { hasProgram: false };

const SAME = "keep 1";
const CHANGED = "update: it changed";
const MAY_DIFFER = "update: it may differ";
const OTHER = "refuse: it imports another webhook";
const AGAIN = "refuse: it imports what it replaces";
const MOVES = "refuse: it moves to another key";
const ROTATED = "replace 1";

/** What may differ is sent again, whatever else would be updated, or nothing. An import is sent before a replacement, too. */
it.each<[string, Partial<DiffFacts>, known: string, imported?: string]>([
  ["nothing", {}, SAME],
  ["nothing with the option import", changed({ import: "1" }), SAME],
  ["nothing with an import that is not known yet", changed({ import: UNKNOWN }), SAME],
  ["url", changed({ url: "https://example.com/b" }), CHANGED],
  ["name", changed({ name: "B" }), CHANGED],
  ["enabled", changed({ enabled: false }), CHANGED],
  ["a url that is not known yet", changed({ url: UNKNOWN }), CHANGED],
  ["a secret", changed({ secret: "b" }), ROTATED],
  ["to no secret", changed({ secret: undefined }), ROTATED],
  ["to an unknown secret", changed({ secret: UNKNOWN }), ROTATED],
  ["to an unknown secret, with import", changed({ secret: UNKNOWN, import: "1" }), SAME],
  ["a secret, with import", changed({ secret: "b", import: "1" }), AGAIN],
  ["the import to another webhook", changed({ import: "2" }), OTHER, OTHER],
  ["nothing, after a change outside Pulumi", edited, CHANGED],
  ["a secret, with ignoreChanges", { ...changed({ secret: "b" }), ignored: ["secret"] }, SAME],
  ["nothing, with another Provider and key", ofEu, MOVES, MOVES],
  [
    "nothing, with another key of the Provider that check knows",
    { ...ofEu, seenBy: seenByOf(API_KEY, "eu") },
    SAME,
  ],
  ["nothing, with another Provider and key, in a refresh", { ...ofEu, ...inRefresh }, SAME],
  ["nothing, at a new URL", moved, "update: the API moved"],
  ["nothing, at a new URL, in a refresh", { ...moved, ...inRefresh }, SAME],
  ["nothing, with enforce", enforced, "update: it is enforced"],
  ["nothing, with enforce, in a refresh", { ...enforced, ...inRefresh }, SAME],
  ["name, with enforce", { ...enforced, ...changed({ name: "B" }) }, CHANGED],
  ["nothing that the engine has recorded", { mustRecord: true }, "record only"],
])("decides what a program does that changes %s", (_, facts, known, imported = "update: it is imported") => {
  expect({
    known: decide("known", facts),
    "cut off": decide("known", { ...facts, wasCutOff: true }),
    "sent again": decide("sent again", facts),
    imported: decide("imported", facts),
  }).toEqual({
    known,
    "cut off": /^(?:keep|update|record)/.test(known) ? MAY_DIFFER : known,
    "sent again": /^(?:keep|update|record)/.test(known) ? MAY_DIFFER : known,
    imported,
  });
});

it("requires the fields of an import, which has no inputs", () => {
  expect(decide("imported", { given: ["url"] })).toBe('refuse: {"missing":["name","enabled"]}');
  expect(decide("imported", { given: undefined })).toBe("update: it is imported");
});
