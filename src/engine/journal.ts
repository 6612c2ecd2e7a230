import { Journal } from "../journal/journal.js";
import { changesFolder } from "../journal/place.js";
import { unguardedWarning } from "../lifecycle/messages/ending.js";
import { engineLog } from "./log.js";

/**
 * Starts the journal of a provider process.
 *
 * @param interruption aborts when the engine may not save the results of operations.
 */
export function startJournal(interruption: AbortSignal): Journal {
  const report = (problem: string) => engineLog.warn(unguardedWarning(problem));
  return new Journal(changesFolder(), report, interruption);
}
