import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keepOnly } from "../../src/notes/remove-notes.js";
import { urnOf } from "../stack/exported.js";
import { ENGINE, sent, useNotesFolder } from "./notes-folder.js";

const OTHER_ENGINE = "127.0.0.1:1";
const reply = { id: "42", createdAt: "2026-01-01T12:00:01Z" };

const folder = useNotesFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("a create", () => {
  it("is noted when it is sent, and with its reply, until it certainly had no effect", () => {
    const { sentAt, until, ...create } = sent;
    const note = folder.start().noteCreate(create);
    expect(folder.files).toEqual([]);
    note.sent({ sentAt, until });
    expect(folder.creates).toEqual([sent]);
    note.replied(reply);
    expect(folder.creates).toEqual([{ ...sent, reply }]);
    note.withdraw();
    expect(folder.creates).toEqual([]);
  });

  it("stays noted if its run is interrupted, also when that ends", () => {
    const controller = new AbortController();
    const notes = folder.start({ resultsMayBeLost: controller.signal });
    folder.send(notes);
    controller.abort();
    notes.end();
    folder.kill();
    expect(folder.read().creates).toMatchObject([{ ...sent, writer: "killed" }]);
  });

  it("stays noted when its run ends well, until a state shows what became of it: a backend may be down", () => {
    const notes = folder.start();
    folder.send(notes).replied(reply);
    notes.end();
    expect(folder.read().creates).toMatchObject([{ ...sent, reply, writer: "ended" }]);
  });

  it.each(["PULUMI_SKIP_CHECKPOINTS", "PULUMI_DISABLE_JOURNALING"])(
    "says that no state shows it before the run has ended, by %s",
    (name) => {
      vi.stubEnv(name, "true");
      folder.send();
      vi.stubEnv(name, "false");
      folder.send();
      const marks = folder.read().creates.map(({ hasNoCheckpoints }) => hasNoCheckpoints);
      expect(marks.sort()).toEqual([true, undefined]);
    },
  );

  it("is noted a second time if an error hook repeats it", () => {
    const notes = folder.start();
    folder.send(notes).withdraw();
    folder.send(notes);
    expect(folder.creates).toEqual([sent]);
  });

  it("is forgotten with its webhook, whichever run has created it, and no other one", () => {
    const notes = folder.start();
    folder.send(notes).replied(reply);
    folder.send(notes, { api: "another" }).replied(reply);
    folder.send(notes).replied({ id: "43" });
    folder.kill();
    folder.start().forget({ id: "42", api: "hash" });
    expect(folder.creates).toMatchObject([{ api: "another" }, { reply: { id: "43" } }]);
  });

  it("goes with its file if that has no other one, and its run ended well, as each stack of a pull request", () => {
    const ended = folder.start();
    folder.send(ended).replied(reply);
    folder.send(ended).replied({ id: "43" });
    ended.end();
    const deleting = folder.start();
    deleting.forget({ id: "42", api: "hash" });
    expect(folder.creates).toMatchObject([{ reply: { id: "43" } }]);
    deleting.forget({ id: "43", api: "hash" });
    expect(folder.files).toEqual([]);
  });
});

it("reads a file of another process once, and whether that lives, however many webhooks it deletes", () => {
  const ids = ["1", "2", "3"];
  const creating = folder.start();
  for (const id of ids) folder.send(creating).replied({ id });
  const notes = folder.start();
  const reading = vi.spyOn(fs, "readFileSync");
  syncBuiltinESMExports();
  for (const id of ids) {
    expect(notes.areDeletesHeld()).toBe(false);
    notes.forget({ id, api: "hash" });
  }
  const read = reading.mock.calls.map(([path]) => path);
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect(read).toEqual([...folder.files, `/proc/${process.pid}/stat`]);
  expect(folder.creates).toEqual([]);
});

describe("the file of a process", () => {
  it("belongs to its owner, and goes when the run ends well in which no create may have made a webhook", () => {
    const notes = folder.start();
    folder.send(notes).withdraw();
    notes.noteFirstOperation(urnOf("orders"));
    notes.holdDeletes();
    expect(folder.files).toHaveLength(2);
    for (const path of [folder.path, ...folder.files]) expect(fs.statSync(path).mode & 0o077).toBe(0);
    notes.end();
    notes.end();
    folder.send(notes);
    expect(folder.files).toEqual([]);
  });

  it("says once why it cannot be written, and lets the run go on", () => {
    const file = join(folder.path, "file");
    fs.writeFileSync(file, "");
    const report = vi.fn();
    const notes = folder.start({ folder: file, report });
    folder.send(notes);
    folder.send(notes).withdraw();
    notes.end();
    expect(report.mock.calls).toEqual([[expect.stringMatching(/^E\w+: /)]]);
  });
});

describe("what the processes of a run know of each other", () => {
  it("is that one has found the gate open, also if it held deletes before", () => {
    const notes = folder.start();
    notes.holdDeletes();
    expect(folder.read({ engine: ENGINE }).isGateOpen).toBe(false);
    notes.noteOpenGate();
    folder.send(notes);
    expect(folder.read({ engine: ENGINE })).toEqual({ creates: [], isGateOpen: true, files: [] });
    // Another engine waits for the lock, or resolve runs.
    for (const of of [{ engine: OTHER_ENGINE }, {}])
      expect(folder.read(of)).toMatchObject({ creates: [sent], isGateOpen: false });
    folder.kill();
    expect(folder.read({ engine: ENGINE })).toMatchObject({ creates: [sent], isGateOpen: false });
  });

  it("is that one holds deletes, as long as it lives", () => {
    const notes = folder.start();
    expect(folder.start().areDeletesHeld()).toBe(false);
    for (const _twice of [1, 2]) notes.holdDeletes();
    expect(folder.files).toHaveLength(1);
    expect(folder.start().areDeletesHeld()).toBe(true);
    expect(folder.start({ engine: OTHER_ENGINE }).areDeletesHeld()).toBe(false);
    folder.kill();
    expect(folder.start().areDeletesHeld()).toBe(false);
    keepOnly(folder.read(), { creates: [], files: [] });
    expect(folder.files, "which the next run removes").toEqual([]);
  });
});
