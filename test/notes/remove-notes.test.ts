import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepOnly } from "../../src/notes/remove-notes.js";
import { urnOf } from "../stack/exported.js";
import { sent, useNotesFolder } from "./notes-folder.js";

const folder = useNotesFolder();

it("leaves a file alone that a process has just created, and has not written into yet", () => {
  fs.writeFileSync(join(folder.path, `${process.pid}-0a.jsonl`), "");
  keepOnly(folder.read({ stack: "other" }), { creates: [], unsaved: [], files: [] });
  expect(folder.files).toHaveLength(1);
});

it("forgets the settled creates, and removes the file in which all are if its process is gone", () => {
  const notes = folder.start();
  const forget = (...kept: string[]) => {
    const all = folder.read();
    const creates = all.creates.filter(({ urn }) => kept.some((name) => urn.endsWith(`::${name}`)));
    keepOnly(all, { creates, unsaved: [], files: [] });
    return folder.creates.map(({ urn }) => urn.split("::").at(-1));
  };
  for (const name of ["orders", "other"]) folder.send(notes, { urn: urnOf(name) });
  expect(forget("other")).toEqual(["other"]);
  folder.send(notes, { urn: urnOf("third") });
  expect(forget("other", "third"), "what a live process adds").toEqual(["other", "third"]);
  folder.kill();
  expect(forget("third")).toEqual(["third"]);
  const all = folder.read();
  keepOnly(all, { creates: [], unsaved: [], files: all.files });
  expect(folder.creates).toEqual([]);
  expect(folder.files, "the file of a killed run").toHaveLength(1);
  expect(forget()).toEqual([]);
  expect(folder.files).toEqual([]);
});

it("forgets a create when this machine has deleted its webhook: a destroy reads no state", () => {
  const { api } = sent;
  const createdAt = "2026-01-01T12:00:01Z";
  const created = folder.start();
  for (const [name, id] of [
    ["orders", "42"],
    ["other", "43"],
  ] as const)
    folder.send(created, { urn: urnOf(name) }).ended({ id, createdAt });
  created.end();
  const destroyed = folder.start();
  destroyed.deleted.push({ id: "42", api: "another", createdAt });
  destroyed.deleted.push({ id: "42", api, createdAt: "2026-02-01T12:00:01Z" });
  destroyed.deleted.push({ id: "42", api });
  destroyed.deleted.push({ id: "43", api, createdAt });
  destroyed.end();
  expect(folder.creates).toMatchObject([{ reply: { id: "42" } }]);
  const destroyedAgain = folder.start();
  destroyedAgain.deleted.push({ id: "42", api, createdAt });
  destroyedAgain.end();
  folder.kill();
  expect(folder.read().creates).toEqual([]);
});

it("notes that a state did not show a create whose run has ended: later states do not show it either", () => {
  folder.send().ended({ id: "42" });
  const read = () => {
    const all = folder.read();
    keepOnly(all, { creates: all.creates, unsaved: all.creates, files: [] });
    return folder.creates;
  };
  expect(read(), "while the run is saving its results").toMatchObject([
    { endedAt: expect.stringMatching(/Z$/) },
  ]);
  folder.kill();
  expect(read()).toMatchObject([{ reply: { id: "42" }, endedAt: "" }]);
});
