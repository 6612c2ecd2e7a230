// Provides what runs programs in Python, Go and YAML in the tests: Pulumi's language hosts, and its generators of SDKs.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseOptions } from "./command-line.mts";
import { ENGINES } from "./engine.mts";
import { buildWithGo, checkGo } from "./go-build.mts";
import { installOnce } from "./install-once.mts";

const HELP = `Usage: node scripts/languages.mts

Builds Pulumi's language hosts for Python, Go and YAML, and its generators of SDKs, from their Go modules, and prints the folder
that they are in. The first time this takes a few minutes.
`;

const SDK = "github.com/pulumi/pulumi/sdk/v3";
const GENERATOR = "generate-sdk";
/** The folders with the go.mod files that select the versions, and what is built with each. */
const PROGRAMS = {
  languages: {
    "pulumi-language-python": `${SDK}/python/cmd/pulumi-language-python`,
    "pulumi-language-go": `${SDK}/go/pulumi-language-go`,
  },
  [`engine/${ENGINES.newest}`]: {
    "pulumi-language-yaml": "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    [GENERATOR]: `./${GENERATOR}`,
  },
};
/** Runs Python programs. The host finds it beside itself. */
const PYTHON_RUNNER = "pulumi-language-python-exec";

const run = promisify(execFile);

/** Provides the programs, and returns the folder to add to PATH behind the engine's. The first time takes minutes. */
export function getLanguages(): Promise<string> {
  // Another folder for other sources, so that each checkout finds its own.
  return installOnce({ name: `languages-${hash()}`, title: "Pulumi's language hosts", install: build });
}

/** Generates the SDK of a language from the plugin's schema, as `pulumi package add` does. */
export async function generateSdk(
  language: "nodejs" | "python" | "go",
  { schema, folder }: { schema: string; folder: string },
): Promise<void> {
  await run(join(await getLanguages(), GENERATOR), [schema, language, folder]);
}

async function build(folder: string): Promise<void> {
  await checkGo();
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
  await cp(join(stdout.trim(), "python/cmd", PYTHON_RUNNER), join(folder, PYTHON_RUNNER));
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
