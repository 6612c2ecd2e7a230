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

  it.each([
    { code: 0, title: "### No drift", todo: [] },
    { code: 7, title: "### Drift", todo: [expect.stringContaining("run the workflow Up with restore")] },
    { code: 3, title: "### Not compared", todo: [expect.stringContaining("Drift may be unseen")] },
    { code: 1, title: "### Drift check failed", todo: [expect.stringContaining("run this job again")] },
  ])("in the report on drift, which says $title and ends with $code", ({ code, title, todo }) => {
    writeFileSync(join(folder, "drift.md"), "");
    const step = { workflow: "drift", job: "drift", step: "Compare with the API" };
    const { status, markdown } = runStep(step, `npx() { printf %s "$PREVIEW"; return ${code}; }`);
    expect(outsideCode(markdown)).toEqual([title, ...todo]);
    expect(status).toBe(code);
  });

  it.each([
    { code: 0, title: "### The update of production failed" },
    { code: 3, title: "### production has unresolved webhooks" },
    { code: 1, title: "### The update of production failed and its state could not be read or written" },
  ])("in the summary of a failed deployment, which says $title", ({ code, title }) => {
    writeFileSync(join(folder, "up.md"), "");
    const step = { workflow: "up", job: "up", step: "Record what this machine knows, and say what to do" };
    const { markdown } = runStep(step, `npx() { printf %s "$PREVIEW"; return ${code}; }`);
    expect(outsideCode(markdown)).toEqual([title, expect.stringContaining("run the workflow Recover with")]);
  });

  it.each([
    { code: 0, title: "### Nothing is unresolved in production" },
    { code: 3, title: "### production has unresolved webhooks" },
    { code: 1, title: "### Nothing was resolved in production" },
    { code: 2, title: "### Nothing was resolved in production" },
  ])("in the summary of a recovery, which says $title and ends with $code", ({ code, title }) => {
    writeFileSync(join(folder, "recover.md"), "");
    const step = { workflow: "recover", job: "recover", step: "Resolve" };
    const { status, markdown } = runStep(step, `npx() { printf %s "$PREVIEW"; return ${code}; }`);
    expect(outsideCode(markdown)).toEqual([title, expect.any(String)]);
    expect(status).toBe(code);
  });
});
