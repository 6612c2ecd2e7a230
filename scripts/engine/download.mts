// Downloads the official Pulumi with the installer of the SDK.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { showProgress } from "../progress.mts";

const REACH_MS = 5_000;
const DOWNLOAD_MS = 300_000;

/** Downloads the official Pulumi into `folder`. Fails within seconds if the network refuses. */
export async function download(version: string, folder: string): Promise<void> {
  const stop = showProgress(() => `Downloading Pulumi ${version}`);
  try {
    // Runs in its own process: the installer has no time limit and accepts no signal. The variable makes its requests use
    // HTTPS_PROXY; Node.js 22 warns that this is experimental, and the output is the reason of a failure.
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), version, folder], {
      env: { ...process.env, NODE_USE_ENV_PROXY: "1", NODE_NO_WARNINGS: "1" },
      timeout: DOWNLOAD_MS,
    });
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    stop();
  }
}

function reasonOf(error: unknown): string {
  const { killed, stderr } = Object(error);
  if (killed) return `timed out after ${DOWNLOAD_MS / 60_000} minutes`;
  return String(stderr).trim() || String(error);
}

async function install(version: string, folder: string) {
  const script = "https://get.pulumi.com/install.sh";
  try {
    // The installer itself waits two minutes.
    await fetch(script, { method: "HEAD", signal: AbortSignal.timeout(REACH_MS) });
  } catch (error) {
    const { cause, message } = Object(error);
    throw new Error(`${script} cannot be reached (${cause?.message || cause?.code || message})`);
  }
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  const { SemVer } = createRequire(import.meta.resolve("@pulumi/pulumi"))("semver");
  await PulumiCommand.install({ version: new SemVer(version), root: folder });
}

if (import.meta.main) {
  const [version = "", folder = ""] = process.argv.slice(2);
  await install(version, folder).catch((error) => {
    console.error(error.message);
    // A connection without a reply would keep the process alive.
    process.exit(1);
  });
}
