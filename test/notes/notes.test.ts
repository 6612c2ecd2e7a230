import fs from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
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
    const { sentAt, ...create } = sent;
    const note = folder.start().noteCreate(create);
    expect(folder.files).toEqual([]);
    note.sent(sentAt);
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
    expect(folder.creates).toEqual([sent]);
  });

  it("stays noted until the engine saves the state, if it does that at the end of the run only", () => {
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "true");
    const notes = folder.start();
    folder.send(notes);
    notes.end();
    folder.kill();
    const marks = { isAlive: false, hasNoCheckpoints: true };
    expect(folder.read().creates).toMatchObject([{ ...sent, ...marks }]);
  });

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
    folder.send(notes, { provider: "eu" }).replied(reply);
    folder.send(notes).replied({ id: "42", createdAt: "2026-02-02T12:00:00Z" });
    folder.send(notes).replied({ id: "43" });
    folder.kill();
    folder.start().forget({ ...reply, api: "hash", provider: undefined });
    // Two accounts at one URL may number alike.
    const others = [{ api: "another" }, { provider: "eu" }, { reply: { createdAt: "2026-02-02T12:00:00Z" } }];
    expect(folder.creates).toMatchObject([...others, { reply: { id: "43" } }]);
  });
});

describe("the file of a process", () => {
  it("belongs to its owner, and goes when the run ends well", () => {
    const notes = folder.start();
    folder.send(notes);
    expect(folder.files).toHaveLength(1);
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

  it("is that another one holds deletes, as long as it lives", () => {
    const notes = folder.start();
    for (const _twice of [1, 2]) notes.holdDeletes();
    expect(fs.readFileSync(folder.files[0] ?? "", "utf8").match(/holdsDeletes/g), "one line").toHaveLength(1);
    expect(folder.start().areDeletesHeldElsewhere(), "in the process itself").toBe(false);
    folder.disown();
    expect(folder.start().areDeletesHeldElsewhere()).toBe(true);
    expect(folder.start({ engine: OTHER_ENGINE }).areDeletesHeldElsewhere()).toBe(false);
    folder.kill();
    expect(folder.start().areDeletesHeldElsewhere()).toBe(false);
  });

  it("is which webhooks the others import, by the base URL", () => {
    const imported = { urn: urnOf("legacy"), id: "1", api: "hash" };
    expect(folder.start().noteImport(imported)).toBeUndefined();
    folder.disown();
    expect(folder.start().noteImport({ ...imported, urn: urnOf("another") })).toBe(urnOf("legacy"));
    expect(folder.start().importerOf(imported)).toEqual(imported);
    expect(folder.start().importerOf({ ...imported, id: "2" })).toBeUndefined();
    expect(folder.start().importerOf({ ...imported, api: "another" })).toBeUndefined();
    expect(folder.start({ engine: OTHER_ENGINE }).importerOf(imported)).toBeUndefined();
  });
});
