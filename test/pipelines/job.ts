import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { killAll } from "../engine/setup.js";
import { COMMENT_TOKEN } from "./comments.js";
import { cleanEnvironment } from "./environment.js";
import type { Repository } from "./repository.js";
import { KEY } from "./repository.js";
import type { RunningScript, ScriptOptions } from "./script.js";
import { startScript } from "./script.js";
import { PASSPHRASE, SECRET } from "./setup.js";

const run = promisify(execFile);

export type JobResult = "success" | "failure" | "cancelled" | "lost" | "skipped";

/** A job of a pipeline: its machine, its log, and how it ended. */
export class Job {
  readonly name: string;
  readonly repository: Repository;
  /** The folder of this job's machine. */
  readonly machine: string;
  log = "";
  /** What people see without opening the log: the summary on GitHub, the artifact on GitLab. */
  report = "";
  /** What the job hands to the jobs that need it. */
  readonly outputs: Record<string, string> = {};
  result: JobResult = "skipped";
  /** The exit code of the script that failed the job. */
  exitCode = 0;
  #script: RunningScript | undefined;

  private constructor(name: string, repository: Repository, machine: string) {
    this.name = name;
    this.repository = repository;
    this.machine = machine;
  }

  static async create(name: string, repository: Repository): Promise<Job> {
    return new Job(name, repository, await mkdtemp(join(repository.folder, "jobs", `${name}-`)));
  }

  /** The checkout of the job. */
  get workspace(): string {
    return join(this.machine, "workspace");
  }

  /** Whether the job's machine is gone. */
  get isLost(): boolean {
    return this.result === "lost";
  }

  begin(): void {
    this.result = "success";
  }

  /** Ends the job with the exit code of a script. */
  fail(exitCode: number): void {
    if (this.result !== "success") return;
    this.result = "failure";
    this.exitCode = exitCode;
  }

  async checkOut(sha: string): Promise<void> {
    const env = cleanEnvironment();
    await run("git", ["clone", "--quiet", `file://${this.repository.clone}`, this.workspace], { env });
    await run("git", ["checkout", "--quiet", "--detach", sha], { cwd: this.workspace, env });
  }

  /** The Pulumi home of a job whose pipeline does not set it. Each job has a machine of its own. */
  get pulumiHome(): string {
    return join(this.machine, "home");
  }

  /** Reads a file of the checkout. */
  read(file: string): Promise<string> {
    return readFile(join(this.workspace, file), "utf8");
  }

  /** Reports whether the provider has noted the reply to a create. */
  async hasNotedReply(): Promise<boolean> {
    const files = await readdir(this.machine, { recursive: true });
    const notes = files.filter((file) => /\bwebhooks\/\w+\/\w+\.json$/.test(file));
    const texts = await Promise.all(notes.map((file) => readFile(join(this.machine, file), "utf8")));
    return texts.some((text) => text.includes('"reply"'));
  }

  /** Runs a script in the checkout, and returns its exit code. */
  async runScript(options: Pick<ScriptOptions, "script" | "options" | "env">): Promise<number> {
    const { machine: temporary, workspace: cwd } = this;
    const onOutput = (text: string) => {
      this.log += text;
    };
    this.#script = await startScript({ ...options, cwd, temporary, onOutput });
    return this.#script.ended;
  }

  /** Cancels the job as GitHub does. What runs after a failed step still runs. */
  async cancel(): Promise<void> {
    this.result = "cancelled";
    await this.#script?.cancel();
  }

  /** Cancels the job as GitLab does, with all its processes. What runs after the script still runs. */
  async stop(): Promise<void> {
    this.result = "cancelled";
    await this.#script?.kill();
  }

  /** Sends a signal to the engine alone. */
  async signalEngine(signal: NodeJS.Signals): Promise<void> {
    process.kill(Number(await this.read("up.pid")), signal);
  }

  /** Kills the provider alone. */
  async killProvider(): Promise<void> {
    await this.#script?.killProvider();
  }

  /** Kills everything on the job's machine. No further step runs. */
  async loseMachine(): Promise<void> {
    this.result = "lost";
    await this.#script?.kill();
    await killAll(this.machine);
  }

  /** Fails if the log contains a secret. A real runner masks what it knows; nothing should depend on that. */
  refuseSecrets(): void {
    for (const secret of [KEY, SECRET, PASSPHRASE, COMMENT_TOKEN]) {
      if (this.log.includes(secret))
        throw new Error(`The log of ${this.name} contains a secret:\n${this.log}`);
    }
  }
}
