import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findExecutable, foldersOf, isExecutable } from "../../scripts/find-executable.mts";
import { withLock } from "../../scripts/lock.mjs";

const run = promisify(execFile);

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ADVICE =
  "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";

/**
 * Finds the Chromium for the tests of the UI: `CHROMIUM_PATH`, else one on PATH, else Debian's package, which is installed
 * if that needs no password. The first time on a machine takes about a minute.
 */
export async function getChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.CHROMIUM_PATH) {
    if (isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(`CHROMIUM_PATH is ${env.CHROMIUM_PATH}, which is no program. ${ADVICE}`);
  }
  return (
    onPath(NAMES, env) ??
    (await withLock({
      folder: join(env.TMPDIR ?? tmpdir(), "pulumi-webhooks-chromium.lock"),
      onWait: () => console.error("Waiting for another run that installs Chromium …"),
      work: async () => onPath(NAMES, env) ?? install(env),
    }))
  );
}

async function install(env: NodeJS.ProcessEnv): Promise<string> {
  if (!onPath(["apt-get"], env)) {
    throw new Error(`Chromium was not found, and there is no apt-get to install it. ${ADVICE}`);
  }
  console.error("Installing Chromium (apt-get install chromium) …");
  // A package that a killed run left half installed blocks all others. Without one, this does nothing.
  await asRoot(["dpkg", "--force-confold", "--configure", "-a"], env).catch(() => {
    // Then apt-get either succeeds or fails with the better message.
  });
  try {
    await asRoot(["apt-get", ...WAIT, "update"], env);
    await asRoot(["apt-get", ...WAIT, "install", "--yes", "--no-install-recommends", "chromium"], env);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const reason = said.split("\n").at(-1) || String(error);
    throw new Error(`Chromium was not found, and installing it failed: ${reason} ${ADVICE}`);
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
  // Never asks for a password: CI could not answer.
  else await run("sudo", ["--non-interactive", "env", ...quiet], { env });
}

function onPath(names: readonly string[], { PATH }: NodeJS.ProcessEnv): string | undefined {
  return names.map((name) => findExecutable(name, foldersOf(PATH))).find((file) => file !== undefined);
}
