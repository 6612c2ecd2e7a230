import { notesFolders } from "../notes/folder.js";
import { Notes } from "../notes/notes.js";
import { engineAddress } from "./connection.js";
import { engineLog } from "./log.js";
import { projectFolder } from "./project-folder.js";

/**
 * Starts the notes of a provider process.
 *
 * @param interruption aborts when the engine may not save the results of operations.
 */
export function startNotes(interruption: AbortSignal): Notes {
  const report = (problem: string) => engineLog.warn(unguardedWarning(problem));
  return new Notes({ folders: notesFolders(projectFolder()), engine: engineAddress(), report, interruption });
}

/** The warning if notes cannot be written. */
function unguardedWarning(problem: string): string {
  return `The creates of this run cannot be noted on this machine (${problem}). If its provider is killed, a webhook that it was creating may be created a second time. Make the folder webhooks in Pulumi's home (PULUMI_HOME, by default ~/.pulumi) writable.`;
}
