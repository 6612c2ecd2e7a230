import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "../temporary-folder.js";
import { Artifacts, GITHUB_TOKEN } from "./github-artifacts.js";

const SCRIPT = join(import.meta.dirname, "../../examples/pipelines/recover.sh");
/** Stands for the command `resolve`: notes which arguments it gets, and says what it is to say. */
const RESOLVE = `printf '%s|' "$@" >> calls
echo >> calls
if [ "\${REFUSAL-}" ]; then echo "error: $REFUSAL"; exit 1; fi`;

const write = (folder: string, name: string, text: string) =>
  writeFileSync(join(folder, name), `#!/usr/bin/env bash\n${text}\n`, { mode: 0o755 });

/** Runs the script, and returns what it says and its exit code. */
async function run(args: readonly string[], cwd: string, variables: Record<string, string>) {
  const PATH = `${cwd}:${process.env.PATH}`;
  const env = { PATH, HOME: cwd, STACK: "dev", RECOVER: "start Recover", UP: "run Up", ...variables };
  const options = { cwd, env };
  const running = promisify(execFile)("bash", [SCRIPT, ...args], options);
  const { code = 0, stdout } = await running.catch((error) => error);
  return { code, said: stdout };
}

/** Runs the script as Recover does, and returns what it says, and the arguments that the command got. */
async function recover(entered: { NONE?: string; UNLOCK?: string; REFUSAL?: string }) {
  const cwd = makeFolder();
  write(cwd, "resolve", RESOLVE);
  const { said } = await run(["answer", "resolve"], cwd, entered);
  const calls = readFileSync(join(cwd, "calls"), { encoding: "utf8", flag: "a+" }).trim().split("\n");
  return { said, calls: calls.filter(Boolean).map((call) => call.split("|").slice(0, -1)) };
}

it("refuses an answer that comes too early, and says from when it is accepted", async () => {
  const REFUSAL =
    "The state was not changed. Look again after 2026-01-01T14:05:30Z, and answer then: orders.";
  const { calls, said } = await recover({ NONE: "orders", REFUSAL });
  expect(calls).toEqual([["--stack", "dev", "--none=orders"]]);
  expect(said).toBe(
    "Nothing was resolved in dev\nLook again after 2026-01-01T14:05:30Z. Then start Recover.\n" +
      `error: ${REFUSAL}\n`,
  );
});

it("says what to correct if a token may only read, whatever the report says of when to answer", async () => {
  const report =
    "orders: unresolved.\n  It may still take effect. Look again after 2026-01-01T14:05:30Z: no answer is accepted before.";
  const { said } = await recover({ NONE: "", REFUSAL: `${report}\nerror: import failed: [403] Forbidden` });
  expect(said).toContain("Nothing was resolved in dev\nCorrect what is named below. Then start Recover.\n");
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
  expect(said).toContain("Nothing was resolved in dev\nCorrect what is named below. Then start Recover.\n");
});

const URN = "urn:pulumi:dev::hooks::pulumi-nodejs:dynamic/webhooks:Webhook::orders";
const update = async (entered: Record<string, string>) => {
  const cwd = makeFolder();
  write(cwd, "pulumi", `[ "$1" = up ] && echo "$*" || echo '{ "urn": "${URN}" }'`);
  return run(["update"], cwd, entered);
};

it.each([
  [{}, ""],
  [{ RESTORE: "true" }, " --refresh --run-program"],
  [{ REPLACE: ` orders,${URN}` }, ` --refresh=false --replace=**:Webhook::orders --replace=${URN}`],
])("an update undoes drift, or creates gone webhooks again: %j", async (entered, options) => {
  const up = `up --yes --stack dev --color never --suppress-progress${options}\n`;
  expect(await update(entered)).toEqual({ code: 0, said: up });
});

it.each(["refunds", "*", "**::Webhook::*"])("an update replaces nothing unknown: %s", async (REPLACE) => {
  expect(await update({ REPLACE })).toEqual({ code: 2, said: `error: dev has no webhook ${REPLACE}.\n` });
});

describe("what failed jobs knew", () => {
  const home = (folder: string) => join(folder, ".pulumi");
  const note = (folder: string, file: string, text?: string) => {
    const path = join(home(folder), "webhooks/backend", `${file}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  let artifacts: Artifacts;
  beforeEach(() => {
    artifacts = new Artifacts();
  });
  const keep = (notes: Record<string, string>, run?: Parameters<Artifacts["keep"]>[2]) => {
    const machine = makeFolder();
    for (const [file, text] of Object.entries(notes)) note(machine, file, text);
    artifacts.keep("notes-dev", home(machine), run);
  };
  /** Runs an act of the script as a job of GitHub does. */
  const act = async (cwd: string, name: string, entered: Record<string, string> = {}) => {
    await using github = await artifacts.serve();
    const variables = {
      ...{ GITHUB_API_URL: github.url, GITHUB_TOKEN, GITHUB_SERVER_URL: "https://github.com" },
      ...{ GITHUB_REPOSITORY: "acme/webhooks", GITHUB_REF_NAME: "main", NOTES: "notes-dev" },
    };
    return await run([name, ...(name === "answer" ? ["resolve"] : [])], cwd, { ...variables, ...entered });
  };

  it("is put back over what is there, if the deploying workflows have kept it on their branch", async () => {
    keep({ a: "old", b: "b" });
    const path = ".github/workflows/up.yml@refs/heads/main";
    keep({ a: "new" }, { path, event: "workflow_dispatch" });
    for (const run of [
      { head_repository_id: 2 },
      { event: "pull_request" },
      { head_branch: "feature" },
      { path: ".github/workflows/diff.yml" },
    ])
      keep({ a: "forged", forged: "" }, run);
    // They come on several pages.
    for (let count = 0; count < 100; count++) keep({ c: "" }, { head_branch: "feature" });
    const machine = makeFolder();
    note(machine, "a", "older");
    const { code, said } = await act(machine, "restore");
    expect(code, said).toBe(0);
    expect(["a", "b"].map((file) => readFileSync(note(machine, file), "utf8"))).toEqual(["new", "b"]);
    for (const file of ["c", "forged"]) expect(existsSync(note(machine, file))).toBe(false);

    const count = artifacts.list.length;
    await act(machine, "forget", { KEPT: "skipped" });
    expect(artifacts.list).toHaveLength(count);
    // All is recorded.
    for (const file of ["a", "b"]) rmSync(note(machine, file));
    await act(machine, "forget", { KEPT: "skipped" });
    expect(artifacts.list).toHaveLength(count - 2);
  });

  it("is forgotten once the job has kept it again", async () => {
    keep({ a: "a" });
    const machine = makeFolder();
    await act(machine, "restore");
    await act(machine, "forget", { KEPT: "success" });
    expect(artifacts.list).toHaveLength(0);
  });

  it("ends a job before it creates anything if it has expired, until a person has looked", async () => {
    keep({ a: "a" });
    for (const one of artifacts.list) one.expired = true;
    const machine = makeFolder();
    const resources = ["webhooks:index:Webhook::orders", "pulumi:pulumi:Stack::hooks-dev"].map((end) => ({
      type: end.split("::")[0],
      urn: `urn:pulumi:dev::hooks::${end}`,
      id: "1",
    }));
    const state = JSON.stringify({ deployment: { resources } });
    write(machine, "pulumi", `echo 'Logging in using access token' >&2; echo '${state}'`);
    write(machine, "resolve", RESOLVE);
    const refused = await act(machine, "restore", { NONE: "orders" });
    expect(refused).toEqual({
      code: 1,
      said: `What a failed job of dev knew has expired
Look in the dashboard for webhooks that were created at about the time of that job, and that the list below does not keep. Delete them there. Then start Recover with none: all. After that, run Up.
A job that ended at about 2026-01-01T12:00:00Z: https://github.com/acme/webhooks/actions/runs/1
Keep webhook 1, which is that of orders.
`,
    });
    for (const entered of [{ UNLOCK: "true" }, { NONE: "none: all" }])
      expect((await act(machine, "restore", entered)).code).toBe(0);
    await act(machine, "answer", { NONE: "all", REFUSAL: "The state was not changed." });
    await act(machine, "forget", { KEPT: "success" });
    expect(artifacts.list).toHaveLength(1);
    await act(machine, "answer", { NONE: "all" });
    await act(machine, "forget", { KEPT: "success" });
    expect(artifacts.list).toHaveLength(0);
  });
});
