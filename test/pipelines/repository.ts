import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import { takeCalls } from "../calls.js";
import { killAll } from "../engine/setup.js";
import { Comments } from "./comments.js";
import { cleanEnvironment } from "./environment.js";
import type { Platform } from "./setup.js";
import { PASSPHRASE } from "./setup.js";

const run = promisify(execFile);

/** The API key of production. */
export const KEY = "key-canary-4711";

/** How a command ended. */
export interface CommandResult {
  code: number;
  output: string;
}

/** A platform team's repository of webhooks, with its settings on GitHub or GitLab, its state and its API. */
export class Repository implements AsyncDisposable {
  /** The folder of this test: the repository, the state, and the folders of jobs. */
  readonly folder: string;
  readonly api: Simulator;
  /** The comments on its pull request on GitHub. */
  readonly comments: Comments;
  /** The variables and secrets of each environment, as the README of the example says. */
  readonly environments: Record<"preview" | "production" | "drift", Record<string, string>>;

  private constructor(folder: string, api: Simulator, comments: Comments) {
    this.folder = folder;
    this.api = api;
    this.comments = comments;
    const reading = {
      PULUMI_BACKEND_URL: `file://${this.state}`,
      PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
      STATE_ROLE: "arn:aws:iam::123456789012:role/state",
      STATE_REGION: "eu-central-1",
    };
    const key = { WEBHOOKS_API_KEY: api.apiKey };
    this.environments = {
      preview: reading,
      production: { ...reading, ...key },
      drift: { ...reading, ...key },
    };
  }

  /** Copies the repository that the set-up made, and lets it use an API of its own. */
  static async create(platform: Platform): Promise<Repository> {
    const template = inject("templates")[platform];
    const folder = await mkdtemp(join(template, "test-"));
    const api = await startSimulator({ apiKey: KEY, behaviour: { emptyUpdate: "leaves updated_at" } });
    const repository = new Repository(folder, api, await Comments.start());
    await cp(join(template, "state"), repository.state, { recursive: true });
    await cp(join(template, "repository"), repository.clone, { recursive: true });
    await mkdir(join(folder, "jobs"));
    await repository.edit("Pulumi.production.yaml", (text) =>
      text.replace("https://api.example.com/v1", api.url),
    );
    await repository.commit("Declare the webhooks of the shop");
    return repository;
  }

  /** The clone of a person, in which branches are made. Jobs clone it. */
  get clone(): string {
    return join(this.folder, "repository");
  }

  /** The folder of the backend. */
  get state(): string {
    return join(this.folder, "state");
  }

  /** Changes a file of the clone. */
  async edit(file: string, change: (text: string) => string): Promise<void> {
    const path = join(this.clone, file);
    const before = await readFile(path, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`The edit of ${file} changes nothing.`);
    await writeFile(path, after);
  }

  /** Adds a webhook to the program. */
  async declare(name: string): Promise<void> {
    const line = `new webhooks.Webhook("${name.toLowerCase()}", { url: "https://shop.example.com/hooks/${name}", name: "${name}" });`;
    await this.edit("index.ts", (text) => `${text}\n${line}\n`);
  }

  async commit(message: string): Promise<void> {
    await this.git("add", "--all");
    await this.git("commit", "--quiet", `--message=${message}`);
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await run("git", args, { cwd: this.clone, env: cleanEnvironment() });
    return stdout.trim();
  }

  /** Runs a command in the clone, as a person with access to the state does. */
  async person(command: string): Promise<CommandResult> {
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE } = this.environments.production;
    const secrets = { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE };
    const env = {
      ...cleanEnvironment([inject("pulumi")]),
      ...secrets,
      // A machine of its own: it does not know what the jobs have sent.
      PULUMI_HOME: join(this.folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const child = run("bash", ["-c", `${command} 2>&1`], { cwd: this.clone, env });
    const output = await child.then(
      ({ stdout }) => stdout,
      (error) => String(error.stdout),
    );
    return { code: child.child.exitCode ?? -1, output };
  }

  /** Runs a command as a person, which must succeed. */
  async ok(command: string): Promise<void> {
    const { code, output } = await this.person(command);
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
  }

  /** Lists the requests since the last time, such as `create Orders` or `update 1 -> 500`, sorted. */
  takeCalls(): string[] {
    return takeCalls(this.api).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.folder);
    await this.comments[Symbol.asyncDispose]();
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
