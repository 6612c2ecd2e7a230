import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { Notes } from "../../src/notes/notes.js";
import { type NotedCreate, readNotes } from "../../src/notes/read-notes.js";
import { urnOf } from "../stack/exported.js";
import { makeFolder } from "../temporary-folder.js";

/** The address of a run's engine. */
export const ENGINE = "127.0.0.1:4711";
const create = { nonce: "n0nc", urn: urnOf("orders"), api: "hash" };
/** What is noted of each create when it is sent. */
export const sent = { ...create, sentAt: "2026-01-01T12:00:00.000Z", until: "2026-01-01T12:01:00.000Z" };
/** No process has it. */
const DEAD = 2 ** 30;

/** A folder for notes, whose processes can be others. */
export class NotesFolder {
  path: string;

  constructor(path = "") {
    this.path = path;
  }

  /** The files in it. */
  get files(): string[] {
    return readdirSync(this.path).map((name) => join(this.path, name));
  }

  /** The noted creates of the stack dev, without their files and processes. */
  get creates(): Omit<NotedCreate, "file" | "number" | "writer">[] {
    return this.read().creates.map(({ file, number, writer, ...noted }) => noted);
  }

  /** Reads the notes of the stack dev, if nothing else is said. */
  read(of: Partial<Parameters<typeof readNotes>[1]> = {}) {
    return readNotes(this.path, { stack: "dev", project: "test", organization: undefined, ...of });
  }

  /** Starts the notes of a process of the run. */
  start(options: object = {}): Notes {
    return new Notes({ folder: this.path, engine: ENGINE, ...options });
  }

  /** Notes a create that is sent. */
  send(notes = this.start(), fields: { urn?: string } = {}, organization?: string) {
    const note = notes.noteCreate({ ...create, ...fields }, organization);
    note.sent(sent);
    return note;
  }

  /** Writes a file of notes. */
  write(name: string, lines: readonly object[]): void {
    writeFileSync(
      join(this.path, `${name}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  }

  /** Lets the processes that have noted what there is be killed. @param but the file of one that was not. */
  kill(but?: string): void {
    this.rewrite({ pid: DEAD }, but);
  }

  /** Changes what the files say of their processes. */
  rewrite(header: object, but?: string): void {
    for (const file of this.files.filter((one) => one !== but)) {
      const [first = "", ...lines] = readFileSync(file, "utf8").split("\n");
      writeFileSync(file, [JSON.stringify({ ...JSON.parse(first), ...header }), ...lines].join("\n"));
    }
  }
}

/** Gives each test of the file a folder for notes. */
export function useNotesFolder(): NotesFolder {
  const folder = new NotesFolder();
  beforeEach(() => {
    folder.path = makeFolder();
  });
  return folder;
}
