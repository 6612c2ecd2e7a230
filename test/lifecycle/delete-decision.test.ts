import { describe, expect, it } from "vitest";
import type { DeleteDecision } from "../../src/lifecycle/delete.js";
import { decideDelete } from "../../src/lifecycle/delete.js";
import type { RunOutcome } from "../../src/lifecycle/run.js";
import { Resource } from "../../src/lifecycle/run.js";

const IN_DOUBT = "in-doubt:2026-01-01T12:00:00.000Z-abcd";

/** A resource that this run knows, with the webhook that is recorded for it. */
function recordedAs(recordedId: string | undefined, known: Partial<Resource> = {}): Resource {
  return Object.assign(new Resource(), { recordedId, ...known });
}

/** The program keeps the webhook. */
const kept = { declared: { inputs: {}, isCreate: false } };
/** The program declares a new webhook, or the replacement of the recorded one. */
const isNew = { declared: { inputs: {}, isCreate: true } };
const importing = (id: string) => ({ declared: { inputs: { import: id }, isCreate: true } });

const created = (id: string): Partial<Resource> => ({ outcome: { kind: "created", id } });
const updated = (id: string): Partial<Resource> => ({ outcome: { kind: "updated", id } });
const imported = (id: string): Partial<Resource> => ({
  outcome: { kind: "imported", id, result: Promise.resolve({ id, outputs: {} }) },
});
const doubtful: RunOutcome = { kind: "in doubt", sentAt: new Date(), reason: "no response." };
const createdInDoubt = { outcome: doubtful };

/** An earlier run replaced the webhook 1, and it is unknown whether the replacement exists. */
const replacedInDoubt = { past: { replacedIds: ["1"], isInDoubt: true as const } };

const SEND: DeleteDecision = { kind: "send" };
const drop = (because: Extract<DeleteDecision, { kind: "drop" }>["because"]): DeleteDecision => {
  return { kind: "drop", because };
};
const refuse = (because: Extract<DeleteDecision, { kind: "refuse" }>["because"]): DeleteDecision => {
  return { kind: "refuse", because };
};

type Row = [situation: string, resources: Resource[], decision: DeleteDecision];

describe("the delete of webhook 1", () => {
  it.each<Row>([
    // The resource has left the program, or was replaced.
    ["is sent if no resource of the run has it, as in a destroy", [], SEND],
    ["is sent if its replacement was created", [recordedAs("1", { ...isNew, ...created("2") })], SEND],
    [
      "is sent if its replacement was imported",
      [recordedAs("1", { ...importing("2"), ...imported("2") })],
      SEND,
    ],
    ["is sent if its replacement comes later, by deleteBeforeReplace", [recordedAs("1", isNew)], SEND],
    [
      "is sent if an earlier run replaced it",
      [recordedAs("2", { ...kept, past: { replacedIds: ["1"] } })],
      SEND,
    ],
    [
      "is sent if an earlier run replaced it, and the replacement is now replaced by one in doubt",
      [recordedAs("2", { ...isNew, ...createdInDoubt, past: { replacedIds: ["1"] } })],
      SEND,
    ],
    [
      "is sent if its replacement was in doubt, and was created again",
      [recordedAs(IN_DOUBT, { ...isNew, ...replacedInDoubt, ...created("2") })],
      SEND,
    ],
    [
      "is sent if its replacement was in doubt, and was found and imported",
      [recordedAs(IN_DOUBT, { ...importing("2"), ...replacedInDoubt, ...imported("2") })],
      SEND,
    ],
    [
      "is sent if an update confirmed the id that was entered for its replacement",
      [recordedAs("2", { ...kept, ...replacedInDoubt, ...updated("2") })],
      SEND,
    ],

    // Its replacement may not exist.
    [
      "is refused if an earlier run replaced it by an import, which no update has confirmed",
      [recordedAs("2", { ...kept, past: { replacedIds: ["1"], isImported: true } })],
      refuse("its replacement may not exist"),
    ],
    [
      "is refused if the create of its replacement is in doubt",
      [recordedAs("1", { ...isNew, ...createdInDoubt })],
      refuse("its replacement may not exist"),
    ],
    [
      "is refused if the reply to the create of its replacement had an id, and contradicted it",
      [recordedAs("1", { ...isNew, outcome: { ...doubtful, id: "2" } })],
      refuse("its replacement may not exist"),
    ],
    [
      "is refused if an earlier run replaced it by one that is still in doubt",
      [recordedAs(IN_DOUBT, { ...kept, ...replacedInDoubt })],
      refuse("its replacement may not exist"),
    ],
    [
      "is refused if its replacement was in doubt, and is in doubt again",
      [recordedAs(IN_DOUBT, { ...isNew, ...replacedInDoubt, ...createdInDoubt })],
      refuse("its replacement may not exist"),
    ],
    [
      "is refused if no update has confirmed the id that was entered for its replacement",
      [recordedAs("2", { ...kept, ...replacedInDoubt })],
      refuse("its replacement may not exist"),
    ],

    [
      "is refused if two resources have it, and the create that replaces it for one of them is in doubt",
      [recordedAs("1", { ...isNew, ...createdInDoubt, past: { recordedId: "1", isShared: true } })],
      refuse("its replacement may not exist"),
    ],

    // Another entry of the state has the same webhook.
    [
      "only drops an outdated entry if the resource keeps the webhook",
      [recordedAs("1", kept)],
      drop("another entry has it"),
    ],
    [
      "only drops an outdated entry if this run updated the webhook",
      [recordedAs("1", { ...kept, ...updated("1") })],
      drop("another entry has it"),
    ],
    [
      "only drops an outdated entry if an earlier run replaced the webhook by itself, and it stays",
      [recordedAs("1", { ...kept, past: { replacedIds: ["1"] } })],
      drop("another entry has it"),
    ],
    [
      "only drops an outdated entry if another resource imported the webhook",
      [recordedAs(undefined, { ...importing("1"), ...imported("1") })],
      drop("another entry has it"),
    ],
    [
      "only drops an outdated entry if a resource keeps the webhook, and the replacement of another is in doubt",
      [recordedAs("1", { ...isNew, ...createdInDoubt }), recordedAs("1", kept)],
      drop("another entry has it"),
    ],
    [
      "only drops the entry if the create of its replacement returned its id",
      [recordedAs("1", { ...isNew, ...created("1") })],
      drop("a create returned its id"),
    ],
    [
      "only drops the entry if the create of another resource returned its id",
      [recordedAs("1", { ...isNew, ...created("2") }), recordedAs(undefined, { ...isNew, ...created("1") })],
      drop("a create returned its id"),
    ],
    [
      "only drops the entry if a create returned its id, and a reply that contradicts it",
      [recordedAs(undefined, { ...isNew, outcome: { ...doubtful, id: "1" } })],
      drop("another entry has it"),
    ],

    // The program imports it.
    [
      "is refused if the program imports it, and the import failed or comes later",
      [recordedAs(undefined, importing("1"))],
      refuse("its import has not succeeded"),
    ],
    [
      "is refused if its own replacement imports it, as with deleteBeforeReplace",
      [recordedAs("1", importing("1"))],
      refuse("its import has not succeeded"),
    ],
  ])("%s", (_, resources, decision) => {
    expect(decideDelete({ id: "1", recorded: {}, resources })).toEqual(decision);
  });
});

describe("the delete of webhook 1, whose id was entered", () => {
  it.each<Row>([
    ["is refused if no resource of the run has it, as in a destroy", [], refuse("its id was entered")],
    [
      "is refused if its replacement was created",
      [recordedAs("1", { ...isNew, ...created("2") })],
      refuse("its id was entered"),
    ],
    [
      "only drops an outdated entry if another one of the webhook stays",
      [recordedAs("1", kept)],
      drop("another entry has it"),
    ],
    [
      "only drops an outdated entry if an update of this run confirmed the id",
      [recordedAs("1", { ...kept, ...updated("1") })],
      drop("another entry has it"),
    ],
  ])("%s", (_, resources, decision) => {
    expect(decideDelete({ id: "1", recorded: { inDoubtId: IN_DOUBT }, resources })).toEqual(decision);
  });
});

describe("the delete of a webhook in doubt", () => {
  const importer = recordedAs(IN_DOUBT, importing("2"));
  it.each<Row>([
    ["drops it with a warning if no resource has it, as in a destroy", [], drop("it is in doubt")],
    [
      "drops it with a warning if it was created again, by --replace",
      [recordedAs(IN_DOUBT, { ...isNew, ...created("2") })],
      drop("it is in doubt"),
    ],
    [
      "drops it with a warning if it was created again, and is in doubt again",
      [recordedAs(IN_DOUBT, { ...isNew, ...createdInDoubt })],
      drop("it is in doubt"),
    ],
    [
      "drops it if it was found and imported",
      [recordedAs(IN_DOUBT, { ...importing("2"), ...imported("2") })],
      drop("it was found"),
    ],
    [
      "imports the one that was found first, if its import comes later, by deleteBeforeReplace",
      [importer],
      { kind: "import first", resource: importer },
    ],
  ])("%s", (_, resources, decision) => {
    expect(decideDelete({ id: IN_DOUBT, recorded: {}, resources })).toEqual(decision);
  });
});
