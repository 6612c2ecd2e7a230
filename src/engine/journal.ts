import { Journal } from "../journal/journal.js";
import { changesFolder } from "../journal/place.js";
import { unguardedWarning } from "../lifecycle/messages/ending.js";
import { engineLog } from "./log.js";

/**
 * Starts the journal of a provider process.
 *
 * @param lost aborts when the engine is gone: a killed engine has saved nothing more, and the next run needs the journal.
 * @returns the journal, and what to do at the end of the process.
 */
export function startJournal(lost: AbortSignal | undefined): { journal: Journal; atEnd: () => void } {
  const journal = new Journal(changesFolder(), (problem) => engineLog.warn(unguardedWarning(problem)));
  const atEnd = () => {
    if (!lost?.aborted) journal.end();
  };
  return { journal, atEnd };
}
