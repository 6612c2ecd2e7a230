import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { notesFolder } from "../../src/pulumi/project.js";
import { readRunningStack } from "../../src/pulumi/stack-reading.js";
import type { StackExport } from "../../src/stack/stack-export.js";
import { FakePulumi } from "../commands/fake-pulumi.js";
import { NotesFolder } from "../notes/notes-folder.js";
import { exported, LATER, urnOf, webhook } from "../stack/exported.js";

let cli: FakePulumi;
let folder: NotesFolder;
let warnings: string[];

beforeEach(() => {
  cli = new FakePulumi();
  for (const [name, value] of Object.entries(cli.environment)) vi.stubEnv(name, value);
  folder = new NotesFolder(notesFolder(cli.folder));
  warnings = [];
});
afterEach(() => {
  cli[Symbol.dispose]();
  vi.unstubAllEnvs();
});

/** Reads the stack dev as a provider's process does. @param state undefined if there is no Pulumi CLI. */
function read(state?: StackExport, warnsOfGate = false) {
  if (state === undefined) vi.stubEnv("PATH", "");
  else cli.write("stack.json", state);
  const running = { organization: "acme", project: "test", stack: "dev", folder: cli.folder };
  const warn = (line: string) => void warnings.push(line);
  return readRunningStack({ ...running, engine: undefined }, { warnsOfGate, warn });
}

it("removes the notes of this machine when the state shows all results: a later state may not show them any more", async () => {
  folder.send(folder.start(), { urn: urnOf("orders") });
  folder.kill();
  const stack = await read(exported([webhook("orders", { created: LATER })]));
  expect(stack.gate).toBeUndefined();
  expect(folder.files).toEqual([]);
  expect(warnings).toEqual([]);
});

it("warns, and goes on without the state, if there is no pulumi on the PATH", async () => {
  const { urn } = webhook("orders");
  const described = { urn, given: [], past: { kind: "unread" }, owners: [] };
  expect((await read()).describe({ urn, given: [] })).toEqual(described);
  const reason = "could not be read. There is no pulumi on the PATH.";
  expect(warnings).toEqual([expect.stringContaining(reason)]);
});

it("refuses changes if the state is that of another stack, as after a rename that has kept the URNs", async () => {
  const state = exported([webhook("orders", { urn: "urn:pulumi:prod::test::a::b" })]);
  const gate = expect.stringContaining("the state of test/dev has the URNs of another stack");
  expect((await read(state)).gate).toEqual(gate);
  expect(warnings).toEqual([]);
  await read(state, true);
  expect(warnings).toEqual([gate]);
});

it("refuses changes without the state if this machine has noted creates that it may not show", async () => {
  const ended = folder.start();
  folder.send(ended, { urn: urnOf("ended") }).ended({ id: "1" });
  ended.end();
  const [file] = folder.files;
  const { urn } = webhook("killed");
  folder.send(folder.start(), { urn }).ended({ id: "2" });
  folder.kill(file);
  const stack = await read();
  expect(stack.unresolved.map(({ urn }) => urn)).toEqual([urn]);
  expect(stack.pastOf(urnOf("another")).kind).toBe("unread");
  expect(folder.files, "which a later state may settle").toHaveLength(2);
});
