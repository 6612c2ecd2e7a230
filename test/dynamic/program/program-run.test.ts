import { expect, it, vi } from "vitest";
import { currentRun } from "../../../src/dynamic/program/program-run.js";
import { Webhook } from "../../../src/index.js";
import { NotesFolder } from "../../notes/notes-folder.js";
import { exported, LATER, urnOf, webhook } from "../../stack/exported.js";
import { declared, resolved, start, startEngine, useProgram, warnings } from "./program.js";

useProgram();

it("reads the state when the first webhook is declared, not when the program loads the package", async () => {
  await start(exported([webhook("orders")]));
  const { PATH } = process.env;
  vi.stubEnv("PATH", "");
  vi.resetModules();
  const { Webhook } = await import("../../../src/index.js");
  vi.stubEnv("PATH", PATH);
  await resolved(new Webhook("orders", { url: "https://example.com" }).urn);
  expect(JSON.parse(declared[0]?.inputs.__context)).toMatchObject({ past: { kind: "known", id: "1" } });
});

it("removes the notes of this machine when the state shows all results, in a preview, too: a later state may not show them any more", async () => {
  await start(exported([webhook("orders", { created: LATER })]));
  const folder = new NotesFolder(currentRun()?.notesFolder);
  folder.send(folder.start(), { urn: urnOf("orders") });
  folder.kill();
  await startEngine(true);
  const run = currentRun();
  expect(await run?.stack()).toBe(await run?.stack());
  expect((await run?.stack())?.gate).toBeUndefined();
  expect(folder.files).toEqual([]);
  expect(warnings).toEqual([]);
});

it("warns once, and goes on without the state, if there is no pulumi on the PATH", async () => {
  await start();
  vi.stubEnv("PATH", "");
  expect(await currentRun()?.stack()).toBeUndefined();
  await resolved(new Webhook("orders", { url: "https://example.com" }).urn);
  const passed = JSON.parse(declared[0]?.inputs.__context);
  expect(passed).toMatchObject({ past: { kind: "unread" } });
  expect(Object.keys(passed)).toEqual(["urn", "organization", "given", "past", "program"]);
  const reason = "could not be read. There is no pulumi on the PATH.";
  expect(warnings).toEqual([expect.stringContaining(reason)]);
});

it("refuses changes if the state is that of another stack, as after a rename that has kept the URNs", async () => {
  const state = exported([webhook("orders", { urn: "urn:pulumi:prod::test::a::b" })]);
  const gate = expect.stringContaining("the state of test/dev has the URNs of another stack");
  await start(state);
  expect((await currentRun()?.stack())?.gate).toEqual(gate);
  expect(warnings).toEqual([]);
  await startEngine(true);
  await currentRun()?.stack();
  expect(warnings).toEqual([gate]);
});

it("refuses changes without the state if this machine has noted creates that it may not show", async () => {
  await start();
  const folder = new NotesFolder(currentRun()?.notesFolder);
  const ended = folder.start();
  folder.send(ended, { urn: urnOf("ended") }).ended({ id: "1" });
  ended.end();
  const [file] = folder.files;
  const { urn } = webhook("killed");
  folder.send(folder.start(), { urn }).ended({ id: "2" });
  folder.kill(file);
  await startEngine();
  vi.stubEnv("PATH", "");
  const stack = await currentRun()?.stack();
  expect(stack?.unresolved.map(({ urn }) => urn)).toEqual([urn]);
  expect(stack?.pastOf(urnOf("another")).kind).toBe("new");
  expect(folder.files, "which a later state may settle").toHaveLength(2);
});
