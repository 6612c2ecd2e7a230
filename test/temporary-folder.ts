import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder, which the end of the test removes. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
