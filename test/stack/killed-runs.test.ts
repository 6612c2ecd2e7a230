import { expect, it } from "vitest";
import type { NotesFile } from "../../src/notes/read-notes.js";
import { shortHash } from "../../src/record/hashes.js";
import { logicalNameOf } from "../../src/record/urn.js";
import { findKilledRuns, findSentAgain, notesOf } from "../../src/stack/killed-runs.js";
import { BASE_URL, EARLIER, exported, IN_DOUBT, LATER, pending, SENT, webhook } from "./exported.js";

/** The notes of a provider that was killed after it had begun at SENT. */
const file = (fields: Partial<NotesFile> = {}): NotesFile => ({
  path: "1.jsonl",
  engine: "127.0.0.1:1",
  writer: "killed",
  beganAt: SENT,
  deletes: [],
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

it("takes the notes of a process that knew only deletes for those of a stack that has one of these webhooks", () => {
  const api = shortHash(BASE_URL);
  const deleting = (id: string, of = api) =>
    file({
      deletes: [
        { id: "9", api },
        { id, api: of },
      ],
    });
  const files = [file(), deleting("1"), deleting("2"), deleting("1", "another")];
  const notes = { creates: [], isGateOpen: false, files };
  expect(notesOf(exported([webhook("orders")]), notes).files).toEqual(files.slice(0, 2));
  // A base URL that is a secret cannot be compared.
  const secretive = webhook("orders", { outputs: { baseUrl: { ciphertext: "" } } });
  expect(notesOf(exported([secretive]), notes).files).toEqual([files[0], files[1], files[3]]);
});
