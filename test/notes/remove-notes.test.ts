import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepOnly } from "../../src/notes/remove-notes.js";
import { urnOf } from "../stack/exported.js";
import { useNotesFolder } from "./notes-folder.js";

const folder = useNotesFolder();

it("leaves a file alone that a process has just created, and has not written into yet", () => {
  fs.writeFileSync(join(folder.path, `${process.pid}-0a.jsonl`), "");
  keepOnly(folder.read({ stack: "other" }), []);
  expect(folder.files).toHaveLength(1);
});

it("forgets the settled creates, and removes the file in which all are if its process is gone", () => {
  const notes = folder.start();
  const forget = (...kept: string[]) => {
    const all = folder.read();
    const creates = all.creates.filter(({ urn }) => kept.some((name) => urn.endsWith(`::${name}`)));
    keepOnly(all, creates);
    return folder.creates.map(({ urn }) => urn.split("::").at(-1));
  };
  for (const name of ["orders", "other"]) folder.send(notes, { urn: urnOf(name) });
  expect(forget("other")).toEqual(["other"]);
  folder.send(notes, { urn: urnOf("third") });
  expect(forget("other", "third"), "what a live process adds").toEqual(["other", "third"]);
  folder.kill();
  expect(forget("third")).toEqual(["third"]);
  expect(forget()).toEqual([]);
  expect(folder.files).toEqual([]);
});

it("keeps a create of a run that ended well as one that no later state settles, and that of no other run", () => {
  const notes = folder.start();
  folder.send(notes).ended({ id: "42" });
  const read = () => {
    const all = folder.read();
    keepOnly(all, all.creates);
    return folder.creates;
  };
  const unchanged = [{ endedAt: expect.stringMatching(/Z$/) }];
  expect(read(), "while the run is saving its results").toMatchObject(unchanged);
  notes.end();
  expect(read()).toMatchObject([{ reply: { id: "42" }, endedAt: "" }]);
});
