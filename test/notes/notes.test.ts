import fs from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { ENGINE, sent, useNotesFolder } from "./notes-folder.js";

const reply = { id: "42", createdAt: "2026-01-01T12:00:01Z" };
const time = expect.stringMatching(/^\d{4}-.*Z$/);

const folder = useNotesFolder();

it("a create is noted when it is sent, when it ends, and with its reply, until it certainly had no effect", () => {
  const { sentAt, until, ...create } = sent;
  const note = folder.start().noteCreate(create);
  expect(folder.files).toEqual([]);
  note.sent({ sentAt, until });
  expect(folder.creates).toEqual([sent]);
  note.ended();
  expect(folder.creates).toEqual([{ ...sent, endedAt: time }]);
  note.ended(reply);
  expect(folder.creates).toEqual([{ ...sent, reply, endedAt: time }]);
  note.withdraw();
  expect(folder.creates).toEqual([]);
});

it("a create stays noted if its run is interrupted, also when that ends", () => {
  const controller = new AbortController();
  const notes = folder.start({ resultsMayBeLost: controller.signal });
  folder.send(notes);
  controller.abort();
  notes.end();
  folder.kill();
  expect(folder.read().creates).toMatchObject([{ ...sent, writer: "killed" }]);
});

it("the file of a process belongs to its owner, and goes when the run ends well in which no create may have made a webhook", () => {
  const notes = folder.start();
  folder.send(notes).withdraw();
  notes.noteOpenGate();
  expect(folder.files).toHaveLength(1);
  for (const path of [folder.path, ...folder.files]) expect(fs.statSync(path).mode & 0o077).toBe(0);
  notes.end();
  notes.end();
  folder.send(notes);
  expect(folder.files).toEqual([]);
});

it("the file of a process says once why it cannot be written, and lets the run go on", () => {
  const file = join(folder.path, "file");
  fs.writeFileSync(file, "");
  const report = vi.fn();
  const notes = folder.start({ folder: file, report });
  folder.send(notes);
  folder.send(notes).withdraw();
  notes.end();
  expect(report.mock.calls).toEqual([[expect.stringMatching(/^E\w+: /)]]);
});

it("shows the other processes of a run that one has found the gate open", () => {
  const notes = folder.start();
  folder.send(notes);
  expect(folder.read({ engine: ENGINE })).toMatchObject({ creates: [], isGateOpen: false, files: [] });
  notes.noteOpenGate();
  expect(folder.read({ engine: ENGINE })).toMatchObject({ creates: [], isGateOpen: true, files: [] });
  // Another engine waits for the lock, or resolve runs.
  for (const of of [{ engine: "127.0.0.1:1" }, {}])
    expect(folder.read(of)).toMatchObject({ creates: [sent], isGateOpen: false });
  folder.kill();
  expect(folder.read({ engine: ENGINE })).toMatchObject({ creates: [sent], isGateOpen: false });
});
