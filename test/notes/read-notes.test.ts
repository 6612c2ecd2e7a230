import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { urnOf } from "../stack/exported.js";
import { sent, useNotesFolder } from "./notes-folder.js";

const folder = useNotesFolder();

it("shows which processes live, which were killed, and when each began its first operation", () => {
  const [previewing, running] = [folder.start(), folder.start()];
  previewing.noteOpenGate();
  for (const name of ["a", "b"]) running.noteOperation(urnOf(name));
  folder.start().noteOperation("urn:pulumi:prod::test::a::b");
  const shown = () =>
    folder
      .read()
      .files.map(({ writer, beganAt }) => [writer, beganAt])
      .sort();
  const beganAt = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(shown()).toEqual([
    ["running", undefined],
    ["running", beganAt],
  ]);
  folder.kill();
  expect(shown()).toContainEqual(["killed", beganAt]);
});

it("takes a process for ended that was killed when nothing was under way, as by a language host", async () => {
  const [idle, busy, again] = [folder.start(), folder.start(), folder.start()];
  for (const notes of [idle, busy, again]) notes.noteOperation(urnOf("a"))();
  busy.noteOperation(urnOf("b"));
  const shown = (key: "writer" | "isIdle") =>
    folder
      .read()
      .files.map((file) => file[key])
      .sort();
  await expect.poll(() => shown("isIdle"), { timeout: 30_000 }).toEqual([true, true, undefined]);
  again.noteOperation(urnOf("b"));
  folder.kill();
  expect(shown("writer")).toEqual(["ended", "killed", "killed"]);
});

it("shows that a process has ended whose number another one has now, as in the next container", () => {
  folder.start().noteOperation(urnOf("a"));
  folder.send();
  folder.rewrite({ start: "another" });
  expect(folder.read().files).toMatchObject([{ writer: "killed" }, { writer: "killed" }]);
  expect(folder.read().creates).toMatchObject([{ writer: "killed" }]);
});

it.each([
  ["another stack", { stack: "prod" }, 0],
  ["another project", { project: "other" }, 0],
  ["another organization", { organization: "other" }, 0],
  ["its own organization", { organization: "acme" }, 1],
])("finds the creates of %s, and a run that sent none", (_, of, count) => {
  const [creating, updating] = [folder.start(), folder.start()];
  for (const notes of [creating, updating]) notes.noteOperation(urnOf("orders"), "acme");
  folder.send(creating);
  folder.kill();
  expect(folder.read(of).creates).toHaveLength(count);
  expect(folder.read(of).files).toHaveLength(2 * count);
  // A plugin does not know its organization in a destroy.
  folder.start().noteOperation(urnOf("orders"));
  expect(folder.read({ organization: "acme" }).files).toHaveLength(3);
});

it("skips half a line, which a killed run leaves, and files of something else", () => {
  folder.send();
  folder.kill();
  fs.appendFileSync(folder.files[0] ?? "", '{"create":1,"reply":{"id":');
  fs.writeFileSync(join(folder.path, "torn.jsonl"), '{"pid":');
  fs.writeFileSync(join(folder.path, "notes.txt"), "{}");
  expect(folder.creates).toEqual([sent]);
});
