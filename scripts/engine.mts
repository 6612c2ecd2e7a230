// The Pulumi CLI and its Node language host, which the engine tests and the demo run: found, else downloaded, else built.

import { execFileSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { build } from "./engine/build.mts";
import { download } from "./engine/download.mts";
import { showProgress } from "./engine/progress.mts";
import { withLock } from "./lock.mjs";

export interface Engine {
  /** The folder to put first on PATH. */
  bin: string;
  version: string;
  source: "PATH" | "cached" | "downloaded" | "built";
}

const VERSION = "3.250.0";
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const versions = resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
/** The Automation API and the npm package `pulumi` put theirs here too. */
const official = join(versions, VERSION);
const fromSource = join(versions, `${VERSION}-from-source`);
const PARTIAL = `.${VERSION}.partial-`;

const HELP = `Usage: node scripts/engine.mts

Gets the Pulumi engine that the tests and the demo run, and prints the folder to put first on PATH.
It is, in this order:
- a pulumi on PATH, ${VERSION} or newer, with its Node language host
- the cached one, in ${official} or ${basename(fromSource)} beside it
- the official download of Pulumi ${VERSION}
- a build of it from its Go modules, which takes 4 to 8 minutes, once (not on Windows)`;

let engine: Promise<Engine> | undefined;

/** Gets the engine, once a process. The first time on a machine may take minutes; its progress goes to stderr. */
export function getEngine(): Promise<Engine> {
  engine ??= obtain();
  return engine;
}

async function obtain(): Promise<Engine> {
  const failures: string[] = [];
  const atHand = (await attempt("pulumi on PATH", onPath, failures)) ?? cached();
  if (atHand) return atHand;
  failures.push(
    `cached engine: there is no complete one in ${official} or ${basename(fromSource)} beside it`,
  );

  mkdirSync(versions, { recursive: true });
  let stopWaiting = () => {};
  return withLock({
    folder: join(versions, `.${VERSION}.lock`),
    onWait: () => {
      stopWaiting = showProgress(() => "Waiting for another run, which is getting the Pulumi engine");
    },
    work: async () => {
      stopWaiting();
      removeLeftovers();
      const made =
        cached() ??
        (await attempt(
          "official download",
          () => put({ source: "downloaded", target: official, make: download }),
          failures,
        )) ??
        (await attempt(
          "build from Go modules",
          () => put({ source: "built", target: fromSource, make: build }),
          failures,
        ));
      if (made) return made;
      throw new Error(
        `There is no Pulumi engine here, and none could be had:\n${failures.map((line) => `- ${line}`).join("\n")}\n` +
          `Install Pulumi ${VERSION} or newer (https://www.pulumi.com/docs/install/), ` +
          "or Go 1.21 or newer (https://go.dev/dl/), and try again.",
      );
    },
  });
}

async function attempt(way: string, get: () => Engine | Promise<Engine>, failures: string[]) {
  try {
    return await get();
  } catch (error) {
    failures.push(`${way}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function onPath(): Engine {
  const path = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const pulumi = find("pulumi", path);
  if (!pulumi) throw new Error("there is none");
  const version = versionOf(pulumi);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major !== 3 || minor < 250) throw new Error(`${pulumi} is ${version}; ${VERSION} or newer is needed`);
  const bin = dirname(pulumi);
  // Where pulumi is a link, Pulumi also looks beside the file that it points to.
  const folders = [bin, dirname(realpathSync(pulumi)), ...path];
  const missing = EXECUTABLES.find((name) => !find(name, folders));
  if (missing) throw new Error(`${pulumi} comes without ${missing}`);
  return { bin, version, source: "PATH" };
}

/** Only complete engines that were seen to run get these names, so a look at the files is enough. */
function cached(): Engine | undefined {
  const found = [official, fromSource].map((folder) => join(folder, "bin")).find(isComplete);
  return found ? { bin: found, version: VERSION, source: "cached" } : undefined;
}

interface Way {
  source: Engine["source"];
  target: string;
  make: (version: string, folder: string) => Promise<void>;
}

/** Makes the engine in a folder beside `target`, which gets its name only when the engine is seen to run. */
async function put({ source, target, make }: Way): Promise<Engine> {
  if (existsSync(target)) throw new Error(`${target} is there but incomplete: delete it to get it anew`);
  const folder = join(versions, `${PARTIAL}${process.pid}`);
  mkdirSync(folder);
  try {
    await make(VERSION, folder);
    const bin = join(folder, "bin");
    if (!isComplete(bin)) throw new Error(`not all of ${EXECUTABLES.join(", ")} are there`);
    const version = versionOf(join(bin, "pulumi"));
    if (version !== VERSION) throw new Error(`it says that it is ${version}`);
    renameSync(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { bin: join(target, "bin"), version: VERSION, source };
}

/** Called with the lock held, so no other run is alive that could own them. */
function removeLeftovers() {
  for (const name of readdirSync(versions)) {
    if (name.startsWith(PARTIAL)) rmSync(join(versions, name), { recursive: true, force: true });
  }
}

function isComplete(bin: string): boolean {
  return EXECUTABLES.every((name) => find(name, [bin]));
}

function find(name: string, folders: string[]): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
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
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(HELP);
  } else if (args.length > 0) {
    console.error(HELP);
    process.exitCode = 2;
  } else {
    try {
      const { bin, version, source } = await getEngine();
      console.error(`Pulumi ${version} (${source}):`);
      console.log(bin);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
