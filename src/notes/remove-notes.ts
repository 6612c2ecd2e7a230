import { appendFileSync, unlinkSync } from "node:fs";
import type { CreateLine } from "./format.js";
import { ifPossible } from "./if-possible.js";
import type { NotedCreate, NotesOfStack } from "./read-notes.js";

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  ifPossible(() => unlinkSync(file));
}

/** The notes of a stack that later runs need: the unresolved creates, and the files of killed runs. */
export type KeptNotes = Pick<NotesOfStack, "creates" | "files">;

/**
 * Ends all noted creates of a stack except those to keep. The file of a process that is gone goes when nothing of it is kept. What is
 * kept of a run that ended well stays unresolved: the next save, of whatever run, does not show it either.
 */
export function keepOnly({ files }: Pick<NotesOfStack, "files">, kept: KeptNotes): void {
  const keptFiles = new Set(kept.files);
  const keptCreates = new Set(kept.creates);
  for (const create of kept.creates)
    if (create.endedAt && create.writer === "ended") addTo(create, { endedAt: "" });
  for (const file of files) {
    const over = file.creates.filter((create) => !keptCreates.has(create));
    const isKept = keptFiles.has(file) || over.length < file.creates.length;
    if (!isKept && file.writer !== "running") removeFile(file.path);
    else for (const create of over) addTo(create, { isOver: true });
  }
}

/** Adds to what another process has noted of a create, if possible: a killed process may have left half a line. */
function addTo({ file, number }: NotedCreate, more: Partial<CreateLine>): void {
  ifPossible(() => appendFileSync(file, `\n${JSON.stringify({ ...more, create: number })}\n`));
}
