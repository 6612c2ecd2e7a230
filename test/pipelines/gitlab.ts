import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Machine } from "./machine.js";
import { KEYS, PASSPHRASES, type Repository, type StackName, TOKENS } from "./repository.js";

interface Job {
  extends?: string | string[];
  variables?: Record<string, string>;
  environment?: string | { name: string };
  needs?: string[];
  before_script?: string[];
  script: string[];
  after_script?: string[];
  cache?: { key: string; paths: string[] };
}

/** How a job ended. */
export interface Result {
  outcome: "success" | "failed";
  log: string;
}

/** A job that runs. */
export interface RunningJob {
  machine: Machine;
  ended: Promise<Result>;
}

interface JobOptions {
  /** The variables that a person enters: they are the last to count. */
  entered?: Record<string, string>;
  /** The commit of the pipeline. Default: the newest one. */
  commit?: string;
  /** The text of alert.txt, if the job that this one needs has passed it as its artifact. */
  artifact?: string | undefined;
}

/** Runs the scripts of a job of GitLab, in order, on a machine of its own. */
export async function runJob(
  repository: Repository,
  name: string,
  options: JobOptions = {},
): Promise<Result> {
  return (await startJob(repository, name, options)).ended;
}

/** Starts a job, so that a test can stop its machine. If it fails, the job follows that needs it. */
export async function startJob(
  repository: Repository,
  name: string,
  options: JobOptions = {},
): Promise<RunningJob> {
  const pipeline = parse(readFileSync(join(repository.folder, ".gitlab-ci.yml"), "utf8"));
  const commit = options.commit ?? (await repository.head());
  const machine = await repository.startMachine(commit);
  machine.isLater = name.startsWith("recover-");
  const alert = join(machine.folder, "alert.txt");
  if (options.artifact !== undefined) await writeFile(alert, options.artifact);
  const ended = (async () => {
    const outcome = await runScripts({
      machine,
      repository,
      pipeline,
      name,
      commit,
      entered: options.entered,
    });
    const artifact = !machine.isLost && existsSync(alert) ? await readFile(alert, "utf8") : undefined;
    await machine[Symbol.asyncDispose]();
    const next = Object.keys(pipeline).find((other) => pipeline[other].needs?.includes(name));
    if (outcome === "failed" && next !== undefined)
      await runJob(repository, next, { ...options, commit, artifact });
    return { outcome, log: machine.log };
  })();
  return { machine, ended };
}

interface Scripts {
  machine: Machine;
  repository: Repository;
  pipeline: Record<string, Job> & { variables: Record<string, string> };
  name: string;
  commit: string;
  entered?: Record<string, string> | undefined;
}

async function runScripts(options: Scripts): Promise<Result["outcome"]> {
  const { machine, repository, pipeline, name, commit, entered } = options;
  const { before_script = [], script, after_script, ...job } = extend(pipeline, name);
  const environment = typeof job.environment === "string" ? job.environment : job.environment?.name;
  const variables = {
    ...variablesOf(repository, environment),
    ...pipeline.variables,
    ...job.variables,
    ...entered,
    CI_PROJECT_DIR: machine.folder,
    CI_PIPELINE_URL: "https://gitlab.com/acme/webhooks/-/pipelines/1",
    CI_COMMIT_BRANCH: "main",
    CI_COMMIT_SHA: commit,
    CI_JOB_NAME: name,
    ...(environment !== undefined && { CI_ENVIRONMENT_NAME: environment }),
    AWS_ID_TOKEN: "token",
  };
  const run = (lines: string[], more: Record<string, string> = {}) =>
    machine.run({
      text: repository.withInstalled(lines.join("\n")),
      options: ["-eo", "pipefail"],
      environment: expand({ ...variables, ...more }),
    });
  const { key, paths = [] } = job.cache ?? {};
  const cache = `${repository.folder}-${expand({ ...variables, key: key ?? "" }).key}`;
  if (existsSync(cache)) await cp(cache, machine.folder, { recursive: true });
  const outcome = (await run([...before_script, ...script])) === 0 ? "success" : "failed";
  // In a shell of its own. Its exit code does not count.
  if (after_script !== undefined && !machine.isLost) await run(after_script, { CI_JOB_STATUS: outcome });
  if (machine.isLost) return outcome;
  if (key !== undefined) await rm(cache, { recursive: true, force: true });
  for (const file of globSync(paths, { cwd: machine.folder }))
    await cp(join(machine.folder, file), join(cache, file));
  return outcome;
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
function variablesOf(repository: Repository, environment: string | undefined): Record<string, string> {
  if (environment === undefined) return {};
  const stack: StackName = environment === "dev" ? "dev" : "production";
  return {
    ...repository.backendOf(stack),
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASES[stack],
    PULUMI_ACCESS_TOKEN: environment === "preview" ? TOKENS.read : TOKENS.write,
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
