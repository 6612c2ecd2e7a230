import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { makeFolder } from "../temporary-folder.js";

const SCRIPT = join(import.meta.dirname, "../../scripts/release-notes.mts");

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0\n\n- a\n- b\n\n## 1.1.0\n\n- c\n";

let cwd: string;
beforeEach(async () => {
  cwd = makeFolder();
  await writeFile(join(cwd, "CHANGELOG.md"), CHANGELOG);
  await setVersion("1.2.0");
});

const setVersion = (version: string) => writeFile(join(cwd, "package.json"), JSON.stringify({ version }));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [SCRIPT, ...args], { cwd });

it("prints the section of the tag's version alone", async () => {
  expect(await run("--tag", "v1.2.0")).toMatchObject({ stdout: "- a\n- b\n" });
  await setVersion("1.1.0");
  expect(await run("--tag", "v1.1.0")).toMatchObject({ stdout: "- c\n" });
});

it.each([
  [["--tag", "v1.3.0"], 1, "The tag is v1.3.0, but the version in package.json is 1.2.0."],
  [["--tag", "v1.2"], 1, "CHANGELOG.md says nothing of 1.2.", "1.2"],
  [[], 2, "--tag is required."],
])("refuses %j", async (args, code, message, version = "1.2.0") => {
  await setVersion(version);
  const stderr = expect.stringContaining(message);
  await expect(run(...args)).rejects.toMatchObject({ code, stdout: "", stderr });
});
