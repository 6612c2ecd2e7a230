import { appendFileSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type {
  Created,
  CreateLine,
  CreateReply,
  FileHeader,
  NotedImport,
  NotedWebhook,
  RunLine,
  SentCreate,
} from "./format.js";

/** A create that a run on this machine has sent, and whose result its engine may not have. */
export interface NotedCreate extends SentCreate {
  /** The file in which it is noted, and its number there. */
  file: string;
  number: number;
  reply?: CreateReply;
  /** Whether its process is running, and may still get the reply. */
  isAlive: boolean;
  /** Whether its engine saves the state at the end of the run only. */
  hasNoCheckpoints?: true;
}

/** A file of notes, as it is read. */
export interface FileOfNotes {
  path: string;
  header: FileHeader;
  run: Omit<RunLine, "imports" | "deletes">;
  imports: NotedImport[];
  deletes: NotedWebhook[];
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
  const found: { imports: NotedImport[]; deletes: NotedWebhook[] } = { imports: [], deletes: [] };
  for (const line of lines) {
    if ("create" in line) creates.set(line.create, { ...creates.get(line.create), ...line });
    else {
      const { imports, deletes, ...others } = line;
      Object.assign(run, others);
      if (imports !== undefined) found.imports.push(imports);
      if (deletes !== undefined) found.deletes.push(deletes);
    }
  }
  const open = [...creates.values()].filter(({ isOver, urn }) => !isOver && urn !== undefined);
  return {
    path,
    header,
    run,
    ...found,
    creates: open.map(({ create: number, ...sent }) => ({
      ...(sent as CreateLine & SentCreate), // Its first line has them.
      file: path,
      number,
      isAlive: isWriterAlive(header),
      ...(header.hasNoCheckpoints && { hasNoCheckpoints: true }),
    })),
  };
}

/** Reports whether a running process of an engine writes a file. */
export function isOfRun({ header }: FileOfNotes, engine: string | undefined): boolean {
  return header.engine === engine && isWriterAlive(header);
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

/** Reports whether the process that writes a file is running. Another one may have its number by now, as in the next container. */
function isWriterAlive({ pid, startedAt }: FileHeader): boolean {
  return isAlive(pid) && (startedAt === undefined || startedAt === readStart(pid));
}

/** Returns when a process was started, in ticks since the boot of its machine. @returns undefined where no system shows it. */
export function readStart(pid: number): string | undefined {
  try {
    const [, fields = ""] = /^\d+ \(.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return fields.split(" ")[19];
  } catch {
    return undefined;
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
  files: readonly NotesFile[];
}

/** A file of notes of a stack; or of any stack, if its process knew no resource of its own. */
export interface NotesFile {
  path: string;
  pid: number;
  isAlive: boolean;
  /** When its process began its first operation. Undefined if it has begun none. */
  beganAt?: string | undefined;
  /** The webhooks that its process was deleting, and that alone show its stack. */
  deletes: readonly NotedWebhook[];
}

/** Reads the notes of a stack on this machine. */
export function readNotes(folder: string, { stack, project, organization, engine }: OfStack): NotesOfStack {
  const prefix = `urn:pulumi:${stack}::${project}::`;
  const read = project === undefined ? [] : readFiles(folder);
  const isOwn = (file: FileOfNotes) => engine !== undefined && isOfRun(file, engine);
  const isOfStack = ({ urn, organization: noted }: NotedCreate) =>
    urn.startsWith(prefix) && (organization === undefined || [organization, undefined].includes(noted));
  const ofStack = read.filter(
    (file) => !isOwn(file) && file.creates.every(isOfStack) && (file.run.urn?.startsWith(prefix) ?? true),
  );
  return {
    creates: ofStack.flatMap(({ creates }) => creates),
    isGateOpen: read.some((file) => isOwn(file) && file.run.isGateOpen),
    files: ofStack.map(({ path, header, run: { urn, beganAt }, deletes }) => ({
      path,
      pid: header.pid,
      isAlive: isWriterAlive(header),
      beganAt,
      deletes: urn === undefined ? deletes : [],
    })),
  };
}

/** Reads what the other running processes of a run have noted. */
export function readOthers(
  folder: string,
  engine: string | undefined,
): { holdsDeletes: boolean; imports: readonly NotedImport[]; creates: readonly NotedCreate[] } {
  const ofRun =
    engine === undefined ? [] : readFiles(folder, isOther).filter((file) => isOfRun(file, engine));
  return {
    holdsDeletes: ofRun.some(({ run }) => run.holdsDeletes),
    imports: ofRun.flatMap(({ imports }) => imports),
    creates: ofRun.flatMap(({ creates }) => creates),
  };
}

/** Finds the creates of other processes that made a webhook. No run deletes what it has created. */
export function findCreated(folder: string, { id, api, provider, createdAt }: Created): NotedCreate[] {
  const creates = readFiles(folder, isOther).flatMap((file) => file.creates);
  return creates.filter(({ reply, ...create }) => {
    // Two accounts at one URL may number alike. The time shows which one it is.
    const isSameTime = createdAt === undefined || (reply?.createdAt ?? createdAt) === createdAt;
    return reply?.id === id && create.api === api && create.provider === provider && isSameTime;
  });
}

/** What of the notes of a stack is still needed. */
export interface NotesToKeep {
  creates: readonly NotedCreate[];
  files: readonly NotesFile[];
}

/** Forgets all notes of a stack but some. The file of a process that is gone goes when nothing of it is kept. */
export function keepOnly({ files, creates }: NotesOfStack, kept: NotesToKeep): void {
  const over = files.filter(
    (file) =>
      !file.isAlive &&
      !kept.files.includes(file) &&
      !kept.creates.some((create) => create.file === file.path),
  );
  for (const { path } of over) removeFile(path);
  const isInFile = ({ file }: NotedCreate) => !over.some(({ path }) => path === file);
  for (const create of creates) if (!kept.creates.includes(create) && isInFile(create)) endCreate(create);
}
