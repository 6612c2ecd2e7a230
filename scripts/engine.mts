// Provides the Pulumi CLI and its Node language host for the engine tests and the demo: found, else downloaded, else built.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseOptions } from "./command-line.mts";
import { build } from "./engine/build.mts";
import { download } from "./engine/download.mts";
import { showProgress } from "./engine/progress.mts";
import { findExecutable, foldersOf } from "./find-executable.mts";
import { withLock } from "./lock.mjs";

export interface Engine {
  /** The folder to put first on PATH. */
  bin: string;
  version: string;
  source: "PATH" | "cached" | "downloaded" | "built";
}

const VERSION = "3.250.0";
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
/** Where Pulumi itself keeps engines, by version. */
export const VERSIONS = resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
/** The Automation API and the npm package `pulumi` use this folder too. */
const OFFICIAL = join(VERSIONS, VERSION);
const FROM_SOURCE = join(VERSIONS, `${VERSION}-from-source`);
const PARTIAL = `.${VERSION}.partial-`;

const HELP = `Usage: node scripts/engine.mts

Provides the Pulumi engine for the tests and the demo, and prints the folder to put first on PATH.
It uses the first of these that works:
- a pulumi on PATH, ${VERSION} or newer, with its Node language host
- the cached engine, in ${OFFICIAL} or ${basename(FROM_SOURCE)} beside it
- the official download of Pulumi ${VERSION}
- a build from its Go modules: 4 to 8 minutes, once (not on Windows)
`;

let engine: Promise<Engine> | undefined;

/** Provides the engine, once per process. The first time on a machine can take minutes; progress goes to stderr. */
export function getEngine(): Promise<Engine> {
  engine ??= provide();
  return engine;
}

async function provide(): Promise<Engine> {
  const failures: string[] = [];
  const atHand = (await attempt("pulumi on PATH", onPath, failures)) ?? cached();
  if (atHand) return atHand;
  failures.push(`cached engine: not complete in ${OFFICIAL} or in ${basename(FROM_SOURCE)} beside it`);

  mkdirSync(VERSIONS, { recursive: true });
  let stopWaiting = () => {};
  return withLock({
    folder: join(VERSIONS, `.${VERSION}.lock`),
    onWait: () => {
      stopWaiting = showProgress(() => "Waiting for another run that installs the Pulumi engine");
    },
    work: async () => {
      stopWaiting();
      removeLeftovers();
      const made =
        cached() ??
        (await attempt(
          "official download",
          () => install({ source: "downloaded", target: OFFICIAL, make: download }),
          failures,
        )) ??
        (await attempt(
          "build from Go modules",
          () => install({ source: "built", target: FROM_SOURCE, make: build }),
          failures,
        ));
      if (made) return made;
      throw new Error(
        `No Pulumi engine was found or installed:\n${failures.map((line) => `- ${line}`).join("\n")}\n` +
          `Install Pulumi ${VERSION} or newer (https://www.pulumi.com/docs/install/), ` +
          "or Go 1.21 or newer (https://go.dev/dl/). Then try again.",
      );
    },
  });
}

async function attempt(source: string, get: () => Engine | Promise<Engine>, failures: string[]) {
  try {
    return await get();
  } catch (error) {
    failures.push(`${source}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function onPath(): Engine {
  const path = foldersOf(process.env.PATH);
  const pulumi = findExecutable("pulumi", path);
  if (!pulumi) throw new Error("not found");
  const version = versionOf(pulumi);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major !== 3 || minor < 250)
    throw new Error(`${pulumi} is ${version}, but ${VERSION} or newer is required`);
  const bin = dirname(pulumi);
  // If pulumi is a link, Pulumi also looks beside the target.
  const folders = [bin, dirname(realpathSync(pulumi)), ...path];
  const missing = EXECUTABLES.find((name) => !findExecutable(name, folders));
  if (missing) throw new Error(`${missing} is missing beside ${pulumi}`);
  return { bin, version, source: "PATH" };
}

/** Finds the cached engine. Only an engine that has run gets a final name, so that the files are proof enough. */
function cached(): Engine | undefined {
  const found = [OFFICIAL, FROM_SOURCE].map((folder) => join(folder, "bin")).find(isComplete);
  return found ? { bin: found, version: VERSION, source: "cached" } : undefined;
}

interface Source {
  source: Engine["source"];
  target: string;
  make: (version: string, folder: string) => Promise<void>;
}

/** Makes the engine in a temporary folder, and renames that to `target` once the engine has run. */
async function install({ source, target, make }: Source): Promise<Engine> {
  if (existsSync(target)) throw new Error(`${target} is incomplete: delete it and try again`);
  const folder = join(VERSIONS, `${PARTIAL}${process.pid}`);
  mkdirSync(folder);
  try {
    await make(VERSION, folder);
    const bin = join(folder, "bin");
    if (!isComplete(bin)) throw new Error(`one of ${EXECUTABLES.join(", ")} is missing`);
    const version = versionOf(join(bin, "pulumi"));
    if (version !== VERSION) throw new Error(`its version is ${version}`);
    renameSync(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { bin: join(target, "bin"), version: VERSION, source };
}

/** Removes what killed runs left. The lock is held, so that no other run can own it. */
function removeLeftovers() {
  for (const name of readdirSync(VERSIONS)) {
    if (name.startsWith(PARTIAL)) rmSync(join(VERSIONS, name), { recursive: true, force: true });
  }
}

function isComplete(bin: string): boolean {
  return EXECUTABLES.every((name) => findExecutable(name, [bin]));
}

function versionOf(pulumi: string): string {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const printed = execFileSync(pulumi, ["version"], {
    env,
    encoding: "utf8",
    timeout: 20_000,
    stdio: "pipe",
  });
  return printed.trim().replace(/^v/, "");
}

if (import.meta.main) {
  parseOptions(HELP, {});
  try {
    const { bin, version, source } = await getEngine();
    console.error(`Pulumi ${version} (${source}):`);
    console.log(bin);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
