import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { inject } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { COMMENT_TOKEN } from "./comments.js";
import { cleanEnvironment } from "./environment.js";
import { Job } from "./job.js";
import type { Pipeline, Service } from "./pipeline.js";
import type { Repository } from "./repository.js";

const NAME = "example/shop-webhooks";
const SECRETS = ["PULUMI_CONFIG_PASSPHRASE", "WEBHOOKS_API_KEY"];

const env = z.record(z.string(), z.string()).default({});
const step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  run: z.string().optional(),
  env,
});
const job = z.looseObject({
  if: z.string().optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  env,
  environment: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  outputs: z.record(z.string(), z.string()).default({}),
  steps: z.array(step).default([]),
});
const workflow = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  env,
  defaults: z.object({ run: z.object({ shell: z.literal("bash") }) }),
  jobs: z.record(z.string(), job),
});
type Workflow = z.infer<typeof workflow>;
type JobDefinition = z.infer<typeof job>;
type Step = z.infer<typeof step>;
type Values = { [name: string]: string | boolean | Values };

/** The workflow files of a checkout. */
export async function readWorkflows(folder: string): Promise<Map<string, Workflow>> {
  const workflows = join(folder, ".github/workflows");
  const files = (await readdir(workflows)).map((file) => join(workflows, file));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return new Map(files.map((file, n) => [basename(file, ".yml"), workflow.parse(parse(texts[n] ?? ""))]));
}

interface Event {
  name: string;
  payload?: Values;
  inputs?: Values;
  ref?: string;
  /** Whether GitHub gives the run no secrets and no variables. */
  isForeign?: boolean;
}

interface PullRequest {
  fork?: boolean;
  /** Who opened it. In these tests a person pushes the last commit. */
  author?: string;
}

/** Runs the workflows of a repository as GitHub does. What the actions do is done by the tests. */
export const github = {
  pullRequest: async (repository, { fork = false, author = "a-person" }: PullRequest = {}) => {
    const payload = {
      pull_request: {
        head: {
          repo: { full_name: fork ? "stranger/shop-webhooks" : NAME },
          sha: await repository.git("rev-parse", "HEAD"),
        },
        user: { login: author },
        comments_url: repository.comments.url,
      },
    };
    return start(repository, { name: "pull_request", payload, isForeign: fork, ref: "refs/pull/7/merge" });
  },
  merge: (repository) => start(repository, { name: "push" }),
  schedule: (repository) => start(repository, { name: "schedule" }),
  restore: (repository) =>
    start(repository, { name: "workflow_dispatch", inputs: { restore: true } }, ["deploy"]),
  cancel: (job) => job.cancel(),
} satisfies Service;

/** Starts the workflows of an event, job after job. */
async function start(repository: Repository, event: Event, only?: string[]): Promise<Pipeline> {
  const sha = await repository.git("rev-parse", "HEAD");
  const started: Job[] = [];
  const jobs: { id: string; file: Workflow; job: Job }[] = [];
  for (const [name, file] of await readWorkflows(repository.clone)) {
    if (!(event.name in file.on) || only?.includes(name) === false) continue;
    for (const id of Object.keys(file.jobs)) {
      const job = await Job.create(id, repository);
      started.push(job);
      jobs.push({ id, file, job });
    }
  }
  const work = async () => {
    for (const { id, file, job } of jobs) {
      const needed = jobs.find(({ job: { name } }) => name === file.jobs[id]?.needs);
      await runJob({ id, file, job, event, sha, needed: needed?.job });
      job.refuseSecrets();
    }
  };
  return { jobs: started, ended: work() };
}

interface JobRun {
  id: string;
  file: Workflow;
  job: Job;
  event: Event;
  sha: string;
  /** The job that this one waits for. */
  needed: Job | undefined;
}

async function runJob({ id, file, job, event, sha, needed }: JobRun): Promise<void> {
  const declared = file.jobs[id];
  if (declared === undefined) return;
  const contexts: Values = {
    ...contextsOf(job.repository, event, declared),
    needs: needed === undefined ? {} : { [needed.name]: { result: needed.result, outputs: needed.outputs } },
  };
  if (!isTrue(declared.if ?? "success()", contexts, needed?.result ?? "success")) return;

  const summary = join(job.machine, "summary.md");
  await writeFile(summary, "");
  const outputs: Values = {};
  // What the actions have put on PATH so far.
  const path: string[] = [];
  await mkdir(job.workspace);
  job.begin();
  for (const step of declared.steps) {
    if (!isTrue(step.if ?? "success()", contexts, job.result)) continue;
    job.log += `\n##[group]${step.name ?? step.uses ?? step.run}\n`;
    if (step.uses !== undefined) {
      await provide(step, { job, sha, path });
      continue;
    }
    const script = interpolate(step.run ?? "", contexts);
    const variables = { ...file.env, ...declared.env, ...step.env };
    const values = Object.entries(variables).map(([name, text]) => [name, interpolate(text, contexts)]);
    const output = join(job.machine, "output");
    await writeFile(output, "");
    const code = await job.runScript({
      script,
      options: ["--noprofile", "--norc", "-e", "-o", "pipefail"],
      env: {
        ...cleanEnvironment(path),
        PULUMI_HOME: job.pulumiHome,
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: NAME,
        GITHUB_SHA: sha,
        GITHUB_WORKSPACE: job.workspace,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: output,
        ...Object.fromEntries(values),
      },
    });
    if (job.isLost) return;
    if (step.id !== undefined) outputs[step.id] = { outputs: parseOutputs(await readFile(output, "utf8")) };
    if (code !== 0) {
      job.fail(code);
      job.log += `##[error]Process completed with exit code ${code}.\n`;
    }
  }
  job.report = await readFile(summary, "utf8");
  const inJob = { ...contexts, steps: outputs };
  for (const [name, text] of Object.entries(declared.outputs)) job.outputs[name] = interpolate(text, inJob);
}

/** Parses what a step wrote to GITHUB_OUTPUT: a name, and lines up to a delimiter. */
function parseOutputs(text: string): Record<string, string> {
  const outputs = [...text.matchAll(/^(\w+)<<(\S+)\n(.*?)\n\2$/gms)];
  return Object.fromEntries(outputs.map(([, name, , value]) => [name, value]));
}

interface ActionRun {
  job: Job;
  sha: string;
  path: string[];
}

/** Does what an action does. */
async function provide({ uses = "", with: inputs }: Step, { job, sha, path }: ActionRun): Promise<void> {
  const [action] = uses.split("@");
  switch (action) {
    case "actions/checkout":
      return job.checkOut(sha);
    case "pulumi/actions":
      path.push(inject("pulumi"));
      return;
    case "actions/setup-node":
    case "aws-actions/configure-aws-credentials":
      // Every machine of the tests has this Node.js, and access to the state.
      return;
    default:
      throw new Error(`The tests do not know what ${action} ${JSON.stringify(inputs)} does.`);
  }
}

/** The contexts of expressions. Secrets and variables are those of the job's environment, and of nothing else. */
function contextsOf(
  repository: Repository,
  event: Event,
  { environment, permissions }: JobDefinition,
): Values {
  const name = typeof environment === "object" ? environment.name : environment;
  const settings = Object.entries(Object(repository.environments)[name ?? ""] ?? {});
  const visible = event.isForeign
    ? []
    : settings.map(([name, value]): [string, string] => [name, String(value)]);
  return {
    github: {
      event_name: event.name,
      event: event.payload ?? {},
      repository: NAME,
      ref: event.ref ?? "refs/heads/main",
      actor: "a-person",
      token: permissions?.["pull-requests"] === "write" ? COMMENT_TOKEN : "a token that may only read",
      server_url: "https://github.example.com",
      run_id: "4321",
    },
    inputs: event.inputs ?? {},
    secrets: Object.fromEntries(visible.filter(([name]) => SECRETS.includes(name))),
    vars: Object.fromEntries(visible.filter(([name]) => !SECRETS.includes(name))),
  };
}

/** Replaces the expressions of a text by their values. */
function interpolate(text: string, contexts: Values): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression) =>
    evaluate(expression, contexts).coerceString(),
  );
}

/** Decides on a condition. Without a function of the status, it also requires that nothing failed. */
function isTrue(condition: string, contexts: Values, result: string): boolean {
  const expression = condition.replace(/^\$\{\{(.*)\}\}$/s, "$1");
  const asksForStatus = /\b(success|failure|cancelled|always)\(\)/.test(expression);
  const whole = asksForStatus ? expression : `success() && (${expression})`;
  const value = evaluate(whole, contexts, result);
  return !["", "false", "0"].includes(value.coerceString());
}

function evaluate(expression: string, contexts: Values, result = "success"): data.ExpressionData {
  const status = {
    success: result === "success",
    failure: result === "failure",
    cancelled: result === "cancelled",
    always: true,
  };
  const functions = Object.entries(status).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
  const { tokens } = new Lexer(expression.trim()).lex();
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  const byName = new Map(functions.map((one) => [one.name, one]));
  return new Evaluator(tree, toDictionary(contexts), byName).evaluate();
}

function toDictionary(values: Values): data.Dictionary {
  const toData = (value: Values[string]): data.ExpressionData => {
    if (typeof value === "string") return new data.StringData(value);
    return typeof value === "boolean" ? new data.BooleanData(value) : toDictionary(value);
  };
  return new data.Dictionary(
    ...Object.entries(values).map(([key, value]) => ({ key, value: toData(value) })),
  );
}
