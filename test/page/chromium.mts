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
 * The Chromium that the page is tested in: `CHROMIUM_PATH`, else one on PATH, else Debian's package, which is installed
 * where that needs no password. The first time on a machine takes about a minute.
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
      onWait: () => console.error("Another run is installing Chromium: waiting for it."),
      work: async () => onPath(NAMES, env) ?? install(env),
    }))
  );
}

async function install(env: NodeJS.ProcessEnv): Promise<string> {
  if (!onPath(["apt-get"], env)) {
    throw new Error(`There is no Chromium here, and no apt-get to install it. ${ADVICE}`);
  }
  console.error("Installing Chromium (apt-get install chromium) …");
  // What a killed run left half installed is in the way of all others. Nothing of it: nothing happens.
  await asRoot(["dpkg", "--force-confold", "--configure", "-a"], env).catch(() => {
    // Then apt-get fails too, or mends it; its words are the better ones.
  });
  try {
    await asRoot(["apt-get", ...WAIT, "update"], env);
    await asRoot(["apt-get", ...WAIT, "install", "--yes", "--no-install-recommends", "chromium"], env);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const reason = said.split("\n").at(-1) || String(error);
    throw new Error(`There is no Chromium here, and it could not be installed: ${reason} ${ADVICE}`);
  }
  const installed = onPath(NAMES, env);
  if (!installed) throw new Error(`apt-get installed Chromium, and it is not on PATH. ${ADVICE}`);
  return installed;
}

// Something else may be installing a package just now.
const WAIT = ["-qq", "-o", "DPkg::Lock::Timeout=300"];

async function asRoot(command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const quiet = ["DEBIAN_FRONTEND=noninteractive", ...command];
  if (process.getuid?.() === 0) await run("env", quiet, { env });
  // Never asks for a password: whoever runs the tests may not be there.
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
