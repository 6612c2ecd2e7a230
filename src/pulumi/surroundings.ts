import { Notes } from "../notes/notes.js";
import type { StackName } from "../record/stack-name.js";
import { connectToEngine, engineAddress, engineLog } from "./engine.js";
import { completeStackName } from "./find-stack.js";
import { findProjectFolder, notesFolder, pathOfEngine, serveProject } from "./project.js";
import { readRunningStack, type Shown } from "./stack-reading.js";
import { Termination } from "./termination.js";

/** What a provider's process has of its surroundings. */
export type Surroundings = ReturnType<typeof startSurroundings>;

/** Connects this process with the engine that has started it, and starts its notes. */
export function startSurroundings() {
  const termination = new Termination({ lost: connectToEngine()?.lost, atEnd: () => notes.end() });
  const engine = engineAddress();
  // The engine runs in the project's folder, or below. This process may run in the program's, which may have a project of its own, or in
  // that of an inline program of the Automation API.
  const folder = findProjectFolder(pathOfEngine("cwd") ?? process.cwd());
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
    finish: <Result>(operation: () => Promise<Result>) => termination.finish(operation),
    cancel: () => termination.cancel(),
    signal: termination.stopSending,
    notes,
    completeName: (stack: StackName) => completeStackName(stack, folder),
    readStack: (stack: StackName, shown: Shown) => readRunningStack({ folder, ...stack, engine }, shown),
  };
}
