import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Machine } from "./machine.js";
import type { Repository, StackName } from "./repository.js";
import { KEYS, PASSPHRASE } from "./repository.js";

interface Step {
  id?: string;
  if?: string;
  run?: string;
  env?: Record<string, string>;
}

interface Workflow {
  env?: Record<string, string>;
  jobs: Record<string, { steps: Step[]; outputs?: Record<string, string> }>;
}

interface JobOptions {
  workflow: string;
  job: string;
  /** The environment whose secrets and variables the job gets. Default: none. */
  environment?: StackName | "preview" | "drift";
  inputs?: Record<string, unknown>;
  secrets?: Record<string, string>;
}

/** How a job ended. */
export interface Result {
  outcome: "success" | "failure" | "cancelled";
  log: string;
  /** What the job's page shows. */
  summary: string;
  outputs: Record<string, string>;
}

/** A job that runs. */
export interface Job {
  machine: Machine;
  ended: Promise<Result>;
}

/** Runs a job of a workflow of GitHub: its steps with `run`, in order, on a machine of its own, which is gone afterwards. */
export async function runJob(repository: Repository, options: JobOptions): Promise<Result> {
  return (await startJob(repository, options)).ended;
}

type Inputs = Record<string, unknown>;

/** The job that deploys, of the workflow Up or of another one. */
export const up = (
  inputs: Inputs = {},
  { stack = "production", workflow = "up" }: { stack?: StackName; workflow?: string } = {},
): JobOptions => ({ workflow, job: "up", environment: stack, inputs: { stack, ...inputs } });

/** The job that resolves what is unresolved in production. */
export const recover = (inputs: Inputs): JobOptions => ({
  workflow: "recover",
  job: "recover",
  environment: "production",
  inputs: { stack: "production", found: "", none: "", unlock: false, ...inputs },
});

/** The job that compares production with its API. */
export const drift: JobOptions = { workflow: "drift", job: "drift", environment: "drift" };

/** Starts a job, so that a test can cancel it or kill one of its processes. */
export async function startJob(repository: Repository, options: JobOptions): Promise<Job> {
  const machine = await repository.startMachine();
  const ended = runSteps(machine, repository, options).finally(() => machine[Symbol.asyncDispose]());
  return { machine, ended };
}

async function runSteps(machine: Machine, repository: Repository, options: JobOptions): Promise<Result> {
  const path = join(repository.folder, ".github/workflows", `${options.workflow}.yml`);
  const workflow: Workflow = parse(readFileSync(path, "utf8"));
  const job = workflow.jobs[options.job];
  if (job === undefined) throw new Error(`${path} has no job ${options.job}.`);
  const contexts = {
    ...contextsOf(repository, options),
    runner: { temp: machine.temporary },
    steps: {} as Record<string, StepResult>,
  };
  const summary = join(machine.temporary, "summary");
  const output = join(machine.temporary, "output");
  await writeFile(summary, "");
  let outcome: Result["outcome"] = "success";
  for (const { id, if: condition = "success()", run, env } of job.steps) {
    if (machine.isLost) break;
    if (run === undefined || !evaluate(condition, { ...contexts, ...statusOf(outcome) })) continue;
    await writeFile(output, "");
    const code = await machine.run({
      text: repository.withInstalled(run),
      options: ["--noprofile", "--norc", "-eo", "pipefail"],
      environment: {
        // The step that logs in to AWS sets these.
        ...credentialsOf(repository),
        ...substitute({ ...workflow.env, ...env }, contexts),
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: output,
      },
    });
    const ended = code === 0 ? "success" : machine.isCancelled ? "cancelled" : "failure";
    if (outcome === "success") outcome = ended;
    if (id !== undefined)
      contexts.steps[id] = { outcome: ended, outputs: parseOutput(await readFile(output, "utf8")) };
  }
  const { log } = machine;
  return {
    outcome,
    log,
    summary: await readFile(summary, "utf8"),
    outputs: substitute(job.outputs ?? {}, contexts),
  };
}

interface StepResult {
  outcome: Result["outcome"];
  outputs: Record<string, string>;
}

function contextsOf({ backend }: Repository, { environment, inputs = {}, secrets }: JobOptions) {
  const stack = environment === "dev" ? "dev" : "production";
  const isPreview = environment === "preview";
  return {
    inputs,
    secrets: {
      ...(environment !== undefined && { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE }),
      ...(environment !== undefined && !isPreview && { WEBHOOKS_API_KEY: KEYS[stack] }),
      ...secrets,
    },
    vars: environment === undefined ? {} : { PULUMI_BACKEND_URL: backend.PULUMI_BACKEND_URL },
    github: { server_url: "https://github.com", repository: "acme/webhooks", run_id: "1" },
  };
}

function credentialsOf({ backend: { PULUMI_BACKEND_URL: _, ...credentials } }: Repository) {
  return credentials;
}

/** The functions of a condition. */
function statusOf(outcome: Result["outcome"]) {
  return {
    success: () => outcome === "success",
    failure: () => outcome === "failure",
    cancelled: () => outcome === "cancelled",
    always: () => true,
  };
}

/** Evaluates an expression: those of the examples mean in JavaScript what they mean to GitHub. */
function evaluate(expression: string, scope: Record<string, unknown>): unknown {
  const text = expression.replace(/^\$\{\{(.*)\}\}$/s, "$1").replace(/(\w)\.(\w)/g, "$1?.$2");
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
