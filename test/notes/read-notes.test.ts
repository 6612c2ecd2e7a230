import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepOnly } from "../../src/notes/read-notes.js";
import { urnOf } from "../stack/exported.js";
import { sent, useNotesFolder } from "./notes-folder.js";

const folder = useNotesFolder();

it("shows which processes live, and when each began its first operation", () => {
  const [previewing, running] = [folder.start(), folder.start()];
  previewing.noteOpenGate();
  for (const name of ["a", "b"]) running.noteFirstOperation(urnOf(name));
  folder.start().noteFirstOperation("urn:pulumi:prod::test::a::b");
  const filesOf = () => folder.read().files.map(({ path, pid, ...file }) => file);
  const beganAt = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(filesOf()).toEqual(
    expect.arrayContaining([
      { isAlive: true, beganAt: undefined, deletes: [] },
      { isAlive: true, beganAt, deletes: [] },
    ]),
  );
  expect(filesOf()).toHaveLength(2);
  folder.kill();
  expect(filesOf()).toContainEqual({ isAlive: false, beganAt, deletes: [] });
});

it("shows that a process has ended whose number another one has now, as in the next container", () => {
  folder.start().noteFirstOperation(urnOf("a"));
  folder.send();
  for (const file of folder.files) {
    const [header = "", ...lines] = fs.readFileSync(file, "utf8").split("\n");
    fs.writeFileSync(file, [JSON.stringify({ ...JSON.parse(header), startedAt: "1" }), ...lines].join("\n"));
  }
  expect(folder.read().files).toMatchObject([{ isAlive: false }, { isAlive: false }]);
  expect(folder.read().creates).toMatchObject([{ isAlive: false }]);
});

it("shows what a process deletes that knows no resource of its stack, and begins with that", () => {
  const [deleting, knowing] = [folder.start(), folder.start()];
  const webhooks = ["1", "2"].map((id) => ({ id, api: "hash" }));
  for (const webhook of webhooks) deleting.noteDelete(webhook);
  knowing.noteFirstOperation(urnOf("a"));
  for (const webhook of webhooks) knowing.noteDelete(webhook);
  const shown = folder
    .read()
    .files.map(({ beganAt, deletes }) => ({ began: beganAt !== undefined, deletes }));
  expect(shown).toContainEqual({ began: true, deletes: webhooks });
  expect(shown).toContainEqual({ began: true, deletes: [] });
});

it("leaves a file alone that a process has just created, and has not written into yet", () => {
  fs.writeFileSync(join(folder.path, `${process.pid}-0a.jsonl`), "");
  keepOnly(folder.read({ stack: "other" }), { creates: [], files: [] });
  expect(folder.files).toHaveLength(1);
});

it.each([
  ["another stack", { stack: "prod" }, 0],
  ["another project", { project: "other" }, 0],
  ["an unknown project", { project: undefined }, 0],
  ["another organization", { organization: "other" }, 0],
  ["its own organization", { organization: "acme" }, 1],
])("finds the creates of %s", (_, of, count) => {
  folder.send();
  folder.kill();
  expect(folder.read(of).creates).toHaveLength(count);
  expect(folder.read(of).files).toHaveLength(count);
});

it("finds a create without an organization, which a plugin does not know", () => {
  folder.send(folder.start(), { organization: undefined });
  expect(folder.read({ organization: "acme" }).creates).toHaveLength(1);
});

it("skips half a line, which a killed run leaves, and files of something else", () => {
  folder.send();
  folder.kill();
  fs.appendFileSync(folder.files[0] ?? "", '{"create":1,"reply":{"id":');
  fs.writeFileSync(join(folder.path, "torn.jsonl"), '{"pid":');
  fs.writeFileSync(join(folder.path, "notes.txt"), "{}");
  expect(folder.creates).toEqual([sent]);
});

it("forgets the settled creates, and removes the file in which all are if its process is gone", () => {
  const notes = folder.start();
  const forget = (...kept: string[]) => {
    const all = folder.read();
    const creates = all.creates.filter(({ urn }) => kept.some((name) => urn.endsWith(`::${name}`)));
    keepOnly(all, { creates, files: [] });
    return folder.creates.map(({ urn }) => urn.split("::").at(-1));
  };
  for (const name of ["orders", "other"]) folder.send(notes, { urn: urnOf(name) });
  expect(forget("other")).toEqual(["other"]);
  folder.send(notes, { urn: urnOf("third") });
  expect(forget("other", "third"), "what a live process adds").toEqual(["other", "third"]);
  folder.kill();
  expect(forget("third")).toEqual(["third"]);
  const all = folder.read();
  keepOnly(all, { creates: [], files: all.files });
  expect(folder.creates).toEqual([]);
  expect(folder.files, "the file of a killed run").toHaveLength(1);
  expect(forget()).toEqual([]);
  expect(folder.files).toEqual([]);
});
