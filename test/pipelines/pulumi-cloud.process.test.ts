import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const EXAMPLES = join(import.meta.dirname, "../../examples/pipelines");

it.each([
  ["github", ".github/workflows/{deploy,diff,drift,recover,up}.yml"],
  ["gitlab", ".gitlab-ci.yml"],
])("the patch for Pulumi Cloud replaces the bucket and the passphrase (%s)", (name, files) => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-patch-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  execFileSync("git", ["apply", "pulumi-cloud.patch"], { cwd: folder, stdio: "pipe" });
  const paths = globSync(files, { cwd: folder });
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) {
    const patched = parse(readFileSync(join(folder, path), "utf8"));
    // The check of a merge request has a stack of its own.
    const { check: _, ...rest } = patched;
    expect(JSON.stringify(rest)).not.toMatch(/BACKEND_URL|PASSPHRASE|aws|STATE_|id.token/i);
    if (!path.endsWith("deploy.yml")) expect(JSON.stringify(rest)).toContain("PULUMI_ACCESS_TOKEN");
    expect(JSON.stringify(rest)).not.toMatch(/(?:STACK":"|--stack )(?:production|dev|\$\{\{)/);
  }
});
