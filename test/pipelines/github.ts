import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { GITHUB_TOKEN } from "./github-artifacts.js";
import type { Job, Machine, Result } from "./machine.js";
import { type Repository, type StackName, secretsOf, stackOf } from "./repository.js";

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  with?: Record<string, string>;
  run?: string;
  env?: Record<string, string>;
}

interface WorkflowJob {
  needs?: string;
  if?: string;
  uses?: string;
  with?: Record<string, string>;
  steps: Step[];
  outputs?: Record<string, string>;
}

interface Workflow {
  env?: Record<string, string>;
  jobs: Record<string, WorkflowJob>;
}

export interface JobOptions {
  workflow: string;
  job: string;
  /** The environment whose secrets and variables the job gets. Default: none. */
  environment?: StackName | "preview" | "drift";
  inputs?: Record<string, unknown>;
  secrets?: Record<string, string>;
  /** The commit that the run is for. Default: the newest one. */
  commit?: string;
}

export interface Ended extends Result {
  /** What the job's page shows. */
  summary: string;
  outputs: Record<string, string>;
}

/** Runs a job of a workflow of GitHub: its steps with `run`, in order, on a machine of its own, which is gone afterwards. */
export async function runJob(repository: Repository, options: JobOptions): Promise<Ended> {
  return (await startJob(repository, options)).ended;
}

type Inputs = Record<string, unknown>;

/** The job that deploys, of the workflow Up or of another one. */
export const up = (
  inputs: Inputs = {},
  { stack = "production", workflow = "up" }: { stack?: StackName; workflow?: string } = {},
): JobOptions => ({ workflow, job: "up", environment: stack, inputs: { stack, ...inputs } });

export const recover = (inputs: Inputs): JobOptions => ({
  workflow: "recover",
  job: "recover",
  environment: "production",
  inputs: { stack: "production", none: "", unlock: false, ...inputs },
});

export const drift: JobOptions = { workflow: "drift", job: "drift", environment: "drift" };

/** Starts a job, so that a test can cancel it or kill one of its processes. The job of its alert follows. */
export async function startJob(repository: Repository, options: JobOptions): Promise<Job<Ended>> {
  const { jobs } = readWorkflow(repository, options.workflow);
  const job = jobs[options.job];
  if (job === undefined) throw new Error(`The workflow ${options.workflow} has no job ${options.job}.`);
  const commit = options.commit ?? (await repository.head());
  const checkout = job.steps.find(({ uses }) => uses?.startsWith("actions/checkout@"));
  const machine = await repository.startMachine(checkout?.with?.ref === undefined ? commit : "main");
  machine.isLater = options.job === "recover";
  const ended = (async () => {
    const result = await runSteps(machine, repository, { ...options, commit });
    await machine[Symbol.asyncDispose]();
    await runAlert(repository, options, result);
    return result;
  })();
  return { machine, ended };
}

/** Runs the job that alerts of another one, if its condition is met. It is on a machine of its own. */
async function runAlert(repository: Repository, options: JobOptions, { outcome, outputs }: Ended) {
  const { jobs } = readWorkflow(repository, options.workflow);
  const alert = Object.values(jobs).find(({ needs, uses }) => needs === options.job && uses !== undefined);
  const contexts = {
    ...contextsOf(repository, options),
    needs: { [options.job]: { result: outcome, outputs } },
    ...statusOf(outcome),
  };
  if (alert === undefined || !evaluate(alert.if ?? "success()", contexts)) return;
  const inputs = substitute(alert.with ?? {}, contexts);
  const { secrets = {} } = options;
  const posted = await runJob(repository, { workflow: "alert", job: "alert", inputs, secrets });
  if (posted.outcome !== "success") throw new Error(`The alert failed:\n${posted.log}`);
}

function readWorkflow({ folder }: Repository, name: string): Workflow {
  return parse(readFileSync(join(folder, ".github/workflows", `${name}.yml`), "utf8"));
}

async function runSteps(machine: Machine, repository: Repository, options: JobOptions): Promise<Ended> {
  const workflow = readWorkflow(repository, options.workflow);
  const job = workflow.jobs[options.job] as WorkflowJob;
  const contexts = {
    ...contextsOf(repository, options),
    runner: { temp: machine.temporary },
    steps: {} as Record<string, Pick<Ended, "outcome" | "outputs">>,
  };
  const summary = join(machine.temporary, "summary");
  const output = join(machine.temporary, "output");
  await writeFile(summary, "");
  let outcome: Result["outcome"] = "success";
  await using github = await repository.artifacts.serve();
  for (const { id, if: condition = "success()", uses, with: given = {}, run, env } of job.steps) {
    if (machine.isLost) break;
    if (!evaluate(condition, { ...contexts, ...statusOf(outcome) })) continue;
    if (uses?.startsWith("actions/upload-artifact@")) {
      const { name = "" } = substitute({ name: given.name ?? "" }, contexts);
      const path = `.github/workflows/${options.workflow}.yml`;
      repository.artifacts.keep(name, `${machine.environment.HOME}/.pulumi`, { path });
      if (id !== undefined) contexts.steps[id] = { outcome: "success", outputs: {} };
    }
    if (run === undefined) continue;
    await writeFile(output, "");
    const code = await machine.run({
      text: repository.withInstalled(run),
      options: ["--noprofile", "--norc", "-eo", "pipefail"],
      environment: {
        // The step that logs in to AWS sets these.
        ...repository.backendOf(stackOf(options.environment)),
        PULUMI_BACKEND_URL: "",
        ...substitute({ ...workflow.env, ...env }, contexts),
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: output,
        GITHUB_API_URL: github.url,
        GITHUB_SERVER_URL: contexts.github.server_url,
        GITHUB_REPOSITORY: contexts.github.repository,
        GITHUB_REF_NAME: contexts.github.ref_name,
        GITHUB_SHA: options.commit,
      },
    });
    const ended = code === 0 ? "success" : machine.isCancelled ? "cancelled" : "failure";
    if (outcome === "success") outcome = ended;
    if (id !== undefined)
      contexts.steps[id] = { outcome: ended, outputs: parseOutput(await readFile(output, "utf8")) };
  }
  const { log } = machine;
  // The job of a lost runner failed, and nobody knows its summary or its outputs.
  if (machine.isLost) return { outcome: "failure", log, summary: "", outputs: {} };
  const outputs = substitute(job.outputs ?? {}, contexts);
  return { outcome, log, summary: await readFile(summary, "utf8"), outputs };
}

function contextsOf({ place: { backends } }: Repository, { environment, inputs = {}, secrets }: JobOptions) {
  const { PULUMI_BACKEND_URL } = backends[stackOf(environment)];
  return {
    inputs,
    secrets: { ...secretsOf(environment), ...secrets },
    vars: environment === undefined ? {} : { PULUMI_BACKEND_URL },
    github: {
      ...{ server_url: "https://github.com", repository: "acme/webhooks", run_id: "1" },
      ...{ ref: "refs/heads/main", ref_name: "main", token: GITHUB_TOKEN },
    },
  };
}

function statusOf(outcome: Result["outcome"]) {
  return {
    success: () => outcome === "success",
    failure: () => outcome === "failure",
    cancelled: () => outcome === "cancelled",
    always: () => true,
    format: (text: string, ...values: unknown[]) =>
      text.replace(/\{(\d)\}/g, (_, index) => String(values[index])),
  };
}

/** Evaluates an expression: those of the examples mean in JavaScript what they mean to GitHub. */
function evaluate(expression: string, scope: Record<string, unknown>): unknown {
  const text = expression
    .replace(/^\$\{\{(.*)\}\}$/s, "$1")
    .replace(/'[^']*'|(\w)\.(\w)/g, (all, object, name) => (name === undefined ? all : `${object}?.${name}`));
  return new Function(...Object.keys(scope), `return ${text};`)(...Object.values(scope));
}

function substitute(texts: Record<string, string>, scope: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(texts).map(([name, text]) => [
    name,
    text.replace(/\$\{\{(.*?)\}\}/g, (_, expression) => String(evaluate(expression, scope) ?? "")),
  ]);
  return Object.fromEntries(pairs);
}

/** Reads what a step has written as its outputs: `name=value`, or `name<<END`, lines and `END`. */
function parseOutput(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (const [, name = "", end, long, short] of text.matchAll(/^(\w+)(?:<<(\S+)\n(.*?)\n\2$|=([^\n]*)$)/gms))
    outputs[name] = end === undefined ? (short ?? "") : (long ?? "");
  return outputs;
}
