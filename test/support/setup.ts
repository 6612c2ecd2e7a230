import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import packageOfSdk from "@pulumi/pulumi/package.json" with { type: "json" };
import type { TestProject } from "vitest/node";
import { sharedCompileCache } from "../../scripts/compile-cache.mts";
import { getEngine } from "../../scripts/engine.mts";

const run = promisify(execFile);

/** The key and the secret of every engine test. Nothing that a person can read may contain them. */
export const KEY = "key-canary-4711";
export const SECRET = "whsec-canary-0815";

/** The SDKs that users may have: the oldest in the package's peer range, and the newest, which is installed here. */
export const SDKS = { oldest: "3.216.0", newest: packageOfSdk.version };

declare module "vitest" {
  interface ProvidedContext {
    /** The environment in which the tests run the engine. */
    engine: NodeJS.ProcessEnv;
    /** A folder for each SDK, in which the packed package is installed as users install it. */
    projects: Record<keyof typeof SDKS, string>;
    tarball: string;
    simulator: string;
    home: string;
    /** A folder with a new stack: its config, with key and secret, and its state. */
    newStack: string;
  }
}

/**
 * Provides the real engine: the oldest that is tested, unless PULUMI_WEBHOOKS_TEST_ENGINE is "newest". Installs the packed
 * package with each SDK, once for all engine tests.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-test-"));
  const age = process.env.PULUMI_WEBHOOKS_TEST_ENGINE === "newest" ? "newest" : "oldest";
  const [{ bin }, tarball, simulator] = await Promise.all([
    getEngine(age),
    pack(process.cwd(), folder),
    pack(join(process.cwd(), "simulator"), folder),
  ]);
  const projects = { oldest: join(folder, "oldest"), newest: join(folder, "newest") };
  const home = join(folder, "home");
  const newStack = join(folder, "new-stack");
  const engine = {
    PATH: bin + delimiter + process.env.PATH,
    PULUMI_HOME: home,
    PULUMI_STACK: "dev",
    PULUMI_CONFIG_PASSPHRASE: "passphrase",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Node.js processes of the engine start faster with compiled code.
    ...sharedCompileCache(join(folder, "compile-cache")),
  };
  await mkdir(home);
  const packages = { "pulumi-webhooks": tarball, "pulumi-webhooks-simulator": simulator };
  await Promise.all([
    install(projects.oldest, packages, SDKS.oldest),
    install(projects.newest, packages, SDKS.newest),
    createStack(newStack, engine),
  ]);
  await Promise.all(Object.values(projects).map((cwd) => fillCompileCache(cwd, engine)));

  project.provide("engine", engine);
  project.provide("projects", projects);
  project.provide("tarball", tarball);
  project.provide("simulator", simulator);
  project.provide("home", home);
  project.provide("newStack", newStack);
  return async () => {
    await killAll(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Creates a stack with key and secret. Each test copies it, which is faster than five runs of the CLI. */
async function createStack(folder: string, engine: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(join(folder, "state"), { recursive: true });
  await writeFile(
    join(folder, "Pulumi.yaml"),
    "name: test\nruntime: { name: nodejs, options: { typescript: false } }\n",
  );
  const env = { ...process.env, ...engine, PULUMI_BACKEND_URL: `file://${join(folder, "state")}` };
  await run("pulumi", ["stack", "init", "dev"], { cwd: folder, env });
  const secrets = ["--secret", `webhooks:apiKey=${KEY}`, "--secret", `hookSecret=${SECRET}`];
  await run("pulumi", ["config", "set-all", ...secrets], { cwd: folder, env });
}

/** Compiles the modules of the provider's process. The engine kills that process before it would save them. */
async function fillCompileCache(cwd: string, engine: NodeJS.ProcessEnv): Promise<void> {
  const script = 'require("@pulumi/pulumi"); require("pulumi-webhooks/provider").provider;';
  await run(process.execPath, ["-e", script], { cwd, env: { ...process.env, ...engine } });
}

/** Kills what a killed engine left running: processes whose command or environment names the folder. */
export async function killAll(folder: string): Promise<void> {
  const { stdout } = await run("ps", ["axeww", "-o", "pid=,args="], { maxBuffer: Number.POSITIVE_INFINITY });
  for (const line of stdout.split("\n").filter((command) => command.includes(folder))) {
    try {
      process.kill(Number.parseInt(line, 10), "SIGKILL");
    } catch {
      // The process has ended.
    }
  }
}

/** Packs the package in `source` as npm would publish it, and returns the path of the tarball in `folder`. */
export async function pack(source: string, folder: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source });
  const packed = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(folder, filename);
}

/** Installs packed packages, by their names, and an SDK, as users do. */
export async function install(folder: string, tarballs: Record<string, string>, sdk: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = Object.entries(tarballs).map(([name, tarball]) => [name, `file:${tarball}`]);
  const dependencies = { ...Object.fromEntries(files), "@pulumi/pulumi": sdk };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  await run("npm", args, { cwd: folder });
}
