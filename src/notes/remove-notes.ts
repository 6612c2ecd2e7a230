import { appendFileSync, unlinkSync } from "node:fs";
import type { CreateLine, NotedWebhook } from "./format.js";
import type { NotedCreate, NotesFile, NotesOfStack } from "./read-notes.js";

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or the folder is read-only by now.
  }
}

/** Notes in the file of another process that a create is over, if possible: a killed process may have left half a line. */
function endCreate({ file, number }: NotedCreate): void {
  const line: CreateLine = { create: number, isOver: true };
  try {
    appendFileSync(file, `\n${JSON.stringify(line)}\n`);
  } catch {
    // The folder is read-only by now.
  }
}

/** Forgets the creates in some files that made a webhook which is gone. A file without others goes, too, if its run ended well. */
export function forgetCreated(files: readonly NotesFile[], { id, api }: NotedWebhook): void {
  const isSame = ({ reply, ...create }: NotedCreate) => reply?.id === id && create.api === api;
  for (const file of files) {
    const over = file.creates.filter(isSame);
    if (over.length === 0) continue;
    file.creates = file.creates.filter((create) => !over.includes(create));
    if (file.creates.length === 0 && file.writer === "ended") removeFile(file.path);
    else for (const create of over) endCreate(create);
  }
}

/** What of the notes of a stack is still needed. */
export interface NotesToKeep {
  creates: readonly NotedCreate[];
  files: readonly NotesFile[];
}

/** Forgets all notes of a stack but some. The file of a process that is gone goes when nothing of it is kept. */
export function keepOnly({ files, creates }: NotesOfStack, kept: NotesToKeep): void {
  const keptFiles = new Set(
    [...kept.files, ...kept.creates].map((one) => ("file" in one ? one.file : one.path)),
  );
  const isOver = ({ path, writer }: NotesFile) => writer !== "running" && !keptFiles.has(path);
  const over = new Set(files.filter(isOver).map(({ path }) => path));
  for (const path of over) removeFile(path);
  const keptCreates = new Set(kept.creates);
  for (const create of creates) if (!keptCreates.has(create) && !over.has(create.file)) endCreate(create);
}
