// Installs the dependencies if they differ from package-lock.json. npm scripts run it first, so that a plain clone works.
// Plain JavaScript without dependencies: it runs before node_modules exists, on the machine's own Node.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!isInstalled()) {
  // Outside node_modules, which npm ci empties.
  const name = `pulumi-webhooks-setup-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
  await withLock({
    folder: join(tmpdir(), name),
    onWait: () => console.error("Waiting for another run that installs the dependencies …"),
    work: async () => {
      if (!isInstalled()) await install();
    },
  });
}

function isInstalled() {
  return hasAllPackages() && hasGoodNode();
}

/**
 * Compares node_modules/.package-lock.json with package-lock.json. npm writes it last, so that an interrupted install has
 * none. Timestamps prove nothing: a checkout changes them.
 */
function hasAllPackages() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf("node_modules/.package-lock.json");
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === "") return true;
    const found = present[path];
    // Optional packages may be for other platforms.
    return found ? found.version === version && found.integrity === integrity : optional === true;
  });
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(join(root, lockFile), "utf8")).packages;
}

/** Reports whether npm scripts get a Node that runs the tests: Node 24 of the dev dependency `node`, or the machine's own. */
function hasGoodNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 19);
  return isNew || ["node", "node.exe"].some((file) => existsSync(join(root, "node_modules/node/bin", file)));
}

async function install() {
  console.error("Installing the dependencies (npm ci) …");
  const code = await runNpmCi();
  if (code === 0 && isInstalled()) return;
  if (code === 0 && !hasGoodNode()) {
    console.error(
      `npm ci did not run the install script of the package "node", which installs Node 24 (this is ${process.version}).\n` +
        "Allow install scripts (npm config set ignore-scripts false), or install Node 22.19 or newer. Then try again.",
    );
  } else {
    console.error(
      `npm ci ended with ${code}; its output is above. Check that the npm registry is reachable (npm ping) and try again.\n` +
        "If package.json and package-lock.json disagree, run npm install.",
    );
  }
  process.exitCode = 1;
}

function runNpmCi() {
  // npm scripts put node_modules/.bin first on PATH, but npm must not run on the Node that it is about to remove.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .join(delimiter);
  // Errors only: the warnings are about the machine's own Node, which no npm script uses.
  const args = ["ci", "--include=dev", "--loglevel=error", "--no-audit", "--no-fund"];
  const npm = spawn("npm", args, {
    cwd: root,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  return new Promise((resolve) => {
    npm.once("error", (error) => resolve(`"${error.message}"`));
    npm.once("close", (code, signal) => resolve(code ?? signal));
  });
}
