import { expect, it } from "vitest";
import { type Decision, decideCheck } from "../../src/lifecycle/decision.js";
import { seenByOf } from "../../src/record/seen-by.js";
import { API_KEY, PASTS } from "./webhooks.js";

// diff.test.ts has what is decided about a webhook that is recorded.

const key = seenByOf(API_KEY);
const ofEu = { key: seenByOf("another key", "eu") };

/** Writes a decision as the rows do. */
function write(decision: Decision): string {
  if (decision.kind === "replace") return `replace ${decision.old.id}`;
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
const imported = { imported: "keep 1" };
const importedBefore = { kind: "record import", id: "1" } as const;
const replaced = { kind: "replace", old: { id: "1" } } as const;
const known = (decision: string): Pasts =>
  Object.fromEntries(["known", "sent again", "deleted", "imported"].map((past) => [past, decision]));

it.each<[string, Partial<CheckFacts>, other: string, Pasts]>([
  ["is declared as before", {}, "keep", known("keep 1")],
  ["is imported by the engine", { ...isNew, earlier: importedBefore }, "record import", {}],
  ["is created or replaced", isNew, "create", { ...known("replace 1"), deleted: "create", ...imported }],
  ["is replaced under another name", { ...isNew, earlier: replaced }, "replace 1", imported],
  [
    "would import the webhook that it replaces",
    { ...isNew, inputs: { import: "1" } },
    "import 1",
    { ...known("refuse: it imports what it replaces"), ...imported },
  ],
  ["imports another one", { ...isNew, inputs: { import: "2" } }, "import 2", imported],
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
