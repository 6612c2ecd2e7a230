import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Repository, StackName } from "./repository.js";
import { KEYS, PASSPHRASE } from "./repository.js";

interface Job {
  extends?: string | string[];
  variables?: Record<string, string>;
  environment?: string | { name: string };
  before_script?: string[];
  script: string[];
  after_script?: string[];
}

/** How a job ended. */
export interface Result {
  outcome: "success" | "failed";
  log: string;
}

/** Runs the scripts of a job of GitLab, in order, on a machine of its own. Variables that a person enters are the last to count. */
export async function runJob(
  repository: Repository,
  name: string,
  entered: Record<string, string> = {},
): Promise<Result> {
  const pipeline = parse(readFileSync(join(repository.folder, ".gitlab-ci.yml"), "utf8"));
  const { before_script = [], script, after_script, ...job } = extend(pipeline, name);
  await using machine = await repository.startMachine();
  const environment = typeof job.environment === "string" ? job.environment : job.environment?.name;
  const variables = {
    ...variablesOf(repository, environment),
    ...pipeline.variables,
    ...job.variables,
    ...entered,
    CI_PROJECT_DIR: machine.folder,
    CI_PIPELINE_URL: "https://gitlab.com/acme/webhooks/-/pipelines/1",
    ...(environment !== undefined && { CI_ENVIRONMENT_NAME: environment }),
    AWS_ID_TOKEN: "token",
  };
  const run = (lines: string[], more: Record<string, string> = {}) =>
    machine.run({
      text: repository.withInstalled(lines.join("\n")),
      options: ["-eo", "pipefail"],
      environment: expand({ ...variables, ...more }),
    });
  const outcome = (await run([...before_script, ...script])) === 0 ? "success" : "failed";
  // In a shell of its own. Its exit code does not count.
  if (after_script !== undefined) await run(after_script, { CI_JOB_STATUS: outcome });
  return { outcome, log: machine.log };
}

/** Merges a job into those that it extends, the last of which counts. */
function extend(pipeline: Record<string, Job>, name: string): Job {
  const job = pipeline[name];
  if (job === undefined) throw new Error(`The pipeline has no job ${name}.`);
  const bases = [job.extends ?? []].flat().map((base) => extend(pipeline, base));
  const variables = Object.assign({}, ...[...bases, job].map((one) => one.variables));
  return Object.assign({}, ...bases, job, { variables });
}

/** The variables that a team adds for an environment. */
function variablesOf({ backend }: Repository, environment: string | undefined): Record<string, string> {
  if (environment === undefined) return {};
  const stack: StackName = environment === "dev" ? "dev" : "production";
  return {
    ...backend,
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
    ...(environment !== "preview" && { WEBHOOKS_API_KEY: KEYS[stack] }),
  };
}

/** Replaces variables in the values of others. */
function expand(variables: Record<string, string>): Record<string, string> {
  const pairs = Object.entries(variables).map(([name, text]) => [
    name,
    text.replace(/\$(\w+)/g, (_, other: string) => variables[other] ?? ""),
  ]);
  return Object.fromEntries(pairs);
}
