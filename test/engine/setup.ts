import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { getEngine } from "../../scripts/engine.mts";

const run = promisify(execFile);

/** The SDKs that a user may have: the oldest that the package's peer range allows, and the newest. */
export const SDKS = { oldest: "3.216.0", newest: "3.270.0" } as const;

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that holds the engine's programs. */
    engine: string;
    /** A folder for the programs of each SDK: the packed package is installed there as a user would install it. */
    projects: Record<keyof typeof SDKS, string>;
    /** The packed package. */
    tarball: string;
    /** A Pulumi home that only these tests use. */
    home: string;
  }
}

/** Gets the real engine, packs the package, and installs it beside each SDK, once for all engine tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-test-"));
  const [engine, tarball] = await Promise.all([getEngine(), pack(process.cwd(), folder)]);
  const projects = { oldest: join(folder, "oldest"), newest: join(folder, "newest") };
  const home = join(folder, "home");
  await mkdir(home);
  await install(projects.oldest, tarball, SDKS.oldest);
  await install(projects.newest, tarball, SDKS.newest);

  project.provide("engine", engine.bin);
  project.provide("projects", projects);
  project.provide("tarball", tarball);
  project.provide("home", home);
  return async () => {
    await killAll(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Ends what a killed engine has left running: processes whose command names the folder. */
export async function killAll(folder: string): Promise<void> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,args="]);
  for (const line of stdout.split("\n").filter((command) => command.includes(folder))) {
    try {
      process.kill(Number.parseInt(line, 10), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** Packs the package in `source` as npm would publish it, and gives the tarball in `folder`. */
export async function pack(source: string, folder: string): Promise<string> {
  const args = ["pack", "--json", "--loglevel=error", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source });
  const packed = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return join(folder, filename);
}

/** Installs a packed package beside an SDK, as a user would; again for an upgrade. */
export async function install(folder: string, tarball: string, sdk: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dependencies = { "pulumi-webhooks": `file:${tarball}`, "@pulumi/pulumi": sdk };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], {
    cwd: folder,
  });
}
