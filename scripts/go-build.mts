// Builds programs from Go modules, for machines that reach package registries only.
import { execFile, spawn } from "node:child_process";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { showProgress } from "./progress.mts";

export interface GoProgram {
  /** The file to build. */
  output: string;
  /** The folder with the go.mod file that selects the versions. */
  module: string;
  /** The import path of the program, or `.` for the module itself. */
  source: string;
  /** More flags of the linker. */
  linkerFlags?: string;
}

/** Builds programs one after the other, and shows which. */
export async function buildWithGo(programs: GoProgram[]): Promise<void> {
  for (const [index, program] of programs.entries()) {
    let latest = "";
    const stop = showProgress(
      () => `Building ${basename(program.output)} (${index + 1} of ${programs.length})`,
      () => latest,
    );
    try {
      await buildOne(program, (line) => (latest = line));
    } finally {
      stop();
    }
  }
}

/** Throws if there is no Go that can build the programs. */
export async function checkGo(): Promise<void> {
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

async function buildOne(
  { output, module, source, linkerFlags = "" }: GoProgram,
  onLine: (line: string) => void,
): Promise<void> {
  const flags = ["-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", `-s -w ${linkerFlags}`];
  const go = spawn("go", ["build", ...flags, "-o", output, source], {
    cwd: module,
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
