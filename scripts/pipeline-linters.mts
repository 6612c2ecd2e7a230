// Provides the linters of the pipelines in examples: cached, else built from a Go module, or installed from PyPI.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock.mjs";

const run = promisify(execFile);
const CACHE = resolve(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-webhooks");

interface Tool {
  name: string;
  version: string;
  /** Makes the tool in a folder. The folder is then renamed, so it must not contain its own path. */
  make: (folder: string, version: string) => Promise<void>;
  /** The command in that folder, and its first arguments. */
  command: (folder: string) => [string, ...string[]];
  /** What to do if it cannot be made. */
  requires: string;
}

const ACTIONLINT: Tool = {
  name: "actionlint",
  version: "1.7.12",
  make: async (folder, version) => {
    const env = { ...process.env, GOBIN: folder, GOWORK: "off", GOFLAGS: "" };
    await run("go", ["install", `github.com/rhysd/actionlint/cmd/actionlint@v${version}`], { env });
  },
  command: (folder) => [join(folder, "actionlint")],
  requires: "Install Go 1.21 or newer (https://go.dev/dl/), and check that its module proxy is reachable.",
};

const CHECK_JSONSCHEMA: Tool = {
  name: "check-jsonschema",
  version: "0.39.0",
  make: async (folder, version) => {
    await run("python3", ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    await run(join(folder, "bin/python"), [...pip, `check-jsonschema==${version}`]);
  },
  command: (folder) => [join(folder, "bin/python"), "-m", "check_jsonschema"],
  requires: "Install Python 3.11 or newer with venv, and check that PyPI is reachable.",
};

/** Lints GitHub workflows with actionlint. Returns what it found, or an empty text. */
export function runActionlint(files: readonly string[]): Promise<string> {
  // The file names that it could look for, a configuration and shellcheck, differ between machines.
  const options = ["-no-color", "-shellcheck=", "-pyflakes="];
  // 1.7.12 is older than this key. The schema of check-jsonschema knows it.
  return lint(ACTIONLINT, [...options, "-ignore", 'unexpected key "queue" for "concurrency"', ...files]);
}

/** Validates files against a schema that check-jsonschema contains. Returns what it found, or an empty text. */
export function runCheckJsonschema(schema: string, files: readonly string[]): Promise<string> {
  return lint(CHECK_JSONSCHEMA, ["--builtin-schema", schema, ...files]);
}

async function lint(tool: Tool, args: readonly string[]): Promise<string> {
  const [command, ...first] = tool.command(await provide(tool));
  try {
    await run(command, [...first, ...args]);
    return "";
  } catch (error) {
    // A finding ends with 1. Anything else is no answer.
    const { code, stdout, stderr } = Object(error);
    if (code !== 1) throw error;
    return `${stdout}${stderr}`;
  }
}

/** Returns the folder of a tool. The first time on a machine takes a minute. */
async function provide({ name, version, make, requires }: Tool): Promise<string> {
  const folder = join(CACHE, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  return withLock({
    folder: join(CACHE, `.${name}-${version}.lock`),
    onWait: () => console.error(`Waiting for another run that installs ${name} …`),
    work: async () => {
      if (existsSync(folder)) return folder;
      const partial = `${folder}.partial`;
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(partial);
      try {
        await make(partial, version);
      } catch (error) {
        const { stderr, message } = Object(error);
        throw new Error(`${name} ${version} could not be installed. ${requires}\n${stderr || message}`, {
          cause: error,
        });
      }
      renameSync(partial, folder);
      return folder;
    },
  });
}
