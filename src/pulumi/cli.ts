import { type ChildProcess, type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { pathOfEngine } from "./project.js";

export interface CommandOptions {
  folder?: string;
  environment?: NodeJS.ProcessEnv;
  timeoutMilliseconds?: number;
}

/** Starts a command of the Pulumi CLI, which asks nothing. @returns also what it prints, which rejects with a PulumiCommandError. */
export function startPulumi(
  args: readonly string[],
  { folder, environment = process.env, timeoutMilliseconds = 0 }: CommandOptions = {},
): { child: ChildProcess; text: Promise<string> } {
  const running = promisify(execFile)(findPulumi(), [...args, "--non-interactive", "--color=never"], {
    env: environmentFor(environment),
    maxBuffer: Number.POSITIVE_INFINITY,
    timeout: timeoutMilliseconds,
    cwd: folder,
  });
  const text = running.then(
    ({ stdout }) => stdout,
    (error) => {
      throw toCommandError(args, error);
    },
  );
  return { child: running.child, text };
}

/** Finds the CLI: on the PATH, else as the engine that runs this process. */
function findPulumi(): string {
  const isOnPath = (process.env.PATH ?? "")
    .split(delimiter)
    .some((folder) => existsSync(join(folder, "pulumi")));
  return isOnPath ? "pulumi" : (pathOfEngine("exe") ?? "pulumi");
}

/**
 * Returns the environment for the CLI. Its variables PULUMI_OPTION_… set flags of every command: one shows secrets, another one
 * selects another folder. The check for a newer CLI would send a request. Without confirmations, the CLI refuses to preview a refresh.
 */
function environmentFor(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).filter(([name]) => !/^PULUMI_OPTION_/i.test(name));
  return { ...Object.fromEntries(entries), PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_SKIP_CONFIRMATIONS: "" };
}

/** The error of a command of the Pulumi CLI. Its message is the reason, as a sentence. */
export class PulumiCommandError extends Error {
  override readonly name = "PulumiCommandError";
  /** What the command printed before it failed. Undefined if there is no CLI, if it took too long, or if it was ended. */
  readonly output: string | undefined;

  constructor(message: string, { cause, output }: { cause: unknown; output?: string }) {
    super(message, { cause });
    this.output = output;
  }

  /** Whether it may help to try again later: the backend could not be reached, had a problem, or has given a run a lease. */
  get mayPass(): boolean {
    return PASSING.test(this.message);
  }
}

const PASSING =
  /\b(?:429|5\d\d)\b|EOF|timeout|timed out|deadline|connection (?:refused|reset)|no such host|unreachable|SlowDown|another update is currently/i;

function toCommandError(args: readonly string[], error: unknown): PulumiCommandError {
  const { code, killed, signal, stdout = "", stderr = "" }: ExecFileException = Object(error);
  const command = `pulumi ${args.join(" ").replace(/ --.*/, "")}`;
  const ended = (message: string) => new PulumiCommandError(message, { cause: error });
  if (code === "ENOENT")
    return ended("There is no pulumi on the PATH. Install the Pulumi CLI, or add its folder to the PATH.");
  if (killed) return ended(`${command} took too long.`);
  if (signal) return ended(`${command} was ended by ${signal}.`);
  const reason =
    /^error: (.*)/ms.exec(stderr)?.[1] ?? stderr.replace(/^Logging in using access token.*$/m, "");
  const message = `${command} failed: ${reason.trim().replace(/\s+/g, " ").slice(0, 600) || "it printed no reason."}`;
  return new PulumiCommandError(message, { cause: error, output: stdout });
}

/** Runs `pulumi stack export`, which needs neither a lock nor the passphrase: secrets stay encrypted. */
export function exportStack(stack: string, options: CommandOptions = {}): Promise<string> {
  // Most of its CPU time is its start, a fifth of that garbage collection.
  const environment = { GOGC: "400", ...(options.environment ?? process.env) };
  return startPulumi(["stack", "export", "--stack", stack], { ...options, environment }).text;
}
