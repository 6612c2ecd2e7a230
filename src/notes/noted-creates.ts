import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { CreateLine, CreateReply, FileHeader, NotePlace, RunLine, SentCreate } from "./notes.js";
import { addLine, removeFile } from "./notes.js";

/** A create that a run on this machine has sent, and whose result its engine may not have. */
export interface NotedCreate extends SentCreate, Omit<NotePlace, "folder"> {
  /** The file in which it is noted. */
  file: string;
  /** Its number there. Undefined if an earlier version wrote the file: it has no other then. */
  number?: number;
  reply?: CreateReply;
  /** When the run ended that has sent it, if its engine was about to save all results then. */
  endedAt?: string;
}

/** Which stack the creates are of. */
export interface OfStack {
  stack: string;
  /** Undefined if it is not known. Then there are no creates: other projects may have a stack of the same name. */
  project: string | undefined;
  /** Default: any. */
  organization?: string | undefined;
  /** The address of the engine of the running run, if one is running. */
  engine?: string | undefined;
}

/** What the notes of this machine say of a stack. */
export interface NotesOfStack {
  /** The creates of ended or killed runs whose results their engines may not have. */
  creates: readonly NotedCreate[];
  /** Whether another process of the running run has found the gate open: what is pending now was begun by this run. */
  isGateOpen: boolean;
  /** Their files, as far as the processes that wrote them are gone. */
  files: readonly string[];
}

/** Reads the notes of a stack on this machine. */
export function readNotes(folder: string, { stack, project, organization, engine }: OfStack): NotesOfStack {
  const prefix = `urn:pulumi:${stack}::${project}::`;
  const read = project === undefined ? [] : listFiles(folder).flatMap(readFile);
  const isOwn = (file: FileOfNotes) => engine !== undefined && isOfRun(file, engine);
  const isOfStack = ({ urn, organization: noted }: NotedCreate) =>
    urn.startsWith(prefix) && (organization === undefined || [organization, undefined].includes(noted));
  const earlier = read.filter((file) => !isOwn(file));
  const ofStack = earlier.filter(({ creates }) => creates.every(isOfStack));
  return {
    creates: ofStack.flatMap(({ creates }) => creates),
    isGateOpen: read.some((file) => isOwn(file) && file.header?.isGateOpen),
    files: ofStack
      .filter(({ header }) => header === undefined || !isAlive(header.pid))
      .map(({ path }) => path),
  };
}

/** Reports whether another running process of an engine holds deletes. */
export function areDeletesHeld(folder: string, engine: string): boolean {
  const others = listFiles(folder).filter((path) => !basename(path).startsWith(`${process.pid}-`));
  return others.flatMap(readFile).some((file) => file.holdsDeletes && isOfRun(file, engine));
}

/** Reports whether a running process of an engine writes a file. */
function isOfRun({ header }: FileOfNotes, engine: string): boolean {
  return header?.engine === engine && isAlive(header.pid);
}

/** Forgets the creates that are settled: all but those to keep. The file of a process that is gone goes when all of its are. */
export function forgetNotes({ files, creates }: NotesOfStack, kept: readonly NotedCreate[]): void {
  const over = files.filter((file) => !kept.some((create) => create.file === file));
  for (const file of over) removeFile(file);
  const settled = creates.filter((create) => !kept.includes(create) && !over.includes(create.file));
  for (const { file, number } of settled) addLine(file, { create: number, isOver: true });
}

interface FileOfNotes {
  path: string;
  /** Undefined if an earlier version wrote it. */
  header?: FileHeader;
  holdsDeletes?: boolean;
  creates: NotedCreate[];
}

/** Reads a file, unless it is still empty: then its process has just created it. */
function readFile(path: string): FileOfNotes | [] {
  const [first, ...lines] = readLines(path);
  if (first === undefined) return [];
  // The version before wrote one file a create, whose lines add up.
  if (path.endsWith(".json"))
    return { path, creates: fromEarlierVersion(path, Object.assign(first, ...lines)) };
  const creates = new Map<number, CreateLine>();
  for (const line of lines as CreateLine[])
    creates.set(line.create, { ...creates.get(line.create), ...line });
  const { endedAt } = (lines as RunLine[]).find((line) => line.endedAt !== undefined) ?? {};
  return {
    path,
    header: first as FileHeader, // The file is our own.
    holdsDeletes: (lines as RunLine[]).some((line) => line.holdsDeletes),
    creates: [...creates.values()].flatMap(({ create: number, isOver, ...noted }) =>
      isOver || noted.urn === undefined
        ? []
        : [{ ...(noted as Omit<NotedCreate, "file">), file: path, number, ...(endedAt && { endedAt }) }],
    ),
  };
}

function fromEarlierVersion(
  file: string,
  { isDelivered, account, ...noted }: { isDelivered?: true; account?: string } & NotedCreate,
): NotedCreate[] {
  return isDelivered || account === undefined ? [] : [{ ...noted, api: account, file }];
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.jsonl?$/.test(name))
      .map((name) => join(folder, name));
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Object(error).code === "EPERM";
  }
}
