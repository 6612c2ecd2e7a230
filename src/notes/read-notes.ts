import type { FileOfNotes, NotedCreate } from "./file.js";
import { endCreate, isAlive, isOfRun, isOther, readFiles, removeFile } from "./file.js";
import type { Created, NotedImport } from "./format.js";

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
  /** Their files. A process that has not begun an operation may be that of another stack. */
  files: readonly { path: string; pid: number; isAlive: boolean; beganAt?: string | undefined }[];
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
    files: ofStack.map(({ path, header: { pid }, run: { beganAt } }) => ({
      path,
      pid,
      isAlive: isAlive(pid),
      beganAt,
    })),
  };
}

/** Reads what the other running processes of a run have noted. */
export function readOthers(
  folder: string,
  engine: string | undefined,
): { holdsDeletes: boolean; imports: readonly NotedImport[] } {
  const ofRun =
    engine === undefined ? [] : readFiles(folder, isOther).filter((file) => isOfRun(file, engine));
  return {
    holdsDeletes: ofRun.some(({ run }) => run.holdsDeletes),
    imports: ofRun.flatMap(({ imports }) => imports),
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

/** Forgets the creates that are settled: all but those to keep. The file of a process that is gone goes when all of its are. */
export function forgetNotes({ files, creates }: NotesOfStack, kept: readonly NotedCreate[]): void {
  const over = files.filter(({ path, isAlive }) => !isAlive && !kept.some(({ file }) => file === path));
  for (const { path } of over) removeFile(path);
  const isInFile = ({ file }: NotedCreate) => !over.some(({ path }) => path === file);
  for (const create of creates) if (!kept.includes(create) && isInFile(create)) endCreate(create);
}
