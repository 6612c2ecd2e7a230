import { Journal } from "../journal/journal.js";
import { changesFolder } from "../journal/place.js";
import { unguardedWarning } from "../lifecycle/messages/ending.js";
import { engineLog } from "./log.js";

/**
 * Starts the journal of a provider process.
 *
 * @param lost aborts when the engine is gone.
 */
export function startJournal(lost: AbortSignal | undefined): Journal {
  const report = (problem: string) => engineLog.warn(unguardedWarning(problem));
  return new Journal(changesFolder(), report, lost);
}
