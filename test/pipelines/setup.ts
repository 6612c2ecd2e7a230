import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { getEngine } from "../../scripts/engine.mts";
import { killAll, pack } from "../engine/setup.js";
import { cleanEnvironment } from "./environment.js";

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, "../../examples/pipelines");

/** The passphrase of every stack, and the secret of a webhook. No log of a job may contain them. */
export const PASSPHRASE = "passphrase-canary-1234";
export const SECRET = "whsec-canary-0815";

/** The services whose pipelines are tested. */
export const PLATFORMS = ["github", "gitlab"] as const;
export type Platform = (typeof PLATFORMS)[number];

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the Pulumi CLI. */
    pulumi: string;
    /** The packed package: a file. */
    tarball: string;
    /** A git repository with the example of each platform, set up as its README says, and the state beside it. */
    templates: Record<Platform, string>;
  }
}

/** Sets up a repository of each example, once for all tests: what a platform team does on its first day. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-pipelines-"));
  const [{ bin }, tarball] = await Promise.all([getEngine(), pack(process.cwd(), folder)]);
  const templates = { github: join(folder, "github"), gitlab: join(folder, "gitlab") };
  for (const platform of PLATFORMS) await prepare({ platform, folder: templates[platform], tarball, bin });
  project.provide("pulumi", bin);
  project.provide("tarball", tarball);
  project.provide("templates", templates);
  return async () => {
    await killAll(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

interface Preparation {
  platform: Platform;
  folder: string;
  tarball: string;
  bin: string;
}

async function prepare({ platform, folder, tarball, bin }: Preparation): Promise<void> {
  const repository = join(folder, "repository");
  const state = join(folder, "state");
  await mkdir(state, { recursive: true });
  await cp(join(EXAMPLES, platform), repository, { recursive: true });
  await addPackage(repository, tarball);

  const inRepository = { cwd: repository, env: cleanEnvironment([bin]) };
  const script = await readSetUp(repository, state);
  const setUp = run("bash", ["-e", "-c", script], inRepository);
  // The webhook's secret, which a person types.
  setUp.child.stdin?.end(SECRET);
  await setUp;
  // Each test copies the repository, and each job installs the packages.
  await rm(join(repository, "node_modules"), { recursive: true });
  await run("git", ["init", "--quiet", "--initial-branch=main"], inRepository);
}

/** Makes a tarball part of a repository, so that every clone can install it. This version is not on the registry. */
export async function addPackage(repository: string, tarball: string): Promise<void> {
  await cp(tarball, join(repository, basename(tarball)));
  const manifest = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
  manifest.dependencies["pulumi-webhooks"] = `file:${basename(tarball)}`;
  await writeFile(join(repository, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Reads the commands of the README's set-up, and fills in what a person has to. */
async function readSetUp(repository: string, state: string): Promise<string> {
  const readme = await readFile(join(repository, "README.md"), "utf8");
  const [, commands = ""] = /```sh\n(.*?)```/s.exec(readme) ?? [];
  return commands
    .replace("s3://your-bucket", `file://${state}`)
    .replace("PULUMI_CONFIG_PASSPHRASE=…", `PULUMI_CONFIG_PASSPHRASE=${PASSPHRASE}`);
}
