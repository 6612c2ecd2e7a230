import type { NotesFile, NotesOfStack } from "../notes/read-notes.js";
import {
  type ExportedResource,
  findCurrentWebhooks,
  findCutOffChanges,
  isKnown,
  type StackExport,
} from "./stack-export.js";

/** Returns the notes of a stack whose state could not be read: nobody knows what became of the creates of a run that was killed. */
export function withoutReplies(notes: NotesOfStack): NotesOfStack {
  const creates = notes.creates.filter(({ writer }) => writer !== "ended");
  return { ...notes, creates: creates.map(({ reply: _, ...create }) => create), files: [] };
}

/**
 * Finds the note files of killed providers for which the state has a webhook that has not changed since: an update or a delete of it
 * may have been cut off, and the state shows nothing of it.
 */
export function findKilledRuns(exported: StackExport, files: readonly NotesFile[]): NotesFile[] {
  return files.filter((file) => file.writer === "killed" && findUnchangedSince(exported, file).length > 0);
}

/** Returns the webhooks whose next update sends url, name and enabled again, as far as their own records do not say so. */
export function findSentAgain(exported: StackExport, killed: readonly NotesFile[]): ExportedResource[] {
  const unchanged = killed.flatMap((file) => findUnchangedSince(exported, file));
  return [...new Set([...findCutOffChanges(exported), ...unchanged])];
}

function findUnchangedSince(exported: StackExport, { beganAt }: NotesFile): ExportedResource[] {
  if (beganAt === undefined) return [];
  const known = [...findCurrentWebhooks(exported).values()].filter(isKnown);
  return known.filter(
    ({ created = "", modified = created }) => !(Date.parse(modified) > Date.parse(beganAt)),
  );
}
