// Sets the version wherever the repository names it. `npm version` runs it when package.json has the new one.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const { npm_old_version: before = "", npm_new_version: after = "" } = process.env;
if (before === "" || after === "") {
  console.error("npm version runs this script: npm version 1.2.3 --no-git-tag-version");
  process.exit(2);
}

/** What names the version. The SDKs in sdk are generated, but for their README. */
const PLACES = ["bench", "docs", "examples", "sdk/python/README.md", "simulator", "src", "template", "test"];

// The upgrade test reads states that older versions wrote.
const files = execFileSync("git", ["ls-files", ...PLACES, ":!test/e2e/fixtures"], { encoding: "utf8" });
const named = new RegExp(`(?<![\\d.])${before.replaceAll(".", "\\.")}(?![\\d.]*\\d)`, "g");
for (const file of files.trim().split("\n")) {
  const text = readFileSync(file, "utf8");
  // Other packages may have that version, too.
  const lines = text
    .split("\n")
    .map((line) => (/webhooks|version/i.test(line) ? line.replace(named, after) : line));
  if (lines.join("\n") !== text) writeFileSync(file, lines.join("\n"));
}

// npm sets the version of the root only.
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
lock.packages.simulator.version = after;
writeFileSync("package-lock.json", `${JSON.stringify(lock, undefined, 2)}\n`);
