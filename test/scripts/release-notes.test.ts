import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../scripts/release-notes.mts");
// Each test starts processes, beside those of other tests.
vi.setConfig({ testTimeout: 60_000 });

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0\n\n- a\n- b\n\n## 1.1.0\n\n- c\n";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "pulumi-webhooks-release-"));
  await writeFile(join(cwd, "CHANGELOG.md"), CHANGELOG);
  await setVersion("1.2.0");
});
afterEach(() => rm(cwd, { recursive: true }));

const setVersion = (version: string) => writeFile(join(cwd, "package.json"), JSON.stringify({ version }));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [SCRIPT, ...args], { cwd });

it("prints the section of the tag's version alone", async () => {
  expect(await run("--tag", "v1.2.0")).toMatchObject({ stdout: "- a\n- b\n" });
  await setVersion("1.1.0");
  expect(await run("--tag", "v1.1.0")).toMatchObject({ stdout: "- c\n" });
});

it("refuses a tag that is not the version, and a version that the changelog does not describe", async () => {
  await expect(run("--tag", "v1.3.0")).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("The tag is v1.3.0, but the version in package.json is 1.2.0."),
  });
  await setVersion("1.2");
  await expect(run("--tag", "v1.2")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("CHANGELOG.md says nothing of 1.2."),
  });
});

it("requires a tag", async () => {
  await expect(run()).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--tag is required."),
  });
});
