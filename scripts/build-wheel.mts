// Builds the Python SDK as a wheel, and checks it as PyPI does.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseOptions } from "./command-line.mts";
import { ENGINES, getEngine } from "./engine.mts";
import { getLanguages } from "./languages.mts";

const HELP = `Usage: npm run build:wheel [-- --out <folder>]

Generates the Python SDK with Pulumi, builds it as a wheel, and checks the wheel with twine. Requires Python. Prints the path
of the wheel.

  --out <folder>  the folder to write to, which is emptied first (default: wheel)
`;

const { out = "wheel" } = parseOptions(HELP, { out: { type: "string" } });
const root = resolve(import.meta.dirname, "..");
const folder = resolve(root, out);
const files = join(import.meta.dirname, "python-sdk");
const work = mkdtempSync(join(tmpdir(), "pulumi-webhooks-wheel-"));
try {
  const [{ bin }, languages] = await Promise.all([getEngine(ENGINES.newest), getLanguages()]);
  const path = [languages, bin, process.env.PATH].join(delimiter);
  const schema = join(root, "src/plugin/schema.json");
  run("pulumi", ["package", "gen-sdk", schema, "--language", "python", "--out", work], path);
  const sdk = join(work, "python");
  // The generator writes a README into the package, and the metadata names one beside it.
  copyFileSync(join(files, "README.md"), join(sdk, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(sdk, "LICENSE"));

  const python = join(work, "venv/bin/python");
  run("python3", ["-m", "venv", join(work, "venv")]);
  run(python, ["-m", "pip", "install", "--quiet", "--requirement", join(files, "requirements.txt")]);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(python, ["-m", "build", "--wheel", "--outdir", folder, sdk]);
  const [wheel = ""] = globSync(join(folder, "*.whl"));
  run(python, ["-m", "twine", "check", "--strict", wheel]);
  console.log(wheel);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs a command. What it prints is shown on standard error. */
function run(command: string, args: string[], path = process.env.PATH): void {
  const env = { ...process.env, PATH: path, PULUMI_SKIP_UPDATE_CHECK: "true" };
  execFileSync(command, args, { env, stdio: ["ignore", process.stderr, process.stderr] });
}
