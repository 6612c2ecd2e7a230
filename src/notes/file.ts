import { appendFileSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { CreateLine, CreateReply, FileHeader, NotedImport, RunLine, SentCreate } from "./format.js";

/** A create that a run on this machine has sent, and whose result its engine may not have. */
export interface NotedCreate extends SentCreate {
  /** The file in which it is noted, and its number there. */
  file: string;
  number: number;
  reply?: CreateReply;
}

/** A file of notes, as it is read. */
export interface FileOfNotes {
  path: string;
  header: FileHeader;
  run: Omit<RunLine, "imports">;
  imports: NotedImport[];
  creates: NotedCreate[];
}

/** Reports whether a file is that of another process. */
export const isOther = (name: string) => !name.startsWith(`${process.pid}-`);

/** Reads the files in a folder. @param isChosen chooses by their names. */
export function readFiles(folder: string, isChosen = (_name: string) => true): FileOfNotes[] {
  return listFiles(folder)
    .filter(isChosen)
    .flatMap((name) => readFile(join(folder, name)) ?? []);
}

/** @returns undefined if the file is still empty: its process has just created it. */
function readFile(path: string): FileOfNotes | undefined {
  const [header, ...lines] = readLines(path) as [FileHeader?, ...(CreateLine | RunLine)[]]; // The file is our own.
  if (header === undefined) return undefined;
  const creates = new Map<number, CreateLine>();
  const run: RunLine = {};
  const imports: NotedImport[] = [];
  for (const line of lines) {
    if ("create" in line) creates.set(line.create, { ...creates.get(line.create), ...line });
    else if (line.imports === undefined) Object.assign(run, line);
    else imports.push(line.imports);
  }
  const open = [...creates.values()].filter(({ isOver, urn }) => !isOver && urn !== undefined);
  return {
    path,
    header,
    run,
    imports,
    creates: open.map(({ create: number, ...sent }) => ({
      ...(sent as CreateLine & SentCreate), // Its first line has them.
      file: path,
      number,
    })),
  };
}

/** Reports whether a running process of an engine writes a file. */
export function isOfRun({ header }: FileOfNotes, engine: string | undefined): boolean {
  return header.engine === engine && isAlive(header.pid);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return []; // No run has noted anything.
  }
}

/** Reads the lines of a file. A run that was killed may have left half of the last one. */
function readLines(file: string): object[] {
  try {
    return readFileSync(file, "utf8").split("\n").flatMap(parseLine);
  } catch {
    return []; // A run that is going on has just removed it.
  }
}

function parseLine(line: string): object[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** Reports whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Object(error).code === "EPERM";
  }
}

/** Notes in the file of an ended process that a create is over, if possible: a killed process may have left half a line. */
export function endCreate({ file, number }: NotedCreate): void {
  const line: CreateLine = { create: number, isOver: true };
  try {
    appendFileSync(file, `\n${JSON.stringify(line)}\n`);
  } catch {
    // The folder is read-only by now.
  }
}

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or the folder is read-only by now.
  }
}
