// Runs the contestants as real Pulumi programs, on a new stack for each sample.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Engine } from "../scripts/engine.mts";
import { install, killAll, pack } from "../test/support/setup.ts";
import type { Api } from "./api.mts";
import { type Cost, cpuSecondsOfChildren, type Role, watch } from "./processes.mts";

const run = promisify(execFile);

/** The programs, each of which declares BENCH_COUNT resources with the fields of a webhook. */
export const CONTESTANTS = ["pulumi-webhooks", "plugin", "no-op", "built-in"] as const;
export type Contestant = (typeof CONTESTANTS)[number];

export interface Options {
  contestant: Contestant;
  count: number;
  /** Whether the engine saves the state after each step, as it does by default, or only at the end. */
  checkpoints: boolean;
  /** Whether a preview and an `up` without changes follow. */
  thenUnchanged?: boolean;
  /** How many resources the engine works on at a time. Default: Pulumi's own, 4 for each core. */
  parallel?: number;
  /** The environment of an empty place for the state. Default: a folder. */
  backend?: Record<string, string>;
}

/** What a command cost, with all processes of it. */
export interface Figures {
  wallSeconds: number;
  cpuSeconds: number;
  cost: Record<Role, Cost>;
}

/** What an `up` from an empty stack cost. */
export interface Sample extends Options, Figures {
  stateBytes: number;
  /** What the next commands cost, which find no changes. */
  unchanged?: Record<"preview" | "up", Figures>;
}

const UP = ["up", "--yes", "--skip-preview", "--color=never"];

/** The folder of the contestants, with the packed package installed as users install it. */
export class Workshop implements AsyncDisposable {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(folder: string, { bin }: Engine) {
    this.#folder = folder;
    this.#environment = {
      ...process.env,
      PATH: [bin, join(folder, "project/node_modules/.bin"), process.env.PATH].join(delimiter),
      PULUMI_HOME: join(folder, "home"),
      PULUMI_STACK: "dev",
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
  }

  static async open({ engine, sdk, api }: { engine: Engine; sdk: string; api: Api }): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-bench-"));
    const workshop = new Workshop(folder, engine);
    const project = join(folder, "project");
    await install(project, { "pulumi-webhooks": await pack(process.cwd(), folder) }, sdk);
    Object.assign(workshop.#environment, { WEBHOOKS_BASE_URL: api.url, WEBHOOKS_API_KEY: api.apiKey });
    await mkdir(join(folder, "empty"));
    for (const contestant of CONTESTANTS) {
      const program = join(project, contestant);
      await cp(join(import.meta.dirname, "contestants", contestant), program, { recursive: true });
      await writeFile(join(program, "Pulumi.yaml"), "name: bench\nruntime: nodejs\n");
      await writeFile(join(program, "package.json"), JSON.stringify({ private: true, main: "index.ts" }));
      const env = { ...workshop.#environment, PULUMI_BACKEND_URL: `file://${join(folder, "empty")}` };
      // One empty state, and a config with its encryption for each.
      const [first] = CONTESTANTS;
      if (contestant === first) await run("pulumi", ["stack", "init", "dev"], { cwd: program, env });
      else await cp(join(project, first, "Pulumi.dev.yaml"), join(program, "Pulumi.dev.yaml"));
    }
    return workshop;
  }

  /** Measures an `up` from an empty stack, and checks that it created every resource. */
  async up(options: Options): Promise<Sample> {
    const { contestant, count, checkpoints, thenUnchanged, parallel, backend } = options;
    const state = join(this.#folder, "state");
    await cp(join(this.#folder, "empty"), state, { recursive: true });
    const cwd = join(this.#folder, "project", contestant);
    const env = {
      ...this.#environment,
      PULUMI_BACKEND_URL: `file://${state}`,
      ...backend,
      // A home of its own: it holds the notes of what was sent.
      PULUMI_HOME: join(state, "home"),
      BENCH_COUNT: `${count}`,
      ...(!checkpoints && { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
    };
    try {
      if (backend !== undefined)
        await run("pulumi", ["stack", "init", backend.PULUMI_STACK ?? "dev"], { cwd, env });
      const limit = parallel === undefined ? [] : ["--parallel", `${parallel}`];
      const figures = await measure([...UP, ...limit], { cwd, env });
      const exported = join(state, "exported.json");
      await run("pulumi", ["stack", "export", "--file", exported], { cwd, env });
      const resources: { type: string }[] = JSON.parse(await readFile(exported, "utf8")).deployment.resources;
      const created = resources.filter(({ type }) => !/^pulumi:(?:pulumi:Stack|providers:)/.test(type));
      if (created.length !== count) throw new Error(`${contestant} created ${created.length} of ${count}`);
      const file = join(state, ".pulumi/stacks/bench/dev.json");
      const { size: stateBytes } = await stat(backend === undefined ? file : exported);
      const sample = { ...options, ...figures, stateBytes };
      if (!thenUnchanged) return sample;
      const preview = await measure(["preview", "--expect-no-changes", "--color=never"], { cwd, env });
      return { ...sample, unchanged: { preview, up: await measure(UP, { cwd, env }) } };
    } finally {
      await rm(state, { recursive: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.#folder);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Figures> {
  const started = performance.now();
  const before = cpuSecondsOfChildren();
  const child = spawn("pulumi", args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
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
  const cpuSeconds = cpuSecondsOfChildren() - before;
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
  return { wallSeconds, cpuSeconds, cost };
}
