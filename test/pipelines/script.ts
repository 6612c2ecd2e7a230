import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findProviderProcess, signalAll } from "../engine/kill.js";

export interface ScriptOptions {
  /** The text of the script. */
  script: string;
  /** The options of bash. */
  options: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A folder for the file of the script. */
  temporary: string;
  /** Receives the output, as the log of a job does. */
  onOutput: (text: string) => void;
}

/** A script that is running. */
export interface RunningScript {
  /** Ends with the exit code, or -1 if it was killed. */
  ended: Promise<number>;
  /** Stops the script as GitHub's runner does if a run is cancelled: it signals its process alone, and at last kills all. */
  cancel: () => Promise<void>;
  /** Kills the script and all that it started, as a machine that vanishes does. */
  kill: () => Promise<void>;
  /** Kills the provider that Pulumi has started, and nothing else, as a system does that is out of memory. */
  killProvider: () => Promise<void>;
}

/** Runs a script with bash, as a runner does: from a file, and in a process group of its own. */
export async function startScript(options: ScriptOptions): Promise<RunningScript> {
  const file = join(options.temporary, `${crypto.randomUUID()}.sh`);
  await writeFile(file, options.script);
  const child = spawn("bash", [...options.options, file], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", options.onOutput);
  const ended = once(child, "close").then(([code]) => code ?? -1);
  return {
    ended,
    cancel: async () => {
      for (const [signal, patience] of [
        ["SIGINT", 7500],
        ["SIGTERM", 2500],
      ] as const) {
        child.kill(signal);
        const isOver = await Promise.race([ended.then(() => true), setTimeout(patience, false)]);
        if (isOver) return;
      }
      await signalAll(child, "SIGKILL");
    },
    kill: () => signalAll(child, "SIGKILL"),
    killProvider: async () => {
      process.kill(await findProviderProcess({ child }), "SIGKILL");
    },
  };
}
