import { appendFileSync, unlinkSync } from "node:fs";
import { type Identity, isSameCreation, mayBeSame } from "../record/identity.js";
import type { CreateLine } from "./format.js";
import { ifPossible } from "./if-possible.js";
import { type NotedCreate, type NotesOfStack, readFiles } from "./read-notes.js";

/** Removes a file, if that is possible. One that stays is noticed by the next run. */
export function removeFile(file: string): void {
  ifPossible(() => unlinkSync(file));
}

/** Notes in the file of another process that a create is over. */
export function endCreate(create: NotedCreate): void {
  addTo(create, { isOver: true });
}

/** Adds to what another process has noted of a create, if possible: a killed process may have left half a line. */
function addTo({ file, number }: NotedCreate, more: Partial<CreateLine>): void {
  ifPossible(() => appendFileSync(file, `\n${JSON.stringify({ ...more, create: number })}\n`));
}

/** Ends the creates whose webhooks this machine has deleted. Without its creation, a webhook may be one of another account. */
export function endDeleted(folder: string, webhooks: readonly Identity[]): void {
  if (webhooks.length === 0) return;
  const isDeleted = ({ api, reply }: NotedCreate) =>
    webhooks.some(
      (one) => reply && mayBeSame(one, { ...reply, api }) && isSameCreation(one.createdAt, reply.createdAt),
    );
  const files = readFiles(folder).filter(({ creates }) => creates.some(isDeleted));
  const creates = files.flatMap((file) => file.creates.filter((create) => !isDeleted(create)));
  keepOnly({ files }, { creates, unsaved: [], files: files.filter(({ writer }) => writer === "killed") });
}

/** The notes of a stack that later runs need. */
export interface KeptNotes extends Pick<NotesOfStack, "creates" | "files"> {
  /** Those of the creates that ended after the state was saved. The next save, of whatever run, does not show them either. */
  unsaved: readonly NotedCreate[];
}

/** Ends all noted creates of a stack except those to keep. The file of a process that is gone goes when nothing of it is kept. */
export function keepOnly({ files }: Pick<NotesOfStack, "files">, kept: KeptNotes): void {
  const keptFiles = new Set(kept.files);
  const keptCreates = new Set(kept.creates);
  for (const create of kept.unsaved)
    if (create.endedAt && create.writer !== "running") addTo(create, { endedAt: "" });
  for (const file of files) {
    const over = file.creates.filter((create) => !keptCreates.has(create));
    const isKept = keptFiles.has(file) || over.length < file.creates.length;
    if (isKept || file.writer === "running") over.forEach(endCreate);
    else removeFile(file.path);
  }
}
