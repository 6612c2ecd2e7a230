import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../examples/pipelines/github/recover.sh");
/** Stands for the command `resolve`: notes when it gets which arguments. */
const RESOLVE = `#!/usr/bin/env bash
printf '%s' "$(date +%s)" >> calls
printf '|%s' "$@" >> calls
echo >> calls
if [[ " $* " = *" --json "* ]]; then cat json; exit 3; fi
`;

/** Runs the script as Recover does, and returns what it says, and what the command got: the second, and the arguments. */
async function recover(entered: { NONE?: string; UNLOCK?: string }, noneFrom = Date.now()) {
  const cwd = mkdtempSync(join(tmpdir(), "pulumi-webhooks-recover-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, "resolve"), RESOLVE, { mode: 0o755 });
  writeFileSync(join(cwd, "json"), JSON.stringify({ noneFrom: new Date(noneFrom).toISOString() }, null, 2));
  const env = { PATH: process.env.PATH, STACK: "dev", RECOVER: "start Recover", UP: "run Up" };
  const answer = [SCRIPT, "answer", "./resolve"];
  const { stdout } = await promisify(execFile)("bash", answer, {
    cwd,
    env: { ...env, NONE: "", UNLOCK: "false", ...entered },
  }).catch((error) => error);
  const calls = readFileSync(join(cwd, "calls"), { encoding: "utf8", flag: "a+" }).trim().split("\n");
  return { said: stdout, calls: calls.filter(Boolean).map((call) => call.split("|")) };
}

it("waits until none is accepted", async () => {
  const noneFrom = Date.now() + 2000;
  const { calls } = await recover({ NONE: "invoices" }, noneFrom);
  const [second, ...given] = calls[1] ?? [];
  expect(given).toEqual(["--stack", "dev", "--none=invoices"]);
  expect(Number(second)).toBeGreaterThanOrEqual(Math.floor(noneFrom / 1000));
});

it.each([
  ["", []],
  ["all", ["--none"]],
  [
    " invoices ,Pay outs,$(exit),--json ",
    ["--none=invoices", "--none=Pay outs", "--none=$(exit)", "--none=--json"],
  ],
])("passes what a person enters as single arguments: %j", async (NONE, given) => {
  const { calls, said } = await recover({ NONE });
  expect(calls[1]?.slice(1)).toEqual(["--stack", "dev", ...given]);
  expect(said).toBe("Nothing is unresolved in dev\nTo continue, run Up.\n");
});

it("refuses to unlock and to answer at once", async () => {
  const { calls, said } = await recover({ NONE: "all", UNLOCK: "true" });
  expect(calls).toEqual([]);
  expect(said).toBe("Nothing was resolved in dev\nCorrect what is named below. Then start Recover.\n");
});
