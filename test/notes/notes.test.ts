import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { areDeletesHeld, forgetNotes, readNotes } from "../../src/notes/noted-creates.js";
import { DELIVERY_MILLISECONDS, Notes } from "../../src/notes/notes.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders";
const ENGINE = "127.0.0.1:4711";
const sent = { sentAt: "2026-01-01T12:00:00.000Z", api: "hash", provider: "eu" };
const reply = { id: "42", createdAt: "2026-01-01T12:00:01Z" };
/** No process has it. */
const DEAD = 2 ** 30;

let folder: string;
beforeEach(() => {
  folder = join(fs.mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-")), "notes");
  vi.useFakeTimers({ now: new Date("2026-01-01T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  fs.rmSync(join(folder, ".."), { recursive: true });
});

const place = (name = "orders") => ({ folder, urn: URN.replace("orders", name), organization: "acme" });
const files = () => fs.readdirSync(folder).map((name) => join(folder, name));
const read = (of: object = {}) => readNotes(folder, { stack: "dev", project: "test", ...of });
/** The noted creates, without their files. */
const creates = (of?: object) => read(of).creates.map(({ file, number, ...noted }) => noted);
const deliver = () => vi.advanceTimersByTime(DELIVERY_MILLISECONDS);

/** Notes a create that is sent. */
function send(notes = new Notes(), name?: string) {
  const note = notes.create(place(name), sent);
  note.sent();
  return note;
}

/** Lets the process that wrote the only file be another one, which has ended by now. */
function die(): string {
  const [file = ""] = files();
  const [, ...lines] = fs.readFileSync(file, "utf8").split("\n");
  fs.writeFileSync(
    file,
    [JSON.stringify({ pid: DEAD, engine: ENGINE, isGateOpen: true }), ...lines].join("\n"),
  );
  return file;
}

const noted = { urn: URN, organization: "acme", ...sent };

describe("a create", () => {
  it("is noted when it is sent, and with its reply", () => {
    const note = new Notes().create(place(), sent);
    expect(fs.existsSync(folder)).toBe(false);
    note.sent();
    expect(creates()).toEqual([noted]);
    note.replied(reply);
    expect(creates()).toEqual([{ ...noted, reply }]);
  });

  it("is over when it had no effect, or when the engine has its result, which takes a moment", () => {
    const notes = new Notes();
    send(notes, "refused").withdraw();
    send(notes, "lost");
    const note = send(notes);
    note.replied(reply);
    note.settle();
    vi.advanceTimersByTime(DELIVERY_MILLISECONDS - 1);
    expect(creates()).toHaveLength(2);
    deliver();
    expect(creates()).toMatchObject([{ urn: place("lost").urn }]);
  });

  it("stays noted if its run is interrupted, also when that ends", () => {
    const controller = new AbortController();
    const notes = new Notes({ interruption: controller.signal });
    send(notes).settle();
    controller.abort();
    deliver();
    notes.end();
    expect(creates()).toEqual([noted]);
  });

  it("stays noted until the engine saves the state, if it does that at the end of the run only", () => {
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "true");
    const notes = new Notes();
    send(notes).settle();
    deliver();
    expect(creates()).toEqual([noted]);
    notes.end();
    expect(creates()).toEqual([{ ...noted, endedAt: new Date().toISOString() }]);
  });

  it("is noted a second time if an error hook repeats it", () => {
    const notes = new Notes();
    send(notes).withdraw();
    send(notes);
    expect(creates()).toEqual([noted]);
  });

  it("of a resource without a place, as earlier versions declare it, is not noted", () => {
    new Notes().create(undefined, sent).sent();
    expect(fs.existsSync(folder)).toBe(false);
  });
});

describe("the file of a process", () => {
  it("belongs to its owner, and goes when the run ends well", () => {
    const notes = new Notes();
    send(notes);
    expect(files()).toHaveLength(1);
    for (const path of [folder, ...files()]) expect(fs.statSync(path).mode & 0o077).toBe(0);
    notes.end();
    notes.end();
    expect(files()).toEqual([]);
  });

  it("says once why it cannot be written, and lets the run go on", () => {
    fs.writeFileSync(folder, "");
    const report = vi.fn();
    const notes = new Notes({ report });
    send(notes).settle();
    send(notes).withdraw();
    deliver();
    notes.end();
    expect(report.mock.calls).toEqual([[expect.stringMatching(/^E\w+: /)]]);
  });

  it("holds neither a url nor a secret", () => {
    send().replied(reply);
    const lines = fs
      .readFileSync(files()[0] ?? "", "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => Object.keys(JSON.parse(line)).join(" "))).toEqual([
      "pid isGateOpen",
      "create urn organization sentAt api provider",
      "create reply",
    ]);
  });
});

describe("reading", () => {
  it("leaves out what a live process of the same engine has begun, and passes that it found the gate open", () => {
    const notes = new Notes({ engine: ENGINE });
    notes.open(place().folder, true);
    notes.open(place().folder, false);
    send(notes);
    expect(read({ engine: ENGINE })).toEqual({ creates: [], isGateOpen: true, files: [] });
    // Another engine waits for the lock, or resolve runs.
    for (const of of [{ engine: "127.0.0.1:1" }, {}]) {
      expect(read(of)).toMatchObject({ creates: [noted], isGateOpen: false, files: [] });
    }
    const file = die();
    expect(read({ engine: ENGINE })).toMatchObject({ creates: [noted], isGateOpen: false, files: [file] });
  });

  it("leaves a file alone that a process has just created, and has not written into yet", () => {
    const { folder } = place();
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, `${process.pid}-0a.jsonl`), "");
    forgetNotes(read({ stack: "other" }), []);
    expect(files()).toHaveLength(1);
  });

  it("shows whether another live process of the same engine holds deletes", () => {
    const notes = new Notes({ engine: ENGINE });
    for (const _twice of [1, 2]) notes.holdDeletes(folder);
    expect(areDeletesHeld(folder, ENGINE), "in the process itself").toBe(false);
    const [file = ""] = files();
    expect(fs.readFileSync(file, "utf8").match(/holdsDeletes/g), "one line").toHaveLength(1);
    fs.renameSync(file, join(folder, "other.jsonl"));
    expect(areDeletesHeld(folder, ENGINE)).toBe(true);
    expect(areDeletesHeld(folder, "127.0.0.1:1")).toBe(false);
    die();
    expect(areDeletesHeld(folder, ENGINE)).toBe(false);
  });

  it("does not take a process for one that found the gate open if it could not read the state", () => {
    send(new Notes({ engine: ENGINE }));
    expect(read({ engine: ENGINE })).toEqual({ creates: [], isGateOpen: false, files: [] });
  });

  it.each([
    ["another stack", { stack: "prod" }, 0],
    ["another project", { project: "other" }, 0],
    ["an unknown project", { project: undefined }, 0],
    ["another organization", { organization: "other" }, 0],
    ["its own organization", { organization: "acme" }, 1],
  ])("finds the creates of %s", (_, of, count) => {
    send();
    die();
    expect(read(of).creates).toHaveLength(count);
    expect(read(of).files).toHaveLength(count);
  });

  it("finds a create without an organization, which a plugin does not know", () => {
    const { organization, ...known } = place();
    new Notes().create(known, sent).sent();
    expect(creates({ organization: "acme" })).toEqual([{ urn: URN, ...sent }]);
  });

  it("skips half a line, which a killed run leaves, and files of something else", () => {
    send();
    fs.appendFileSync(die(), '{"create":1,"reply":{"id":');
    fs.writeFileSync(join(folder, "torn.jsonl"), '{"pid":');
    fs.writeFileSync(join(folder, "torn.json"), '{"urn":');
    fs.writeFileSync(join(folder, "other.json"), "{}");
    fs.writeFileSync(join(folder, "notes.txt"), "{}");
    expect(creates()).toEqual([noted]);
  });

  it("reads the files of the version before, one a create", () => {
    const { api, ...rest } = noted;
    const write = (name: string, ...lines: object[]) =>
      fs.writeFileSync(
        join(folder, `${name}.json`),
        lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      );
    send().withdraw();
    write("open", { ...rest, account: "hash", secret: "digest" }, { reply });
    write("delivered", { ...rest, account: "hash" }, { reply }, { isDelivered: true });
    expect(creates()).toEqual([{ ...noted, secret: "digest", reply }]);
    expect(read().files).toContain(join(folder, "open.json"));
  });

  it("forgets the settled creates, and removes the file in which all are if its process is gone", () => {
    const notes = new Notes();
    const forget = (...kept: string[]) => {
      const all = read();
      forgetNotes(
        all,
        all.creates.filter(({ urn }) => kept.some((name) => urn.endsWith(`::${name}`))),
      );
      return creates().map(({ urn }) => urn.split("::").at(-1));
    };
    send(notes);
    send(notes, "other");
    expect(forget("other")).toEqual(["other"]);
    send(notes, "third");
    expect(forget("other", "third"), "what a live process adds").toEqual(["other", "third"]);
    die();
    expect(forget("third")).toEqual(["third"]);
    expect(files()).toHaveLength(1);
    expect(forget()).toEqual([]);
    expect(files()).toEqual([]);
  });
});
