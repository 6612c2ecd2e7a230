import { expect, it } from "vitest";
import type { NotesFile } from "../../src/notes/read-notes.js";
import { logicalNameOf } from "../../src/record/urn.js";
import { findKilledRuns, findSentAgain } from "../../src/stack/killed-runs.js";
import { EARLIER, exported, IN_DOUBT, LATER, pending, SENT, webhook } from "./exported.js";

/** The notes of a provider that was killed after it had begun at SENT. */
const file = (fields: Partial<NotesFile> = {}): NotesFile => ({
  path: "1.jsonl",
  engine: "127.0.0.1:1",
  writer: "killed",
  beganAt: SENT,
  creates: [],
  ...fields,
});

const { beganAt: _, ...idle } = file();

const state = exported(
  [
    webhook("old"),
    webhook("changed", { modified: LATER }),
    webhook("unresolved", { id: IN_DOUBT }),
    webhook("replaced", { delete: true }),
    webhook("read", { external: true }),
    webhook("cut-off", { modified: LATER }),
  ],
  [pending("updating", "cut-off")],
);

it.each<[string, string, ...NotesFile[]]>([
  ["what was cut off, without notes", "cut-off"],
  ["every known webhook that was not changed since a provider was killed", "cut-off, old", file()],
  ["none for a provider that is alive", "cut-off", file({ writer: "running" })],
  ["none for one that ended with its run", "cut-off", file({ writer: "ended" })],
  ["none for one that had begun nothing", "cut-off", idle],
  [
    "all if one of two began after every change",
    "cut-off, old, changed",
    file(),
    file({ beganAt: "2027-01-01" }),
  ],
])("sends again %s", (_, expected, ...files) => {
  const sentAgain = findSentAgain(state, findKilledRuns(state, files));
  expect(sentAgain.map(({ urn }) => logicalNameOf(urn)).join(", ")).toBe(expected);
});

it("has nothing of a killed provider once all webhooks were changed since", () => {
  expect(findKilledRuns(state, [file({ beganAt: EARLIER })])).toEqual([]);
});
