// Runs the contestants as real Pulumi programs, on a new stack for each sample.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { createsFolder } from "../dist/journal/place.js";
import type { Engine } from "../scripts/engine.mts";
import { install, killAll, pack } from "../test/engine/setup.ts";
import type { Api } from "./api.mts";
import type { Cost, Role } from "./processes.mts";
import { watch } from "./processes.mts";

const run = promisify(execFile);

export const CONTESTANTS = [
  "pulumi-webhooks",
  "plugin",
  "no-op",
  "built-in",
  "naive-fetch",
  "naive-axios",
  "sleeper",
] as const;
export type Contestant = (typeof CONTESTANTS)[number];

/** How the file backend writes the state. */
export const STATE_FORMATS = ["plain", "gzip", "zstd"] as const;
export type StateFormat = (typeof STATE_FORMATS)[number];

/** The cost of a run of the CLI. */
export interface Figures {
  wallSeconds: number;
  cost: Record<Role, Cost>;
}

export interface Options {
  count: number;
  /** How many resources the engine works on at a time. Default: Pulumi's own, 4 for each core. */
  parallel?: number;
  /** Whether the engine saves the state after each step, as it does by default, or only at the end. */
  checkpoints: boolean;
  /** Default: plain, as is Pulumi's own. */
  format?: StateFormat;
  /** Whether the package can note on this machine what it sends. Default: true. */
  keepsJournal?: boolean;
}

/** The folder of the contestants, with the packed package installed as users install it. */
export class Workshop implements AsyncDisposable {
  readonly project: string;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #engine: Engine;
  #stacks = 0;

  private constructor(folder: string, engine: Engine) {
    this.#folder = folder;
    this.project = join(folder, "project");
    this.#engine = engine;
    this.#environment = {
      ...process.env,
      PATH: [engine.bin, join(this.project, "node_modules/.bin"), process.env.PATH].join(delimiter),
      PULUMI_HOME: join(folder, "home"),
      PULUMI_STACK: "dev",
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
  }

  static async open({ engine, sdk }: { engine: Engine; sdk: string }): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-bench-"));
    const workshop = new Workshop(folder, engine);
    await install(workshop.project, await pack(process.cwd(), folder), sdk);
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "axios"], {
      cwd: workshop.project,
    });
    return workshop;
  }

  /** Configures every contestant, and keeps an empty state as the start of each sample. */
  async prepare({ url, apiKey }: Api): Promise<void> {
    const [first = "no-op", ...others] = CONTESTANTS;
    const template = join(this.project, first);
    await this.#copyProgram(first);
    const environment = { ...this.#environment, ...this.#backend("empty") };
    await mkdir(join(this.#folder, "empty"));
    const pulumi = (...args: string[]) => run("pulumi", args, { cwd: template, env: environment });
    await pulumi("stack", "init", "dev");
    await pulumi("config", "set", "webhooks:baseUrl", url);
    const setKey = pulumi("config", "set", "--secret", "webhooks:apiKey");
    setKey.child.stdin?.end(apiKey);
    await setKey;
    for (const contestant of others) {
      await this.#copyProgram(contestant);
      await cp(join(template, "Pulumi.dev.yaml"), join(this.project, contestant, "Pulumi.dev.yaml"));
    }
    Object.assign(this.#environment, { WEBHOOKS_BASE_URL: url, WEBHOOKS_API_KEY: apiKey });
  }

  async #copyProgram(contestant: Contestant): Promise<void> {
    const folder = join(this.project, contestant);
    await cp(join(import.meta.dirname, "contestants", contestant), folder, { recursive: true });
    await writeFile(join(folder, "Pulumi.yaml"), "name: bench\nruntime: nodejs\n");
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, main: "index.ts" }));
  }

  #backend(state: string): NodeJS.ProcessEnv {
    return { PULUMI_BACKEND_URL: `file://${join(this.#folder, state)}` };
  }

  async stack(contestant: Contestant, options: Options): Promise<Stack> {
    const name = `state-${this.#stacks++}`;
    const state = join(this.#folder, name);
    await cp(join(this.#folder, "empty"), state, { recursive: true });
    const folder = join(this.project, contestant);
    const environment = {
      ...this.#environment,
      ...this.#backend(name),
      BENCH_COUNT: `${options.count}`,
      ...(!options.checkpoints && { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
      ...FORMATS[options.format ?? "plain"].environment,
    };
    if (options.keepsJournal === false) await preventNotes(folder, environment);
    return new Stack({
      engine: this.#engine,
      folder,
      state,
      environment,
      options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.#folder);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Puts a file in the place of the folder that would hold the notes of a stack's creates. */
async function preventNotes(project: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const notes = createsFolder(project, environment);
  await mkdir(dirname(notes), { recursive: true });
  await writeFile(notes, "");
}

const FORMATS: Record<
  StateFormat,
  { extension: string; environment: NodeJS.ProcessEnv; read: (file: Buffer) => Buffer }
> = {
  plain: { extension: "", environment: {}, read: (file) => file },
  gzip: { extension: ".gz", environment: { PULUMI_DIY_BACKEND_GZIP: "true" }, read: gunzipSync },
  zstd: { extension: ".zst", environment: { PULUMI_DIY_BACKEND_ZSTD: "true" }, read: zstdDecompressSync },
};

interface RunOptions {
  /** Whether the program finds the CLI, with which the package reads the stack's state. Default: true. */
  readsState?: boolean;
}

interface Place {
  engine: Engine;
  folder: string;
  state: string;
  environment: NodeJS.ProcessEnv;
  options: Options;
}

export class Stack implements AsyncDisposable {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  up = (options?: RunOptions) => this.#run(["up", "--yes", "--skip-preview"], options);
  preview = (options?: RunOptions) => this.#run(["preview"], options);
  refresh = () => this.#run(["refresh", "--yes", "--skip-preview"]);

  /** Measures the stack's file in the backend. */
  async stateBytes(): Promise<number> {
    return (await stat(this.#stateFile())).size;
  }

  /** Counts the program's resources in the state. */
  async resources(): Promise<number> {
    const file = await readFile(this.#stateFile());
    const { checkpoint } = JSON.parse(this.#format.read(file).toString());
    const resources: { type: string }[] = checkpoint.latest.resources ?? [];
    return resources.filter(({ type }) => !/^pulumi:(?:pulumi:Stack|providers:)/.test(type)).length;
  }

  get #format() {
    return FORMATS[this.#place.options.format ?? "plain"];
  }

  #stateFile(): string {
    return join(this.#place.state, `.pulumi/stacks/bench/dev.json${this.#format.extension}`);
  }

  async #run(args: string[], { readsState = true }: RunOptions = {}): Promise<Figures> {
    const { folder, environment, options, engine } = this.#place;
    const path = environment.PATH?.split(delimiter).filter((one) => readsState || one !== engine.bin);
    const parallel = options.parallel === undefined ? [] : ["--parallel", `${options.parallel}`];
    const started = performance.now();
    const child = spawn(
      join(engine.bin, "pulumi"),
      [...args, ...parallel, "--non-interactive", "--color=never"],
      {
        cwd: folder,
        env: { ...environment, PATH: path?.join(delimiter) },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const watched = watch(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    const [code] = await once(child, "exit");
    const wallSeconds = (performance.now() - started) / 1000;
    const cost = watched.stop();
    if (code !== 0) throw new CliError(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
    return { wallSeconds, cost };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#place.state, { recursive: true, force: true });
  }
}

/** The CLI failed. The message holds its output. */
export class CliError extends Error {}
