import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepOnly } from "../../src/notes/remove-notes.js";
import { urnOf } from "../stack/exported.js";
import { sent, useNotesFolder } from "./notes-folder.js";

const folder = useNotesFolder();

it("takes a process for ended that was killed when no create was under way, as by a language host", async () => {
  const [idle, busy, again] = [folder.start(), folder.start(), folder.start()];
  for (const notes of [idle, busy, again]) folder.send(notes).ended();
  folder.send(busy);
  const shown = (key: "writer" | "isIdle") =>
    folder
      .read()
      .files.map((file) => file[key])
      .sort();
  await expect.poll(() => shown("isIdle"), { timeout: 30_000 }).toEqual([false, true, true]);
  folder.send(again);
  expect(shown("writer")).toEqual(["running", "running", "running"]);
  folder.kill();
  expect(shown("writer")).toEqual(["ended", "killed", "killed"]);
});

it("takes a process for killed that was killed before the engine had the result of its create", () => {
  folder.send().ended();
  folder.kill();
  expect(folder.read().creates).toMatchObject([{ writer: "killed" }]);
});

it("shows that a process has ended whose number another one has now, as in the next container", () => {
  folder.send();
  folder.rewrite({ start: "another" });
  expect(folder.read().creates).toMatchObject([{ writer: "killed" }]);
});

it.each([
  ["another stack", { stack: "prod" }, 0],
  ["another project", { project: "other" }, 0],
  ["another organization", { organization: "other" }, 0],
  ["its own organization", { organization: "acme" }, 1],
  ["a backend without organizations", {}, 1],
])("finds the creates of %s", (_, of, count) => {
  folder.send(folder.start(), {}, "acme");
  folder.kill();
  expect(folder.read(of).creates).toHaveLength(count);
  expect(folder.read(of).files).toHaveLength(count);
});

it("finds the creates that were noted before only creates were", () => {
  const urn = urnOf("orders");
  const began = { beganAt: sent.sentAt, urn, organization: "acme" };
  const lines = [{ pid: 2 ** 30 }, began, { create: 1, ...sent }, { isIdle: true }, { isIdle: false }];
  folder.write("old", lines);
  folder.write("update", lines.slice(0, 2));
  expect(folder.creates).toEqual([sent]);
  expect(folder.read({ organization: "other" }).creates).toEqual([]);
  const all = folder.read();
  expect(all.creates).toMatchObject([{ writer: "killed" }]);
  keepOnly(all, all.creates);
  expect(folder.files, "without the one of an update").toHaveLength(1);
});

it("skips half a line, which a killed run leaves, and files of something else", () => {
  folder.send();
  folder.kill();
  fs.appendFileSync(folder.files[0] ?? "", '{"create":1,"reply":{"id":');
  fs.writeFileSync(join(folder.path, "torn.jsonl"), '{"pid":');
  fs.writeFileSync(join(folder.path, "notes.txt"), "{}");
  expect(folder.creates).toEqual([sent]);
});
