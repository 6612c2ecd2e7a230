import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

const WORKFLOWS = join(import.meta.dirname, "../../examples/pipelines/github/.github/workflows");
/** What a program prints that would end a code block between fences. */
const OUTPUT = "~~~~\n```\r~~~~\r<img src=x>\n\n    ~~~~\n# Approved";

const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-steps-"));
copyFileSync(join(WORKFLOWS, "../../../recover.sh"), join(folder, "recover.sh"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a step of a workflow, below some functions that stand for commands, and returns the Markdown and the exit code. */
function runStep(place: { workflow: string; job: string; step: string }, functions = "") {
  const { jobs } = parse(readFileSync(join(WORKFLOWS, `${place.workflow}.yml`), "utf8"));
  const { run } = jobs[place.job].steps.find(({ name }: { name?: string }) => name === place.step);
  const summary = join(folder, `${place.job}.md`);
  const { status } = spawnSync("bash", ["-eo", "pipefail", "-c", `${functions}\n${run}`], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      STACK: "production",
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: join(folder, "output"),
      PULUMI_BACKEND_URL: "s3://state",
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      WEBHOOKS_API_KEY: "key",
      RESULT: "success",
      NONE: "",
      UNLOCK: "false",
      RECOVER: "start the workflow Recover",
      UP: "run the workflow Up",
      PREVIEW: OUTPUT,
    },
  });
  return { status, markdown: readFileSync(summary, "utf8") };
}

/** The lines that are not code: not indented by four characters. */
const outsideCode = (markdown: string) => markdown.split(/[\r\n]+/).filter((line) => !/^ {4}|^$/.test(line));

const UP = { workflow: "up", job: "up", step: "Record what this machine knows, and say what to do" };

describe("nothing that a program prints leaves its code block in Markdown", () => {
  it("in the summary of a preview", () => {
    writeFileSync(join(folder, "preview.log"), OUTPUT);
    const step = { workflow: "diff", job: "preview", step: "Show the preview in the summary" };
    expect(outsideCode(runStep(step).markdown)).toEqual(["### Preview of production"]);
  });

  it("in the comment of a pull request, whatever its length", () => {
    const commands =
      'curl() { :; }; jq() { [ "$1" != --null-input ] || printf %s "$4" > "$GITHUB_STEP_SUMMARY"; }';
    const step = { workflow: "diff", job: "comment", step: "Write or update the comment" };
    const title = ["<!-- preview of production -->", "### Preview of production at : success"];
    const shown = [...title, "The whole preview is in [the summary]()."];
    expect(outsideCode(runStep(step, commands).markdown)).toEqual(shown);
    const { markdown } = runStep(step, `${commands}; PREVIEW=$(printf '~~~~\\n%.0s' {1..20000})`);
    expect(outsideCode(markdown)).toEqual(shown);
    expect(markdown.length).toBeLessThan(65_536);
  });

  // What a step says by the exit code of its command, and with which code the step itself ends.
  const steps = { drift: "Compare with the API", recover: "Resolve" };
  const unread = "### Nothing was resolved in production";
  it.each([
    ["drift", 0, "### No drift", undefined, 0],
    ["drift", 7, "### Drift", "run the workflow Up with restore", 7],
    ["drift", 3, "### Not compared", "Drift may be unseen", 3],
    ["drift", 1, "### Drift check failed", "run this workflow again", 1],
    ["recover", 0, "### Nothing is unresolved in production", "run the workflow Up", 0],
    ["recover", 3, "### production has unresolved webhooks", "Look for each of them", 3],
    ["recover", 1, unread, "Correct what is named below", 1],
    ["recover", 2, unread, "Correct what is named below", 2],
  ] as const)("in the summary of %s, whose command ended with %i", (workflow, code, title, todo, ends) => {
    writeFileSync(join(folder, `${workflow}.md`), "");
    const step = { workflow, job: workflow, step: steps[workflow] };
    const npx = `npx() { printf %s "$PREVIEW"; return ${code}; }; export -f npx`;
    const { status, markdown } = runStep(step, npx);
    const todos = todo === undefined ? [] : [expect.stringContaining(todo)];
    expect(outsideCode(markdown)).toEqual([title, ...todos]);
    expect(status).toBe(ends);
  });
});

const NOTHING = "Nothing is unresolved in stack production.\n";
/** What an update prints, what `resolve --record` prints, and with which code that ends. */
const FAILURES: Record<string, [up: string, record?: string, code?: number]> = {
  "the environment lacks the API key": [
    "script.sh: line 4: WEBHOOKS_API_KEY: not set. Add this secret to the environment of this job.\n",
  ],
  "a url is wrong": [
    "Previewing update (production):\n    error: resource 'orders' has a problem: url: must be an absolute http or https URL\n",
  ],
  "the API key was revoked": [
    `Updating (production):
    error: Creating webhook Orders failed: 401 Unauthorized from POST /webhooks.
    error: update failed
    error: Creating webhook Orders failed: 401 Unauthorized from POST /webhooks.
`,
  ],
  "creates are unresolved": [
    "Updating (production):\n    error: 1 error occurred:\n    \t* Creating webhook Orders failed: 500 Internal Server Error from POST /webhooks.\n",
    "orders (webhook Orders): unresolved.\n  Its create was sent at about 2026-11-24T08:12:00Z.\ninvoices: unresolved.\n  https://shop.example.com/hooks/invoices\n",
    3,
  ],
  "another run has the lock": [
    "error: the stack is currently locked by 1 lock(s).\n  s3://state/locks/1.json: created by runner@host (pid 7) at 2026-11-24T08:12:00Z\n",
  ],
  "the state cannot be read": ["Updating (production):\n    error: update failed\n", "error: no access\n", 1],
};

it("says of each failure what happened and what to do, in the summary and, without Markdown, in the alert", async () => {
  const texts = Object.entries(FAILURES).map(([happened, [update, record = NOTHING, code = 0]]) => {
    for (const name of ["up.md", "output"]) rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, "up.log"), update);
    writeFileSync(join(folder, "record.txt"), record);
    const { markdown } = runStep(UP, `npx() { cat record.txt; return ${code}; }; export -f npx`);
    const [, , alert] = /alert<<(\S+)\n(.*?)\1/s.exec(readFileSync(join(folder, "output"), "utf8")) ?? [];
    expect(alert?.trim()).toBe(markdown.trim().replaceAll(/^### |^ {4}|^\n/gm, ""));
    return `=== ${happened}\n\n${markdown.trim()}`;
  });
  await expect(`${texts.join("\n\n")}\n`).toMatchFileSnapshot("reports.txt");
});
