// Provides Pulumi's language hosts, with which the tests install and run programs in Python, Go, YAML and TypeScript.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseOptions } from "./command-line.mts";
import { showProgress } from "./engine/progress.mts";
import { ENGINES, getEngine, VERSIONS } from "./engine.mts";
import { buildWithGo, checkGo } from "./go-build.mts";
import { withLock } from "./lock.mjs";

const HELP = `Usage: node scripts/languages.mts

Provides Pulumi's language hosts for Python, Go, YAML and Node.js, and prints the folder that they are in: beside an official
Pulumi, else built from Go modules. The first time this takes a few minutes.
`;

const SDK = "github.com/pulumi/pulumi/sdk/v3";
const HOST = "language-host";
const LANGUAGES = ["python", "go", "nodejs"] as const;
/** Runs Python programs. The host finds it beside itself. */
const PYTHON_RUNNER = "pulumi-language-python-exec";
/** The folders with the go.mod files that select the versions, and what is built with each. */
const PROGRAMS = {
  languages: {
    "older/pulumi-language-python": `${SDK}/python/cmd/pulumi-language-python`,
    "older/pulumi-language-go": `${SDK}/go/pulumi-language-go`,
  },
  "engine/language-host": {
    "older/pulumi-language-nodejs": `${SDK}/nodejs/cmd/pulumi-language-nodejs`,
  },
  [`engine/${ENGINES.newest}`]: {
    "pulumi-language-yaml": "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    [HOST]: `./${HOST}`,
  },
};
/** Another folder for other sources, so that each checkout finds its own. */
const FOLDER = join(VERSIONS, `languages-${hash()}`);
const PARTIAL = ".languages.partial-";

const run = promisify(execFile);

/**
 * Provides Pulumi's language hosts, and returns the folder to add to PATH in front of the engine's: those of an official
 * installation of Pulumi, else built ones. The first time takes minutes.
 */
export async function getLanguages(): Promise<string> {
  const { bin } = await getEngine(ENGINES.newest);
  if (["python", "go", "yaml"].every((name) => existsSync(join(bin, `pulumi-language-${name}`)))) return bin;
  if (existsSync(FOLDER)) return FOLDER;
  mkdirSync(VERSIONS, { recursive: true });
  let stopWaiting = () => {};
  return withLock({
    folder: join(VERSIONS, ".languages.lock"),
    onWait: () => {
      stopWaiting = showProgress(() => "Waiting for another run that builds Pulumi's language hosts");
    },
    work: async () => {
      stopWaiting();
      removeLeftovers();
      if (!existsSync(FOLDER)) await build();
      return FOLDER;
    },
  });
}

/** Builds into a temporary folder, so that the final one is complete if it exists. */
async function build(): Promise<void> {
  await checkGo();
  const partial = join(VERSIONS, `${PARTIAL}${process.pid}`);
  mkdirSync(join(partial, "older"), { recursive: true });
  try {
    await buildWithGo(
      Object.entries(PROGRAMS).flatMap(([module, programs]) =>
        Object.entries(programs).map(([name, source]) => ({
          output: join(partial, name),
          module: join(import.meta.dirname, module),
          source,
        })),
      ),
    );
    const { stdout } = await run("go", ["list", "-m", "-f", "{{.Dir}}", SDK], {
      cwd: join(import.meta.dirname, "languages"),
      env: { ...process.env, GOWORK: "off" },
    });
    await cp(join(stdout.trim(), "python/cmd", PYTHON_RUNNER), join(partial, "older", PYTHON_RUNNER));
    for (const name of LANGUAGES) symlinkSync(HOST, join(partial, `pulumi-language-${name}`));
    renameSync(partial, FOLDER);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Removes what killed runs left. The lock is held, so that no other run can own it. */
function removeLeftovers() {
  for (const name of readdirSync(VERSIONS)) {
    if (name.startsWith(PARTIAL)) rmSync(join(VERSIONS, name), { recursive: true, force: true });
  }
}

function hash(): string {
  const digest = createHash("sha256");
  for (const module of Object.keys(PROGRAMS)) {
    const folder = join(import.meta.dirname, module);
    for (const file of globSync(["go.*", "*/*.go"], { cwd: folder }).toSorted()) {
      digest.update(file).update(readFileSync(join(folder, file)));
    }
  }
  return digest.digest("hex").slice(0, 8);
}

if (import.meta.main) {
  parseOptions(HELP, {});
  try {
    console.log(await getLanguages());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
