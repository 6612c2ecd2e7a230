import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtFile, start } from "./built-command.js";

it("ends with the pulumi plugin run that started it, which passes no Ctrl-C on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-"));
  // The name counts. Small images have no ps on PATH.
  const pulumi = join(folder, "pulumi");
  writeFileSync(pulumi, '#!/bin/sh\n"$@" </dev/null & wait');
  chmodSync(pulumi, 0o755);
  const script = `require(${JSON.stringify(builtFile("dist/commands/end-with-pulumi.js"))}).endWithPulumi();
    setInterval(() => {}, 60_000);
    console.log("pid", process.pid);`;
  using cli = start([pulumi, process.execPath, "-e", script], {}, folder);
  await cli.printed("\n");
  const pid = Number(/pid (\d+)/.exec(cli.output.out)?.[1]);
  expect(process.kill(pid, 0)).toBe(true);
  cli.child.kill("SIGKILL");
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  rmSync(folder, { recursive: true });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
