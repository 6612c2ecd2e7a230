import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject } from "vitest";
import { findProcess, findProviderProcess, signalAll } from "../support/kill.js";
import { killAll } from "../support/setup.js";

/** What GitHub's runner does to the process of a cancelled job, and after how many milliseconds. */
const CANCEL = [
  ["SIGINT", 0],
  ["SIGTERM", 7500],
  // GitHub waits 2500. On a busy machine, a CLI that has saved the state ends later.
  ["SIGKILL", 15_000],
] as const;

const LATER = join(import.meta.dirname, "../support/later.cjs");

interface Script {
  text: string;
  options: readonly string[];
  environment: NodeJS.ProcessEnv;
}

export interface Result {
  outcome: "success" | "failure" | "cancelled";
  log: string;
}

export interface Job<Ended extends Result = Result> {
  machine: Machine;
  ended: Promise<Ended>;
}

/** Expects a job to end well, and shows its log if it does not. */
export function expectSuccess({ outcome, log }: Result): void {
  expect(outcome, log).toBe("success");
}

/** A machine that runs one job: with a home of its own, and a clone of the repository. */
export class Machine implements AsyncDisposable {
  readonly #folder: string;
  readonly #path: readonly string[];
  readonly folder: string;
  readonly temporary: string;
  /** What its scripts printed, as the log shows it. */
  log = "";
  #child: ChildProcess | undefined;
  isCancelled = false;
  /** Whether a person starts its job two hours later: none is refused as long as a create may take effect. */
  isLater = false;
  /** Whether the machine has stopped in the middle of the job, which runs no further step. */
  isLost = false;

  /** Starts a machine whose files are below a folder, and which finds programs in more folders. */
  constructor(folder: string, path: readonly string[] = []) {
    this.#folder = folder;
    this.#path = path;
    this.folder = join(folder, "clone");
    this.temporary = join(folder, "temp");
    for (const name of ["home", "temp", "clone"]) mkdirSync(join(folder, name), { recursive: true });
  }

  /** The environment of every script: a job knows nothing of the machine that runs the tests but where programs are. */
  get environment(): NodeJS.ProcessEnv {
    const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = inject("engine");
    return {
      PATH: [...this.#path, PATH].join(delimiter),
      NODE_COMPILE_CACHE,
      NODE_OPTIONS: this.isLater ? `${NODE_OPTIONS} --require ${LATER}` : NODE_OPTIONS,
      // A preview of the pull request has checked the types. Checking them again doubles the time of a run.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      HOME: join(this.#folder, "home"),
      // The CLI takes the home of the user from the system, not from HOME.
      PULUMI_HOME: join(this.#folder, "home/.pulumi"),
      TMPDIR: this.temporary,
    };
  }

  async run({ text, options, environment }: Script): Promise<number> {
    const file = join(this.temporary, "script.sh");
    await writeFile(file, text);
    const child = spawn("bash", [...options, file], {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (more) => {
        this.log += more;
      });
    }
    const [code] = await once(child, "exit");
    return code ?? -1;
  }

  async cancel(): Promise<void> {
    this.isCancelled = true;
    const child = this.#child;
    for (const [signal, milliseconds] of CANCEL) {
      await sleep(milliseconds);
      if (child?.exitCode !== null || child.signalCode !== null) return;
      if (signal === "SIGKILL") await signalAll(child, signal);
      else child.kill(signal);
    }
  }

  /** Kills the engine of the script that runs, as a machine does that is out of memory. */
  async killEngine(): Promise<void> {
    if (this.#child !== undefined) process.kill(await findProcess(this.#child, /^pulumi up /), "SIGKILL");
  }

  /** Kills the provider of the script that runs. The engine ends the run, and its state shows nothing of the creates in flight. */
  async killProvider(): Promise<void> {
    if (this.#child !== undefined) process.kill(await findProviderProcess({ child: this.#child }), "SIGKILL");
  }

  async lose(): Promise<void> {
    this.isLost = true;
    if (this.#child !== undefined) await signalAll(this.#child, "SIGKILL");
    await killAll(this.#folder);
  }

  /** The machine is gone, with all that only it knew. */
  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.#folder);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
