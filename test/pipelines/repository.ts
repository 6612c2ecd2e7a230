import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, inject } from "vitest";
import type { Backend } from "../../scripts/backends/backend.mts";
import type { Cloud } from "../../scripts/backends/cloud.mts";
import { startS3 } from "../../scripts/backends/s3.mts";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { idOf } from "../calls.js";
import { Artifacts } from "./github-artifacts.js";
import { Machine } from "./machine.js";

export type StackName = "dev" | "production";
export const PASSPHRASES = { dev: "passphrase-canary-dev", production: "passphrase-canary-production" };
export const SECRET = "whsec-canary-0815";
export const KEYS = { dev: "key-canary-dev", production: "key-canary-production" } as const;

const run = promisify(execFile);

export interface Prepared {
  folder: string;
  /** How its jobs install the program's packages. */
  install: string;
  /** What they run instead, since that takes half of a job's time: all jobs share what was installed once. */
  share: string;
  path?: readonly string[];
  /** The commands of its README that create its stacks: those in buckets, and those in Pulumi Cloud. */
  setup: string;
  cloudSetup: string;
}

interface Place {
  backends: Record<StackName, Record<string, string>>;
  setup: (prepared: Prepared) => string;
  /** What stands before the name of a stack. */
  prefix: string;
}

/** The tokens of Pulumi Cloud that a team hands to its jobs: that of the previews may only read. */
export const TOKENS = { write: "write", read: "read" } as const;

export const stackOf = (environment: string | undefined): StackName =>
  environment === "dev" ? "dev" : "production";

/** Returns the secrets of an environment. A preview gets no key, and a token that may only read. */
export function secretsOf(environment: string | undefined): Record<string, string> {
  if (environment === undefined) return {};
  const stack = stackOf(environment);
  const passphrase = { PULUMI_CONFIG_PASSPHRASE: PASSPHRASES[stack] };
  if (environment === "preview") return { ...passphrase, PULUMI_ACCESS_TOKEN: TOKENS.read };
  return { ...passphrase, PULUMI_ACCESS_TOKEN: TOKENS.write, WEBHOOKS_API_KEY: KEYS[stack] };
}

const inBuckets = async (backend: Backend, bucket: string): Promise<Place> => {
  const backends = {
    dev: await backend.environment(`${bucket}-dev`),
    production: await backend.environment(`${bucket}-production`),
  };
  const url = (backends.dev.PULUMI_BACKEND_URL ?? "").replace("-dev?", "-$stack?");
  const setup = (prepared: Prepared) => prepared.setup.replace(/"s3:\/\/your-bucket-\$stack"/, `"${url}"`);
  return { backends, setup, prefix: "" };
};

const inCloud = async (cloud: Cloud): Promise<Place> => {
  const environment = await cloud.environment("acme");
  // The users are members of acme, but not by default.
  await cloud.set({ tokens: TOKENS, organizations: ["other", "acme"] });
  const setup = (prepared: Prepared) => prepared.setup.replace(/for stack in.*/s, "") + prepared.cloudSetup;
  return { backends: { dev: environment, production: environment }, setup, prefix: "acme/" };
};

/** The repository of a team that has copied an example, with an API for each stack, and states in buckets or in Pulumi Cloud. */
export class Repository implements AsyncDisposable {
  readonly prepared: Prepared;
  readonly folder: string;
  readonly place: Place;
  readonly apis: Record<StackName, Simulator>;
  /** Those that its workflows have stored at GitHub. */
  readonly artifacts = new Artifacts();
  #machines = 0;

  private constructor(prepared: Prepared, given: Pick<Repository, "folder" | "place" | "apis">) {
    this.prepared = prepared;
    this.folder = given.folder;
    this.place = given.place;
    this.apis = given.apis;
  }

  /** Copies a prepared example, and creates its stacks, as its README says. */
  static async create(prepared: Prepared, place: Place): Promise<Repository> {
    const folder = await mkdtemp(join(dirname(prepared.folder), "repository-"));
    await cp(prepared.folder, folder, { recursive: true });
    const start = (stack: StackName) =>
      startSimulator({ apiKey: KEYS[stack], behavior: { emptyUpdate: "leaves updated_at" } });
    const apis = { dev: await start("dev"), production: await start("production") };
    const repository = new Repository(prepared, { folder, place, apis });
    await repository.#git("init", "--quiet", "--initial-branch=main");
    await repository.#setUp();
    await repository.#commit();
    return repository;
  }

  /** Runs the lines of the README that create the stacks, with what a person enters there, and sets their config. */
  async #setUp(): Promise<void> {
    const { backends, setup, prefix } = this.place;
    const script = [
      "set -eu",
      "npm() { :; }",
      `pulumi() { PULUMI_CONFIG_PASSPHRASE=passphrase-canary-$stack command pulumi "$@" <<< ${SECRET}; }`,
      setup(this.prepared),
    ];
    const cwd = this.folder;
    const environment = { ...process.env, ...inject("engine") };
    await run("bash", ["-c", script.join("\n")], { cwd, env: { ...environment, ...backends.dev } });
    for (const stack of ["dev", "production"] as const) {
      const settings = [`webhooks:baseUrl=${this.apis[stack].url}`, "--plaintext", "webhooks:drift=probe"];
      const args = ["config", "set-all", "--stack", prefix + stack, "--plaintext", ...settings];
      const passphrase = { PULUMI_CONFIG_PASSPHRASE: PASSPHRASES[stack] };
      await run("pulumi", args, { cwd, env: { ...environment, ...backends[stack], ...passphrase } });
    }
  }

  async edit(old: string, text: string): Promise<void> {
    const file = join(this.folder, "index.ts");
    const program = await readFile(file, "utf8");
    if (!program.includes(old)) throw new Error(`The program has no ${old}.`);
    await writeFile(file, program.replace(old, text));
    await this.#commit();
  }

  /** Adds the webhook `invoices` to the program, with a commit. It is created when the others are recorded. */
  async addInvoices(): Promise<void> {
    const fields = "{ url: receiver.concat('/hooks/invoices') }, { dependsOn: [orders, refunds] }";
    await appendFile(join(this.folder, "index.ts"), `new webhooks.Webhook("invoices", ${fields});\n`);
    await this.#commit();
  }

  async #commit(): Promise<void> {
    await this.#git("add", ".");
    await this.#git(..."-c user.name=test -c user.email=test@example.com commit --quiet -m Test".split(" "));
  }

  async head(): Promise<string> {
    return this.#git("rev-parse", "HEAD");
  }

  async startMachine(commit = "main"): Promise<Machine> {
    this.#machines++;
    const machine = new Machine(`${this.folder}-machine-${this.#machines}`, this.prepared.path);
    await this.#git("clone", "--quiet", this.folder, machine.folder);
    await this.#git("-C", machine.folder, "checkout", "--quiet", commit);
    return machine;
  }

  async #git(...args: string[]): Promise<string> {
    return (await run("git", args, { cwd: this.folder })).stdout.trim();
  }

  idOf(name: string): string {
    return idOf(this.apis.production, name);
  }

  /** Gives a script what was installed once, in place of the command that installs it again. */
  withInstalled(script: string): string {
    return script.replaceAll(this.prepared.install, this.prepared.share);
  }

  /** Returns the webhooks at an API, as `Orders https://shop.example.com/hooks/orders`. */
  webhooks(stack: StackName): string[] {
    return this.apis[stack].webhooks.map(({ name, url }) => `${name} ${url}`).sort();
  }

  /** Returns by what a job finds the state of a stack: that in Pulumi Cloud by a token alone, without a login. */
  backendOf(stack: StackName): Record<string, string> {
    const { PULUMI_ACCESS_TOKEN, PULUMI_BACKEND_URL = "" } = this.place.backends[stack];
    return PULUMI_ACCESS_TOKEN === undefined
      ? this.place.backends[stack]
      : { PULUMI_API: PULUMI_BACKEND_URL };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.apis).map((api) => api.close()));
  }
}

/** Starts an S3 server for the tests of a file, and prepares their example. Returns what creates repositories, each with its bucket. */
export function useRepositories(prepareExample: () => Promise<Prepared>): () => Promise<Repository> {
  let s3: Backend;
  let prepared: Prepared;
  let buckets = 0;
  // The first time on a machine, the server and Pulumi's language hosts are compiled.
  beforeAll(async () => {
    [s3, prepared] = await Promise.all([startS3(), prepareExample()]);
  }, 900_000);
  afterAll(() => s3[Symbol.asyncDispose]());
  return async () => Repository.create(prepared, await inBuckets(s3, `bucket-${buckets++}`));
}

export async function createInCloud(example: string, cloud: Cloud): Promise<Repository> {
  return Repository.create(await prepare(example), await inCloud(cloud));
}

/** Copies an example, and the script that all pipelines share. */
export async function copyPipeline(example: string, folder: string): Promise<void> {
  const examples = join(import.meta.dirname, "../../examples");
  await cp(join(examples, example), folder, { recursive: true });
  await cp(join(examples, "pipelines/recover.sh"), join(folder, "recover.sh"));
}

/** Copies an example, with the packed package among its dependencies, and installs it as its jobs do. */
export async function prepare(example: string): Promise<Prepared> {
  const install = "npm ci --ignore-scripts";
  const parent = await mkdtemp(join(dirname(inject("home")), "pipelines-"));
  const folder = join(parent, "prepared");
  await copyPipeline(example, folder);
  const file = join(folder, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  manifest.dependencies["pulumi-webhooks"] = `file:${inject("tarball")}`;
  await writeFile(file, JSON.stringify(manifest));
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_audit: "false" };
  await run("npm", ["install", "--package-lock-only"], { cwd: folder, env });
  await run("bash", ["-c", install], { cwd: folder, env });
  await rename(join(folder, "node_modules"), join(parent, "node_modules"));
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const [setup = "", cloudSetup = ""] = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines);
  return { folder, install, share: `ln -s ${join(parent, "node_modules")} node_modules`, setup, cloudSetup };
}
