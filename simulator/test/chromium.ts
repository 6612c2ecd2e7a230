import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findExecutable, foldersOf } from "../../scripts/find-executable.mts";
import { withLock } from "../../scripts/lock.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ADVICE =
  "Install Chromium (on Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";

/**
 * Returns the Chromium for the tests of the page: `CHROMIUM_PATH`, else one on PATH, else Debian's package, which it installs if
 * that requires no password. The first time on a machine takes about a minute.
 */
export async function getChromium(): Promise<string> {
  const { CHROMIUM_PATH, PATH } = process.env;
  const find = () =>
    CHROMIUM_PATH || NAMES.map((name) => findExecutable(name, foldersOf(PATH))).find((path) => path);
  if (!find()) {
    await withLock({
      folder: join(tmpdir(), "pulumi-webhooks-chromium.lock"),
      onWait: () => console.error("Waiting for another run to install Chromium."),
      work: async () => {
        if (!find()) await install();
      },
    });
  }
  const found = find();
  if (!found) throw new Error(`apt-get installed Chromium, but it is not on PATH. ${ADVICE}`);
  return found;
}

async function install(): Promise<void> {
  console.error("Installing Chromium (apt-get install chromium) …");
  // Completes what a killed run left half installed: it would block every other package. If that fails, so does apt-get.
  await asRoot(["dpkg", "--force-confold", "--configure", "-a"]).catch(() => {});
  try {
    await asRoot(["apt-get", ...WAIT, "update"]);
    await asRoot(["apt-get", ...WAIT, "install", "--yes", "--no-install-recommends", "chromium"]);
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const reason = output.split("\n").at(-1) || String(error);
    throw new Error(`Chromium is missing, and installing it failed: ${reason} ${ADVICE}`);
  }
}

// Another process may be installing a package.
const WAIT = ["-qq", "-o", "DPkg::Lock::Timeout=300"];

async function asRoot(command: readonly string[]): Promise<void> {
  // Never asks for a password: nobody may be there to enter it.
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
  const [file = "", ...args] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", ...command];
  await promisify(execFile)(file, args);
}
