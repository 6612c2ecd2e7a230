// Builds Pulumi from its Go modules, for machines that reach package registries only.

import { execFile, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { showProgress } from "./progress.mts";

const PROGRAMS = [
  {
    name: "pulumi-language-nodejs",
    module: "language-host",
    source: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  { name: "pulumi", module: "cli", source: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
];

/** Builds Pulumi into `folder`, with the module versions of the go.mod files beside this one. */
export async function build(version: string, folder: string): Promise<void> {
  if (process.platform === "win32") throw new Error("not supported on Windows");
  await checkGo();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const dynamicProvider = "pulumi-resource-pulumi-nodejs";
  const sdk = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  copyFileSync(join(sdk, dynamicProvider), join(bin, dynamicProvider));
  chmodSync(join(bin, dynamicProvider), 0o755);

  console.error(
    `Building Pulumi ${version} from its Go modules. This takes 4 to 8 minutes, once on this machine.`,
  );
  for (const [index, { name, module, source }] of PROGRAMS.entries()) {
    let latest = "";
    const stop = showProgress(
      () => `Building ${name} (${index + 1} of ${PROGRAMS.length})`,
      () => latest,
    );
    try {
      await goBuild({ version, module, source, output: join(bin, name), onLine: (line) => (latest = line) });
    } finally {
      stop();
    }
  }
}

async function checkGo() {
  // "local" is the installed version, not the one that go would fetch for a module.
  const env = { ...process.env, GOTOOLCHAIN: "local" };
  const { stdout } = await promisify(execFile)("go", ["version"], { env }).catch((error) => {
    throw new Error(error.code === "ENOENT" ? "go was not found on PATH" : error.message, { cause: error });
  });
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  // 1.21 is the first that fetches the newer Go that go.mod names.
  if (Number(major) === 1 && Number(minor) < 21) {
    throw new Error(`go is ${major}.${minor}, but 1.21 or newer is required`);
  }
}

interface GoBuild {
  version: string;
  module: string;
  source: string;
  output: string;
  onLine: (line: string) => void;
}

async function goBuild({ version, module, source, output, onLine }: GoBuild) {
  const setVersion = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  const flags = ["-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", `-s -w ${setVersion}`];
  const go = spawn("go", ["build", ...flags, "-o", output, source], {
    cwd: fileURLToPath(new URL(module, import.meta.url)),
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = new Promise((resolve) => {
    go.once("error", (error) => resolve(error.message));
    go.once("close", (code, signal) => resolve(code ?? signal));
  });
  const messages: string[] = [];
  for await (const line of createInterface(go.stderr)) {
    onLine(line);
    // The other lines are progress: downloads, and bare package names.
    if (line.includes(" ") && !line.startsWith("go: downloading ")) messages.push(line);
  }
  const code = await exit;
  if (code !== 0)
    throw new Error(`go build of ${source} ended with ${code}:\n${messages.slice(-20).join("\n")}`);
}
