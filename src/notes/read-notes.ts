import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StackName } from "../record/stack-name.js";
import type { CreateLine, FileHeader, RunLine, SentCreate } from "./format.js";
import { ifPossible } from "./if-possible.js";
import { isRunning } from "./processes.js";

/** What became of the process that writes a file: it runs, it ended when no create was under way, or it was killed. */
type Writer = "running" | "ended" | "killed";

/** A create that a run on this machine has sent, and whose result its engine may not have. */
export interface NotedCreate extends SentCreate {
  /** The file in which it is noted, and its number there. */
  file: string;
  number: number;
  /** While its process runs, it may still get the reply. */
  writer: Writer;
}

/** A file of notes, as it is read. */
interface NotesFile extends RunLine {
  path: string;
  engine: string | undefined;
  writer: Writer;
  creates: readonly NotedCreate[];
}

/** What the notes of this machine say of a stack. */
export interface NotesOfStack {
  /** The creates of other runs whose results their engines may not have. */
  creates: readonly NotedCreate[];
  /** Whether another process of the running run has found the gate open: what is pending now was begun by this run. */
  isGateOpen: boolean;
  /** The files of other runs of the stack; and those that have no create. */
  files: readonly NotesFile[];
}

/** Reads the notes of a stack on this machine. @param engine the address of that of the running run, if one is running. */
export function readNotes(
  folder: string,
  { stack, project, organization, engine }: StackName & { engine?: string | undefined },
): NotesOfStack {
  const prefix = `urn:pulumi:${stack}::${project}::`;
  const names = ifPossible(() => readdirSync(folder)) ?? []; // No run may have noted anything.
  const paths = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const read = paths.flatMap((path) => readFile(path) ?? []);
  const isOfStack = ({ creates, organization: noted }: NotesFile) =>
    creates.every(({ urn }) => urn.startsWith(prefix)) &&
    (organization === undefined || [organization, undefined].includes(noted));
  const isOfRun = (file: NotesFile) =>
    engine !== undefined && file.engine === engine && file.writer === "running";
  const files = read.filter((file) => !isOfRun(file) && isOfStack(file));
  return {
    creates: files.flatMap(({ creates }) => creates),
    isGateOpen: read.some((file) => isOfRun(file) && file.isGateOpen),
    files,
  };
}

/** @returns undefined if the file is still empty: its process has just created it. */
function readFile(path: string): NotesFile | undefined {
  const [header, ...lines] = readLines(path) as [FileHeader?, ...(CreateLine | RunLine)[]]; // The file is our own.
  if (header === undefined) return undefined;
  const numbered = new Map<number, CreateLine>();
  const run: RunLine = {};
  for (const line of lines) {
    if ("create" in line) numbered.set(line.create, { ...numbered.get(line.create), ...line });
    else Object.assign(run, line);
  }
  const isLive = !run.hasEnded && isRunning(header);
  const writer = isLive ? "running" : run.hasEnded || run.isIdle ? "ended" : "killed";
  const creates = [...numbered.values()].filter(({ isOver, urn }) => !isOver && urn !== undefined);
  return {
    ...run,
    path,
    engine: header.engine,
    writer,
    creates: creates.map(({ create: number, ...sent }) => ({
      ...(sent as SentCreate), // Its first line has them.
      file: path,
      number,
      writer,
    })),
  };
}

/** Reads the lines of a file. A run that was killed may have left half of the last one, and one that is going on may remove the file. */
function readLines(path: string): object[] {
  const lines = ifPossible(() => readFileSync(path, "utf8").split("\n")) ?? [];
  return lines.flatMap((line) => ifPossible(() => JSON.parse(line)) ?? []);
}
