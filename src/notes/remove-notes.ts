import { appendFileSync, unlinkSync } from "node:fs";
import type { CreateLine } from "./format.js";
import { ifPossible } from "./if-possible.js";
import type { NotedCreate, NotesOfStack } from "./read-notes.js";

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  ifPossible(() => unlinkSync(file));
}

/**
 * Ends all noted creates of a stack except those to keep. The file of a process that is gone goes when nothing of it is kept. What is
 * kept of a run that ended well stays unresolved: the next save, of whatever run, does not show it either.
 */
export function keepOnly({ files }: NotesOfStack, kept: readonly NotedCreate[]): void {
  for (const create of kept) if (create.endedAt && create.writer === "ended") addTo(create, { endedAt: "" });
  for (const { path, writer, creates } of files) {
    const over = creates.filter((create) => !kept.includes(create));
    if (over.length === creates.length && writer !== "running") removeFile(path);
    else for (const create of over) addTo(create, { isOver: true });
  }
}

/** Adds to what another process has noted of a create, if possible: a killed process may have left half a line. */
function addTo({ file, number }: NotedCreate, more: Partial<CreateLine>): void {
  ifPossible(() => appendFileSync(file, `\n${JSON.stringify({ ...more, create: number })}\n`));
}
