import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "../../scripts/lock.mjs";

const run = promisify(execFile);

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ADVICE =
  "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";

/**
 * Returns the Chromium for the UI's tests: `CHROMIUM_PATH`, else one on PATH, else Debian's package, which it installs if
 * that requires no password. The first time on a machine takes about a minute.
 */
export async function getChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.CHROMIUM_PATH) {
    if (isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(`CHROMIUM_PATH is ${env.CHROMIUM_PATH}, which is not a program. ${ADVICE}`);
  }
  return (
    onPath(NAMES, env) ??
    (await withLock({
      folder: join(env.TMPDIR ?? tmpdir(), "pulumi-webhooks-chromium.lock"),
      onWait: () => console.error("Waiting for another run to install Chromium."),
      work: async () => onPath(NAMES, env) ?? install(env),
    }))
  );
}

async function install(env: NodeJS.ProcessEnv): Promise<string> {
  if (!onPath(["apt-get"], env)) {
    throw new Error(`Chromium is missing, and there is no apt-get to install it. ${ADVICE}`);
  }
  console.error("Installing Chromium (apt-get install chromium) …");
  // Completes what a killed run left half installed: it would block every other package.
  await asRoot(["dpkg", "--force-confold", "--configure", "-a"], env).catch(() => {
    // Then apt-get fails too, with a better message, or repairs it.
  });
  try {
    await asRoot(["apt-get", ...WAIT, "update"], env);
    await asRoot(["apt-get", ...WAIT, "install", "--yes", "--no-install-recommends", "chromium"], env);
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const reason = output.split("\n").at(-1) || String(error);
    throw new Error(`Chromium is missing, and installing it failed: ${reason} ${ADVICE}`);
  }
  const installed = onPath(NAMES, env);
  if (!installed) throw new Error(`apt-get installed Chromium, but it is not on PATH. ${ADVICE}`);
  return installed;
}

// Another process may be installing a package.
const WAIT = ["-qq", "-o", "DPkg::Lock::Timeout=300"];

async function asRoot(command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const quiet = ["DEBIAN_FRONTEND=noninteractive", ...command];
  if (process.getuid?.() === 0) await run("env", quiet, { env });
  // Never asks for a password: nobody may be there to enter it.
  else await run("sudo", ["--non-interactive", "env", ...quiet], { env });
}

function onPath(names: readonly string[], { PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
