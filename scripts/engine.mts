// Provides the Pulumi CLI and its Node language host for the engine tests and the demo: found, else downloaded, else built.
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseOptions } from "./command-line.mts";
import { build } from "./engine/build.mts";
import { download } from "./engine/download.mts";
import { update } from "./engine/update.mts";
import { type Age, moduleOf, readVersion } from "./engine/versions.mts";
import { findExecutable, foldersOf } from "./find-executable.mts";
import { installAlone, VERSIONS } from "./install-once.mts";

export interface Engine {
  /** The folder to put first on PATH. */
  bin: string;
  version: string;
  source: "PATH" | "cached" | "downloaded" | "built";
}

/** The versions that the tests run. The oldest is also that of the demo and of the bench. */
export const ENGINES = { oldest: readVersion("oldest"), newest: readVersion("newest") };
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

const HELP = `Usage: node scripts/engine.mts [--newest | --update]

Provides the Pulumi engine for the tests and the demo, and prints the folder to put first on PATH: ${ENGINES.oldest}, or with
--newest ${ENGINES.newest}, the one of the slow tests. It uses the first of these that works:
- a pulumi on PATH of this version or a newer one, with its Node language host
- the cached engine, in ${VERSIONS}
- the official download
- a build from its Go modules: 4 to 8 minutes, once (not on Windows)

--update sets the newest to the latest version of Pulumi's Go modules and of its SDK on npm, and prints it. It requires Go.
`;

const engines = new Map<Age, Promise<Engine>>();

/** Provides an engine, once per process. The first time on a machine can take minutes; progress goes to stderr. */
export function getEngine(age: Age = "oldest"): Promise<Engine> {
  const engine = engines.get(age) ?? provide(age);
  engines.set(age, engine);
  return engine;
}

async function provide(age: Age): Promise<Engine> {
  const version = ENGINES[age];
  const failures: string[] = [];
  const atHand = (await attempt("pulumi on PATH", () => onPath(version), failures)) ?? cached(version);
  if (atHand) return atHand;
  // The Automation API and the npm package `pulumi` use the first folder, too.
  const [official, fromSource] = foldersFor(version);
  failures.push(`cached engine: not complete in ${official} or in ${basename(fromSource)} beside it`);

  return installAlone({
    name: version,
    title: "the Pulumi engine",
    work: async (complete) => {
      const install = (source: "downloaded" | "built", target: string, make: Make) => async () => {
        if (existsSync(target)) throw new Error(`${target} is incomplete: delete it and try again`);
        await complete(target, (folder) => makeEngine(version, folder, make));
        return { bin: join(target, "bin"), version, source };
      };
      const buildAge: Make = (_, folder) => build({ module: moduleOf(age), version, folder });
      const made =
        cached(version) ??
        (await attempt("official download", install("downloaded", official, download), failures)) ??
        (await attempt("build from Go modules", install("built", fromSource, buildAge), failures));
      if (made) return made;
      throw new Error(
        `No Pulumi engine was found or installed:\n${failures.map((line) => `- ${line}`).join("\n")}\n` +
          `Install Pulumi ${version} or newer (https://www.pulumi.com/docs/install/), ` +
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

function onPath(least: string): Engine {
  const path = foldersOf(process.env.PATH);
  const pulumi = findExecutable("pulumi", path);
  if (!pulumi) throw new Error("not found");
  const version = versionOf(pulumi);
  if (!version.startsWith("3.") || version.localeCompare(least, "en", { numeric: true }) < 0)
    throw new Error(`${pulumi} is ${version}, but ${least} or newer is required`);
  const bin = dirname(pulumi);
  // If pulumi is a link, Pulumi also looks beside the target.
  const folders = [bin, dirname(realpathSync(pulumi)), ...path];
  const missing = EXECUTABLES.find((name) => !findExecutable(name, folders));
  if (missing) throw new Error(`${missing} is missing beside ${pulumi}`);
  return { bin, version, source: "PATH" };
}

/** Finds the cached engine. Only an engine that has run gets a final name, so that the files are proof enough. */
function cached(version: string): Engine | undefined {
  const found = foldersFor(version)
    .map((folder) => join(folder, "bin"))
    .find(isComplete);
  return found ? { bin: found, version, source: "cached" } : undefined;
}

/** Returns the folders of an engine that was downloaded, and of one that was built. */
function foldersFor(version: string): [official: string, fromSource: string] {
  return [join(VERSIONS, version), join(VERSIONS, `${version}-from-source`)];
}

type Make = (version: string, folder: string) => Promise<void>;

/** Makes an engine in a folder, and runs it. */
async function makeEngine(version: string, folder: string, make: Make): Promise<void> {
  await make(version, folder);
  const bin = join(folder, "bin");
  if (!isComplete(bin)) throw new Error(`one of ${EXECUTABLES.join(", ")} is missing`);
  const made = versionOf(join(bin, "pulumi"));
  if (made !== version) throw new Error(`its version is ${made}`);
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
  const options = parseOptions(HELP, { newest: { type: "boolean" }, update: { type: "boolean" } });
  try {
    if (options.update) console.log(await update());
    else {
      const { bin, version, source } = await getEngine(options.newest ? "newest" : "oldest");
      console.error(`Pulumi ${version} (${source}):`);
      console.log(bin);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
