import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

const WORKFLOWS = join(import.meta.dirname, "../../examples/pipelines/github/.github/workflows");
/** What a program prints that would end a code block between fences. */
const OUTPUT = "~~~~\n```\r~~~~\r<img src=x>\n\n    ~~~~\n# Approved";

const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-steps-"));
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
      STACK: "production",
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: join(folder, "output"),
      PULUMI_BACKEND_URL: "s3://state",
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      WEBHOOKS_API_KEY: "key",
      RESULT: "success",
      PREVIEW: OUTPUT,
    },
  });
  return { status, markdown: readFileSync(summary, "utf8") };
}

/** The lines that are not code: not indented by four characters. */
const outsideCode = (markdown: string) => markdown.split(/[\r\n]+/).filter((line) => !/^ {4}|^$/.test(line));

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
  const steps = {
    drift: "Compare with the API",
    up: "Record what this machine knows, and say what to do",
    recover: "Resolve",
  };
  const [unresolved, unread] = [
    "### production has unresolved webhooks",
    "### Nothing was resolved in production",
  ];
  it.each([
    ["drift", 0, "### No drift", undefined, 0],
    ["drift", 7, "### Drift", "run the workflow Up with restore", 7],
    ["drift", 3, "### Not compared", "Drift may be unseen", 3],
    ["drift", 1, "### Drift check failed", "run this job again", 1],
    ["up", 0, "### The update of production failed", "run the workflow Recover with", 0],
    ["up", 3, unresolved, "run the workflow Recover with", 0],
    [
      "up",
      1,
      "### The update of production failed and its state could not be read or written",
      "run the workflow Recover with",
      0,
    ],
    ["recover", 0, "### Nothing is unresolved in production", "", 0],
    ["recover", 3, unresolved, "", 3],
    ["recover", 1, unread, "", 1],
    ["recover", 2, unread, "", 2],
  ] as const)("in the summary of %s, whose command ended with %i", (workflow, code, title, todo, ends) => {
    writeFileSync(join(folder, `${workflow}.md`), "");
    const step = { workflow, job: workflow, step: steps[workflow] };
    const { status, markdown } = runStep(step, `npx() { printf %s "$PREVIEW"; return ${code}; }`);
    expect(outsideCode(markdown)).toEqual([
      title,
      ...(todo === undefined ? [] : [expect.stringContaining(todo)]),
    ]);
    expect(status).toBe(ends);
  });
});
