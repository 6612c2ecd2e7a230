import { Notes } from "../notes/notes.js";
import type { StackName } from "../record/stack-name.js";
import { connectToEngine, engineAddress, engineLog } from "./engine.js";
import { completeStackName } from "./find-stack.js";
import { notesFolder, projectFolder, serveProject } from "./project.js";
import { readRunningStack, type Shown } from "./stack-reading.js";
import { Termination } from "./termination.js";

/** What a provider's process has of its surroundings. */
export type Surroundings = ReturnType<typeof startSurroundings>;

/** Connects this process with the engine that has started it, and starts its notes. */
export function startSurroundings() {
  const termination = new Termination({ lost: connectToEngine()?.lost, atEnd: () => notes.end() });
  const engine = engineAddress();
  const folder = projectFolder();
  serveProject(folder);
  const notes: Notes = new Notes({
    folder: notesFolder(folder),
    engine,
    report: (problem) =>
      engineLog.warn(
        `The creates of this run cannot be noted on this machine (${problem}). If its provider is killed, a webhook that it was creating may be created a second time. Make the folder webhooks in Pulumi's home (PULUMI_HOME, by default ~/.pulumi) writable, or free space on its disk.`,
      ),
    resultsMayBeLost: termination.resultsMayBeLost,
  });
  return {
    log: engineLog,
    /** Runs an operation to its end, before this process ends. */
    finish: <Result>(operation: () => Promise<Result>) => termination.finish(operation),
    /** Lets operations end that are under way, and sends nothing new. */
    cancel: () => termination.cancel(),
    /** Aborts when nothing more may be sent. */
    signal: termination.stopSending,
    /** Records the creates that are sent. */
    notes,
    /** Completes the name of the running stack by its organization. */
    completeName: (stack: StackName) => completeStackName(stack, folder),
    /** Reads the state of the running stack. @returns undefined if it cannot be read. */
    readStack: (stack: StackName, shown: Shown) => readRunningStack({ folder, ...stack, engine }, shown),
  };
}
