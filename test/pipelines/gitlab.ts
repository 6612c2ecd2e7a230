import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Job, Machine, Result } from "./machine.js";
import { type Repository, secretsOf, stackOf } from "./repository.js";

interface PipelineJob {
  extends?: string | string[];
  variables?: Record<string, string>;
  environment?: string | { name: string };
  needs?: string[];
  before_script?: string[];
  script: string[];
  after_script?: string[];
  cache?: { key: string; paths: string[] };
}

type Pipeline = Record<string, PipelineJob> & { variables: Record<string, string> };

interface JobOptions {
  /** The variables that a person enters: they are the last to count. */
  entered?: Record<string, string>;
  /** The commit of the pipeline. Default: the newest one. */
  commit?: string;
  /** The text of alert.txt, if the job that this one needs has passed it as its artifact. */
  artifact?: string | undefined;
}

/** Runs the scripts of a job of GitLab, in order, on a machine of its own. */
export async function runJob(...job: Parameters<typeof startJob>): Promise<Result> {
  return (await startJob(...job)).ended;
}

/** Starts a job, so that a test can stop its machine. If it fails, the job follows that needs it. */
export async function startJob(repository: Repository, name: string, options: JobOptions = {}): Promise<Job> {
  const pipeline: Pipeline = parse(readFileSync(join(repository.folder, ".gitlab-ci.yml"), "utf8"));
  const commit = options.commit ?? (await repository.head());
  const machine = await repository.startMachine(commit);
  machine.isLater = name.startsWith("recover-");
  const alert = join(machine.folder, "alert.txt");
  if (options.artifact !== undefined) await writeFile(alert, options.artifact);
  const ended = (async () => {
    const entered = { ...options.entered, CI_COMMIT_SHA: commit, CI_JOB_NAME: name };
    const outcome = await runScripts(machine, repository, { job: extend(pipeline, name), pipeline, entered });
    const artifact = !machine.isLost && existsSync(alert) ? await readFile(alert, "utf8") : undefined;
    await machine[Symbol.asyncDispose]();
    const next = Object.keys(pipeline).find((other) => pipeline[other]?.needs?.includes(name));
    if (outcome === "failure" && next !== undefined)
      await runJob(repository, next, { ...options, commit, artifact });
    return { outcome, log: machine.log };
  })();
  return { machine, ended };
}

async function runScripts(
  machine: Machine,
  repository: Repository,
  { job, pipeline, entered }: { job: PipelineJob; pipeline: Pipeline; entered: Record<string, string> },
): Promise<Result["outcome"]> {
  const { before_script = [], script, after_script, cache: { key, paths } = { key: "", paths: [] } } = job;
  const environment = typeof job.environment === "string" ? job.environment : job.environment?.name;
  const variables = {
    ...(environment !== undefined && {
      ...repository.backendOf(stackOf(environment)),
      ...secretsOf(environment),
      CI_ENVIRONMENT_NAME: environment,
    }),
    ...pipeline.variables,
    ...job.variables,
    CI_PROJECT_DIR: machine.folder,
    CI_PIPELINE_URL: "https://gitlab.com/acme/webhooks/-/pipelines/1",
    CI_COMMIT_BRANCH: "main",
    AWS_ID_TOKEN: "token",
    ...entered,
  };
  const run = (lines: string[], more: Record<string, string> = {}) =>
    machine.run({
      text: repository.withInstalled(lines.join("\n")),
      options: ["-eo", "pipefail"],
      environment: expand({ ...variables, ...more }),
    });
  const cache = `${repository.folder}-${expand({ ...variables, key }).key}`;
  if (existsSync(cache)) await cp(cache, machine.folder, { recursive: true });
  const isWell = (await run([...before_script, ...script])) === 0;
  // In a shell of its own. Its exit code does not count.
  if (after_script !== undefined && !machine.isLost)
    await run(after_script, { CI_JOB_STATUS: isWell ? "success" : "failed" });
  if (key !== "" && !machine.isLost) {
    await rm(cache, { recursive: true, force: true });
    for (const file of globSync(paths, { cwd: machine.folder }))
      await cp(join(machine.folder, file), join(cache, file));
  }
  return isWell ? "success" : "failure";
}

/** Merges a job into those that it extends, the last of which counts. */
function extend(pipeline: Pipeline, name: string): PipelineJob {
  const job = pipeline[name];
  if (job === undefined) throw new Error(`The pipeline has no job ${name}.`);
  const bases = [job.extends ?? []].flat().map((base) => extend(pipeline, base));
  const variables = Object.assign({}, ...[...bases, job].map((one) => one.variables));
  return Object.assign({}, ...bases, job, { variables });
}

/** Replaces variables in the values of others. */
function expand(variables: Record<string, string>): Record<string, string> {
  const pairs = Object.entries(variables).map(([name, text]) => [
    name,
    text.replace(/\$(\w+)/g, (_, other: string) => variables[other] ?? ""),
  ]);
  return Object.fromEntries(pairs);
}
