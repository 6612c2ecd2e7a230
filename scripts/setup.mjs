// Installs the dependencies when they are not what package-lock.json says. npm scripts run it first, so a plain clone works.
// Plain JavaScript without dependencies: it runs before there is a node_modules, on whatever Node the machine has.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!isInstalled()) {
  // Not inside node_modules, which npm ci empties.
  const name = `pulumi-webhooks-setup-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
  await withLock({
    folder: join(tmpdir(), name),
    onWait: () => console.error("Another run is installing the dependencies: waiting for it."),
    work: async () => {
      if (!isInstalled()) await install();
    },
  });
}

function isInstalled() {
  return hasAllPackages() && hasGoodNode();
}

/**
 * npm writes node_modules/.package-lock.json last, with what it really installed. So an interrupted install has none, and
 * comparing content needs no timestamps, which a checkout changes.
 */
function hasAllPackages() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf("node_modules/.package-lock.json");
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === "") return true;
    const found = present[path];
    // The optional ones are for other platforms.
    return found ? found.version === version && found.integrity === integrity : optional === true;
  });
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(join(root, lockFile), "utf8")).packages;
}

/** The dev dependency `node` gives npm scripts a newer Node than the machine's, by an install script. */
function hasGoodNode() {
  const isNew = Number.parseInt(process.versions.node, 10) >= 24;
  return isNew || ["node", "node.exe"].some((file) => existsSync(join(root, "node_modules/node/bin", file)));
}

async function install() {
  console.error("Installing the dependencies (npm ci) …");
  const code = await runNpmCi();
  if (code === 0 && isInstalled()) return;
  if (code === 0 && !hasGoodNode()) {
    console.error(
      `npm ci did not run the install script of the package "node", which brings Node 24 (this is ${process.version}).\n` +
        "Allow install scripts (npm config set ignore-scripts false), or install Node 24, and try again.",
    );
  } else {
    console.error(
      `The dependencies could not be installed: npm ci ended with ${code}; what npm says is above.\n` +
        "Check that the npm registry can be reached (npm ping) and try again. Where package.json and\n" +
        "package-lock.json disagree, run npm install.",
    );
  }
  process.exitCode = 1;
}

function runNpmCi() {
  // npm scripts put node_modules/.bin first on the PATH: npm must not run on the Node that it is about to remove.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .join(delimiter);
  // Only errors: the warnings are about the machine's own Node, which no npm script uses.
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
