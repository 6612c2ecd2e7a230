// Generates the SDKs that a release publishes: the Go module and the Python package in sdk/.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseOptions } from "./command-line.mts";
import { ENGINES, getEngine } from "./engine.mts";
import { checkGo } from "./go-build.mts";
import { getLanguages } from "./languages.mts";

const HELP = `Usage: npm run sdks [-- --check]

Generates the Go module in sdk/go and the Python package in sdk/python from plugin/schema.json, with Pulumi ${ENGINES.newest}.
Requires Go.

  --check   write nothing; fail if an SDK is not what the schema gives

Exit codes: 0 done, or up to date; 1 out of date, or a tool is missing; 2 wrong usage.
`;

const root = join(import.meta.dirname, "..");
/** The lowest version of Pulumi's Go SDK that has what the generated one calls, and whose own dependencies can be had. */
const GO_SDK = "github.com/pulumi/pulumi/sdk/v3@v3.276.0";
/** The folders that are generated as a whole, and the files beside them. */
const FOLDERS = ["go/webhooks", "python/pulumi_webhooks"];
const FILES = ["go/go.mod", "go/go.sum", "go/pulumi-plugin.json", "python/pyproject.toml"];

const { check } = parseOptions(HELP, { check: { type: "boolean" } });
const work = mkdtempSync(join(tmpdir(), "pulumi-webhooks-sdks-"));
try {
  await generate();
  const stale = list(work)
    .concat(list(join(root, "sdk")))
    .filter((file) => read(join(work, file)) !== read(join(root, "sdk", file)));
  if (!check) write();
  else if (stale.length > 0) {
    console.error(`sdk/ is not what the schema gives. Run: npm run sdks\n${[...new Set(stale)].join("\n")}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function generate(): Promise<void> {
  await checkGo();
  const [{ bin, version }, languages] = await Promise.all([getEngine("newest"), getLanguages()]);
  if (version !== ENGINES.newest)
    throw new Error(
      `The SDKs are generated with Pulumi ${ENGINES.newest}, but the one on PATH is ${version}. Take it off PATH.`,
    );
  const path = [languages, bin, process.env.PATH].join(delimiter);
  const schema = join(root, "plugin/schema.json");
  for (const language of ["go", "python"])
    run("pulumi", ["package", "gen-sdk", schema, "--language", language, "--out", work], root, path);
  // Language hosts look for it here, and only the newest also in the package's folder.
  copyFileSync(join(work, "go/webhooks/pulumi-plugin.json"), join(work, "go/pulumi-plugin.json"));
  run("go", ["get", GO_SDK], join(work, "go"));
  run("go", ["mod", "tidy"], join(work, "go"));
}

function write(): void {
  for (const name of FOLDERS) {
    rmSync(join(root, "sdk", name), { recursive: true, force: true });
    cpSync(join(work, name), join(root, "sdk", name), { recursive: true });
  }
  for (const name of FILES) copyFileSync(join(work, name), join(root, "sdk", name));
}

/** Lists the generated files of an SDK folder. */
function list(folder: string): string[] {
  const patterns = [...FOLDERS.map((name) => `${name}/**/*.*`), ...FILES];
  return globSync(patterns, { cwd: folder });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function run(command: string, args: string[], cwd: string, path = process.env.PATH): void {
  const env = { ...process.env, PATH: path, PULUMI_SKIP_UPDATE_CHECK: "true", GOWORK: "off" };
  execFileSync(command, args, { cwd, env, stdio: ["ignore", process.stderr, process.stderr] });
}
