import { appendFileSync, unlinkSync } from "node:fs";
import type { CreateLine } from "./format.js";
import type { NotedCreate, NotesOfStack } from "./read-notes.js";

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already, or the folder is read-only by now.
  }
}

/** Notes in the file of another process that a create is over, if possible: a killed process may have left half a line. */
export function endCreate({ file, number }: NotedCreate): void {
  const line: CreateLine = { create: number, isOver: true };
  try {
    appendFileSync(file, `\n${JSON.stringify(line)}\n`);
  } catch {
    // The folder is read-only by now.
  }
}

/** Ends all noted creates of a stack except those to keep. The file of a process that is gone goes when nothing of it is kept. */
export function keepOnly({ files }: NotesOfStack, kept: Pick<NotesOfStack, "creates" | "files">): void {
  const keptFiles = new Set(kept.files);
  const keptCreates = new Set(kept.creates);
  for (const file of files) {
    const over = file.creates.filter((create) => !keptCreates.has(create));
    const isKept = keptFiles.has(file) || over.length < file.creates.length;
    if (isKept || file.writer === "running") over.forEach(endCreate);
    else removeFile(file.path);
  }
}
