import { Notes } from "../notes/notes.js";
import type { StackName } from "../record/stack-name.js";
import type { StackBeforeRun } from "../stack/stack-before-run.js";
import { connectToEngine, engineAddress } from "./connection.js";
import { completeStackName } from "./find-stack.js";
import { engineLog } from "./log.js";
import { notesFolder, projectFolder } from "./project.js";
import { type RunningStack, StackReading } from "./stack-reading.js";
import { Termination } from "./termination.js";

/** What a provider's process has of its surroundings. */
export interface Surroundings {
  log: typeof engineLog;
  /** Aborts when nothing more may be sent. */
  signal: AbortSignal | undefined;
  /** Records the creates that are sent. */
  notes: Notes;
  /** Completes the name of the running stack by its organization. */
  completeName: (stack: StackName) => Promise<StackName>;
  /** Reads the state of the running stack. */
  readStack: (
    running: Omit<RunningStack, "folder" | "engine"> & { folder?: string },
    strays: { keepsStrays: boolean },
  ) => Promise<StackBeforeRun>;
}

/** Connects this process with the engine that has started it, and starts its notes. */
export function startSurroundings(): Surroundings & { termination: Termination } {
  const lost = connectToEngine()?.lost;
  const termination = new Termination({ lost, atEnd: () => notes.end() });
  const { stopSending: signal, resultsMayBeLost } = termination;
  const engine = engineAddress();
  const report = (problem: string) => engineLog.warn(unguardedWarning(problem));
  const notes: Notes = new Notes({ folder: notesFolder(projectFolder()), engine, report, resultsMayBeLost });
  return {
    log: engineLog,
    signal,
    notes,
    completeName: (stack) => completeStackName(stack, projectFolder()),
    readStack: (running, strays) =>
      new StackReading({ folder: projectFolder(), ...running, engine }).finish(strays),
    termination,
  };
}

function unguardedWarning(problem: string): string {
  return `The creates of this run cannot be noted on this machine (${problem}). If its provider is killed, a webhook that it was creating may be created a second time. Make the folder webhooks in Pulumi's home (PULUMI_HOME, by default ~/.pulumi) writable.`;
}

/** How its end is awaited, and asked for. */
export type Ending = Pick<Termination, "finish" | "cancel">;
