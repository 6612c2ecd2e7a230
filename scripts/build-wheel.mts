// Builds the Python SDK as a wheel, and checks it as PyPI does.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseOptions } from "./command-line.mts";

const HELP = `Usage: npm run build:wheel [-- --out <folder>]

Builds the Python SDK in sdk/python as a wheel, and checks it with twine. Requires Python. Prints the path of the wheel.

  --out <folder>  the folder to write to, which is emptied first (default: wheel)
`;

const { out = "wheel" } = parseOptions(HELP, { out: { type: "string" } });
const root = resolve(import.meta.dirname, "..");
const folder = resolve(root, out);
const work = mkdtempSync(join(tmpdir(), "pulumi-webhooks-wheel-"));
try {
  const sdk = join(work, "python");
  cpSync(join(root, "sdk/python"), sdk, { recursive: true });
  copyFileSync(join(root, "LICENSE"), join(sdk, "LICENSE"));

  const python = join(work, "venv/bin/python");
  run("python3", "-m", "venv", join(work, "venv"));
  const requirements = join(import.meta.dirname, "wheel-requirements.txt");
  run(python, "-m", "pip", "install", "--quiet", "--requirement", requirements);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(python, "-m", "build", "--wheel", "--outdir", folder, sdk);
  const [wheel = ""] = globSync(join(folder, "*.whl"));
  run(python, "-m", "twine", "check", "--strict", wheel);
  console.log(wheel);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs a command. What it prints is shown on standard error. */
function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", process.stderr, process.stderr] });
}
