// Provides Pulumi's language hosts, with which the tests install and run programs in Python, Go, YAML and TypeScript.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseOptions } from "./command-line.mts";
import { getEngine } from "./engine.mts";
import { buildWithGo, checkGo } from "./go-build.mts";
import { installOnce } from "./install-once.mts";

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
  "engine/newest": {
    "pulumi-language-yaml": "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    [HOST]: `./${HOST}`,
  },
};

const run = promisify(execFile);

/**
 * Provides Pulumi's language hosts, and returns the folder to add to PATH in front of the engine's: those of an official
 * installation of Pulumi, else built ones. The first time takes minutes.
 */
export async function getLanguages(): Promise<string> {
  const { bin } = await getEngine("newest");
  if (["python", "go", "yaml"].every((name) => existsSync(join(bin, `pulumi-language-${name}`)))) return bin;
  // Another folder for other sources, so that each checkout finds its own.
  return installOnce({ name: `languages-${hash()}`, title: "Pulumi's language hosts", install: build });
}

async function build(folder: string): Promise<void> {
  await checkGo();
  mkdirSync(join(folder, "older"), { recursive: true });
  await buildWithGo(
    Object.entries(PROGRAMS).flatMap(([module, programs]) =>
      Object.entries(programs).map(([name, source]) => ({
        output: join(folder, name),
        module: join(import.meta.dirname, module),
        source,
      })),
    ),
  );
  const { stdout } = await run("go", ["list", "-m", "-f", "{{.Dir}}", SDK], {
    cwd: join(import.meta.dirname, "languages"),
    env: { ...process.env, GOWORK: "off" },
  });
  await cp(join(stdout.trim(), "python/cmd", PYTHON_RUNNER), join(folder, "older", PYTHON_RUNNER));
  for (const name of LANGUAGES) symlinkSync(HOST, join(folder, `pulumi-language-${name}`));
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
