import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { cleanEnvironment } from "./environment.js";
import { Job } from "./job.js";
import type { Pipeline, Service } from "./pipeline.js";
import type { Repository } from "./repository.js";

const PROJECT = "42";
const FORK = "99";

type Variables = Record<string, string>;
const variables = z.record(z.string(), z.string()).default({});
const rulesSchema = z.array(
  z.strictObject({ if: z.string(), when: z.string().optional(), allow_failure: z.boolean().optional() }),
);
const jobSchema = z.looseObject({
  stage: z.string(),
  rules: rulesSchema,
  variables,
  id_tokens: z.record(z.string(), z.unknown()).default({}),
  environment: z.union([z.string(), z.looseObject({ name: z.string() })]).optional(),
  before_script: z.array(z.string()).default([]),
  script: z.array(z.string()),
  after_script: z.array(z.string()).default([]),
  artifacts: z.looseObject({ paths: z.array(z.string()) }).optional(),
});
const file = z.looseObject({
  stages: z.array(z.string()),
  workflow: z.object({ rules: rulesSchema }),
  variables,
});
type JobDefinition = z.infer<typeof jobSchema>;

/** A pipeline file. */
export interface PipelineFile extends z.infer<typeof file> {
  definitions: Map<string, JobDefinition>;
}

const KEYWORDS = ["stages", "workflow", "default", "variables"];

/** Reads the pipeline of a checkout, with `extends` resolved. */
export async function readPipeline(folder: string): Promise<PipelineFile> {
  const parsed = z
    .record(z.string(), z.unknown())
    .parse(parse(await readFile(join(folder, ".gitlab-ci.yml"), "utf8")));
  const names = Object.keys(parsed).filter((name) => !KEYWORDS.includes(name) && !name.startsWith("."));
  const definitions = names.map((name): [string, JobDefinition] => [
    name,
    jobSchema.parse(extend(name, parsed)),
  ]);
  return { ...file.parse(parsed), definitions: new Map(definitions) };
}

/** Merges a job into the one that it extends: objects key by key, everything else as a whole. */
function extend(name: string, all: Record<string, unknown>): Record<string, unknown> {
  const { extends: base, ...own } = Object(all[name]);
  return base === undefined ? own : merge(extend(base, all), own);
}

function merge(base: Record<string, unknown>, own: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(own)) {
    const isObject = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
    merged[key] = isObject(value) && isObject(base[key]) ? merge(Object(base[key]), Object(value)) : value;
  }
  return merged;
}

interface Event {
  predefined: Variables;
  /** The manual job that a person starts. Other manual jobs do not run. */
  played?: string;
  /** Whether the pipeline runs in a fork, which has no variables of ours. */
  isForeign?: boolean;
}

const BRANCH = { CI_COMMIT_BRANCH: "main" };

/** Runs the pipeline of a repository as GitLab does. */
export const gitlab: Service = {
  pullRequest: (repository, { fork = false } = {}) => {
    const source = fork ? FORK : PROJECT;
    const predefined = {
      CI_PIPELINE_SOURCE: "merge_request_event",
      // The pipeline of a fork's merge request runs in the fork.
      CI_PROJECT_ID: source,
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source,
      CI_MERGE_REQUEST_PROJECT_ID: PROJECT,
    };
    return start(repository, { predefined, isForeign: fork });
  },
  merge: (repository) => start(repository, { predefined: { CI_PIPELINE_SOURCE: "push", ...BRANCH } }),
  schedule: (repository) => start(repository, { predefined: { CI_PIPELINE_SOURCE: "schedule", ...BRANCH } }),
  restore: (repository) =>
    start(repository, { predefined: { CI_PIPELINE_SOURCE: "schedule", ...BRANCH }, played: "restore" }),
  cancel: (job) => job.stop(),
};

async function start(repository: Repository, event: Event): Promise<Pipeline> {
  const sha = await repository.git("rev-parse", "HEAD");
  const pipeline = await readPipeline(repository.clone);
  const predefined: Variables = {
    CI: "true",
    GITLAB_CI: "true",
    CI_DEFAULT_BRANCH: "main",
    CI_PROJECT_ID: PROJECT,
    CI_COMMIT_SHA: sha,
    CI_SERVER_URL: "https://gitlab.example.com",
    ...event.predefined,
  };
  if (findRule(pipeline.workflow.rules, predefined) === undefined)
    return { jobs: [], ended: Promise.resolve() };
  const chosen = [...pipeline.definitions].filter(([name, { rules }]) => {
    const rule = findRule(rules, predefined);
    return event.played === undefined ? rule !== undefined && rule.when !== "manual" : name === event.played;
  });
  const stageOf = (definition: JobDefinition) => pipeline.stages.indexOf(definition.stage);
  chosen.sort(([, a], [, b]) => stageOf(a) - stageOf(b));
  const runs: { job: Job; definition: JobDefinition }[] = [];
  for (const [name, definition] of chosen) runs.push({ definition, job: await Job.create(name, repository) });
  const work = async () => {
    for (const { job, definition } of runs) {
      await runJob({
        job,
        definition,
        sha,
        isForeign: event.isForeign ?? false,
        common: { ...predefined, ...pipeline.variables },
      });
      job.refuseSecrets();
      if (job.result !== "success") return;
    }
  };
  return { jobs: runs.map(({ job }) => job), ended: work() };
}

interface JobRun {
  job: Job;
  definition: JobDefinition;
  sha: string;
  isForeign: boolean;
  /** The variables that all jobs have. */
  common: Variables;
}

async function runJob({ job, definition, sha, isForeign, common }: JobRun): Promise<void> {
  const { environment } = definition;
  const name = typeof environment === "object" ? environment.name : environment;
  const settings: Variables = isForeign ? {} : (Object(job.repository.environments)[name ?? ""] ?? {});
  const tokens = Object.keys(definition.id_tokens).map((token) => [token, "a token"]);
  const own = { CI_PROJECT_DIR: job.workspace };
  const env = {
    // The image contains Node.js and Pulumi.
    ...cleanEnvironment([inject("pulumi")]),
    PULUMI_HOME: job.pulumiHome,
    ...common,
    ...expand(definition.variables, own),
    ...Object.fromEntries(tokens),
    // The settings of the project win over those of the file.
    ...settings,
    ...own,
    AWS_WEB_IDENTITY_TOKEN_FILE: join(job.machine, "aws-id-token"),
  };
  const run = (lines: readonly string[], more: Variables = {}) =>
    job.runScript({
      script: lines.join("\n"),
      options: ["--noprofile", "--norc", "-e", "-o", "pipefail"],
      env: { ...env, ...more },
    });

  await job.checkOut(sha);
  job.begin();
  const code = await run([...definition.before_script, ...definition.script]);
  if (job.isLost) return;
  if (code !== 0) job.fail(code);
  const status = job.result === "cancelled" ? "canceled" : code === 0 ? "success" : "failed";
  if (definition.after_script.length > 0) await run(definition.after_script, { CI_JOB_STATUS: status });
  if (code !== 0) job.log += `ERROR: Job failed: exit code ${code}\n`;
  const kept = (definition.artifacts?.paths ?? []).map((path) => job.read(path).catch(() => ""));
  job.report = (await Promise.all(kept)).join("");
}

/** Replaces the names of predefined variables in others by their values. */
function expand(variables: Variables, predefined: Variables): Variables {
  const toValue = (text: string) => text.replace(/\$(\w+)/g, (all, name) => predefined[name] ?? all);
  return Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, toValue(text)]));
}

/** Finds the first rule that holds. */
function findRule(rules: z.infer<typeof rulesSchema>, variables: Variables) {
  return rules.find((rule) => holds(rule.if, variables));
}

/** Evaluates comparisons that are joined with `&&`: all that the examples use. */
function holds(condition: string, variables: Variables): boolean {
  return condition.split("&&").every((comparison) => {
    const [, left = "", operator, right = ""] = /^(\S+) (==|!=) (\S+)$/.exec(comparison.trim()) ?? [];
    if (operator === undefined) throw new Error(`The tests cannot evaluate the rule ${condition}`);
    const toValue = (text: string) =>
      text.startsWith("$") ? (variables[text.slice(1)] ?? null) : text.replace(/^"(.*)"$/, "$1");
    return (toValue(left) === toValue(right)) === (operator === "==");
  });
}
