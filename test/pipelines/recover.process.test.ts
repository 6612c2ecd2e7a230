import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { makeFolder } from "../temporary-folder.js";

const SCRIPT = join(import.meta.dirname, "../../examples/pipelines/recover.sh");
/** Stands for the command `resolve`: notes which arguments it gets, and says what it is to say. */
const RESOLVE = `#!/usr/bin/env bash
printf '%s|' "$@" >> calls
echo >> calls
if [ "\${REFUSAL-}" ]; then echo "error: $REFUSAL"; exit 1; fi
`;

/** Runs the script as Recover does, and returns what it says, and the arguments that the command got. */
async function recover(entered: { NONE?: string; UNLOCK?: string; REFUSAL?: string }) {
  const cwd = makeFolder();
  writeFileSync(join(cwd, "resolve"), RESOLVE, { mode: 0o755 });
  const env = { PATH: process.env.PATH, STACK: "dev", RECOVER: "start Recover", UP: "run Up" };
  const answer = [SCRIPT, "answer", "./resolve"];
  const { stdout } = await promisify(execFile)("bash", answer, {
    cwd,
    env: { ...env, NONE: "", UNLOCK: "false", ...entered },
  }).catch((error) => error);
  const calls = readFileSync(join(cwd, "calls"), { encoding: "utf8", flag: "a+" }).trim().split("\n");
  return { said: stdout, calls: calls.filter(Boolean).map((call) => call.split("|").slice(0, -1)) };
}

it("refuses an answer that comes too early, and says from when it is accepted", async () => {
  const REFUSAL =
    "The state was not changed. Look again after 2026-01-01T14:05:30Z, and answer then: orders.";
  const { calls, said } = await recover({ NONE: "orders", REFUSAL });
  expect(calls).toEqual([["--stack", "dev", "--none=orders"]]);
  expect(said).toBe(
    "Nothing was resolved in dev\nLook again after 2026-01-01T14:05:30Z. Then start Recover.\n",
  );
});

it.each([
  ["", ["--record"]],
  ["all", ["--none"]],
  [
    " invoices ,Pay outs,$(exit),--json ",
    ["invoices", "Pay outs", "$(exit)", "--json"].map((name) => `--none=${name}`),
  ],
])("passes what a person enters as single arguments: %j", async (NONE, given) => {
  const { calls, said } = await recover({ NONE });
  expect(calls).toEqual([["--stack", "dev", ...given]]);
  expect(said).toBe("Nothing is unresolved in dev\nTo continue, run Up.\n");
});

it("refuses to unlock and to answer at once", async () => {
  const { calls, said } = await recover({ NONE: "all", UNLOCK: "true" });
  expect(calls).toEqual([]);
  expect(said).toBe("Nothing was resolved in dev\nCorrect what is named below. Then start Recover.\n");
});
