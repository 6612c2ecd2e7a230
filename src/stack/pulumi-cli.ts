import type { ChildProcess } from "node:child_process";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The reason if the Pulumi CLI is not found. */
export const NO_PULUMI =
  "There is no pulumi on the PATH. Install the Pulumi CLI, or add its folder to the PATH.";

export interface CommandOptions {
  environment?: NodeJS.ProcessEnv;
  timeoutMilliseconds?: number;
  /** Ends the command when it aborts. */
  signal?: AbortSignal;
}

/** A command of the Pulumi CLI that is running. */
export interface RunningCommand {
  child: ChildProcess;
  /** What it prints. Rejects with an error whose message is the reason, as a sentence. */
  text: Promise<string>;
}

/** Starts a command of the Pulumi CLI, such as `["stack", "export"]`. It asks nothing. */
export function startPulumi(
  args: readonly string[],
  { environment = process.env, timeoutMilliseconds = 0, signal }: CommandOptions = {},
): RunningCommand {
  const running = promisify(execFile)("pulumi", [...args, "--non-interactive", "--color=never"], {
    // The check for a newer CLI would send a request.
    env: { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" },
    maxBuffer: Number.POSITIVE_INFINITY,
    timeout: timeoutMilliseconds,
    signal,
  });
  const text = running.then(
    ({ stdout }) => stdout,
    (error) => {
      throw new Error(explainFailure(args, error), { cause: error });
    },
  );
  return { child: running.child, text };
}

/** What Node.js adds to the error of a process that failed. */
interface ProcessFailure {
  code?: string | number;
  killed?: boolean;
  signal?: NodeJS.Signals;
  stderr?: string;
}

function explainFailure(args: readonly string[], error: unknown): string {
  const { code, killed, signal, stderr = "" }: ProcessFailure = Object(error);
  const command = `pulumi ${args.join(" ").replace(/ --.*/, "")}`;
  if (code === "ENOENT") return NO_PULUMI;
  if (killed) return `${command} took too long.`;
  if (signal) return `${command} was ended by ${signal}.`;
  const reason = /^error: (.*)/m.exec(stderr)?.[1] ?? stderr.trim();
  return `${command} failed: ${reason.slice(0, 300) || "it printed no reason."}`;
}
