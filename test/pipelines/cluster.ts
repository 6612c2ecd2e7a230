import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import { killAll } from "../engine/setup.js";
import { cleanEnvironment } from "./environment.js";
import type { SecretKey, Setting } from "./kubernetes-manifests.js";
import { readDriftCheck, readStack } from "./kubernetes-manifests.js";
import { addPackage } from "./setup.js";

const PROGRAM = join(import.meta.dirname, "../../examples/quickstart");

/** The Kubernetes Secret of the example. */
export const SECRETS: Record<SecretKey, string> = {
  GIT_TOKEN: "git-token-canary-99",
  PULUMI_CONFIG_PASSPHRASE: "passphrase-canary-1234",
  WEBHOOKS_API_KEY: "key-canary-4711",
};
/** The secret of a webhook. */
export const HOOK_SECRET = "whsec-canary-0815";

/** How a command ended. */
export interface Ended {
  code: number;
  output: string;
}

interface Command {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  input?: string;
}

/** What the manifests act on: the repository of the program, the state, and the API. */
export class Cluster implements AsyncDisposable {
  readonly api: Simulator;
  /** The folder of everything. */
  readonly folder: string;

  private constructor(folder: string, api: Simulator) {
    this.folder = folder;
    this.api = api;
  }

  /** Creates the repository and the stack, as the README of the example says. */
  static async create(): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-cluster-"));
    const { branch, stack } = await readStack();
    const apiKey = SECRETS.WEBHOOKS_API_KEY;
    const api = await startSimulator({ apiKey, behaviour: { emptyUpdate: "leaves updated_at" } });
    const cluster = new Cluster(folder, api);
    const repository = cluster.#repository;
    await cp(PROGRAM, repository, { recursive: true });
    await mkdir(join(folder, "state"));
    await addPackage(repository, inject("tarball"));
    await writeFile(join(repository, ".gitignore"), "node_modules/\n");
    await cluster.person(`git init --quiet --initial-branch=${branch}`);
    await cluster.person("npm install");
    await cluster.person(`pulumi stack init ${stack}`);
    await cluster.configure({
      "webhooks:baseUrl": api.url,
      "webhooks:drift": "probe",
      "webhooks:deadlineSeconds": "5",
    });
    await cluster.person("pulumi config set --secret hookSecret", HOOK_SECRET);
    await cluster.commit();
    return cluster;
  }

  /** Changes the config in the repository. */
  async configure(config: Record<string, string>): Promise<void> {
    const pairs = Object.entries(config).map(([key, value]) => `--plaintext ${key}=${value}`);
    await this.person(`pulumi config set-all ${pairs.join(" ")}`);
  }

  /** Commits what was changed in the repository. */
  async commit(): Promise<void> {
    await this.person("git add --all && git commit --quiet --message 'Change the webhooks'");
  }

  /** Runs a command in the repository that must succeed, as a person does who has the passphrase. */
  async person(command: string, input = ""): Promise<string> {
    const { PULUMI_CONFIG_PASSPHRASE } = SECRETS;
    const env = { PULUMI_BACKEND_URL: this.#backend, PULUMI_CONFIG_PASSPHRASE };
    const { code, output } = await this.#run({
      args: ["bash", "-c", command],
      cwd: this.#repository,
      env,
      input,
    });
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
    return output;
  }

  /** Runs an update as the operator's agent does: in a new pod and clone, with the environment and the volume of the Stack. */
  async update(): Promise<Ended> {
    const { branch, stack, envRefs, claims } = await readStack();
    const { PULUMI_HOME: home, ...env } = resolve(envRefs);
    const claim = claims.get(home ?? "");
    if (claim === undefined) throw new Error(`No volume is mounted at ${home}.`);
    const steps = [
      `git clone --quiet --depth 1 --branch ${branch} 'file://${this.#repository}' .`,
      "pulumi install",
      `pulumi stack select ${stack}`,
      "pulumi up --yes --skip-preview --non-interactive --color=never",
    ];
    return this.#run({
      args: ["bash", "-c", steps.join(" && ")],
      cwd: await this.#workspace(),
      env: { ...env, PULUMI_HOME: join(this.folder, claim), PULUMI_BACKEND_URL: this.#backend },
    });
  }

  /** Runs the container that checks for drift, with another repository if given. */
  async checkDrift(repository = `file://${this.#repository}`): Promise<Ended> {
    const { command, args, env } = await readDriftCheck();
    return this.#run({
      args: [...command, ...args],
      cwd: await this.#workspace(),
      env: { ...resolve(env), REPOSITORY: repository, PULUMI_BACKEND_URL: this.#backend },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.folder);
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #repository(): string {
    return join(this.folder, "repository");
  }

  get #backend(): string {
    return `file://${join(this.folder, "state")}`;
  }

  /** Makes the empty folder that a pod starts with. */
  #workspace(): Promise<string> {
    return mkdtemp(join(this.folder, "workspace-"));
  }

  async #run({ args: [file = "", ...args], cwd, env, input = "" }: Command): Promise<Ended> {
    const child = spawn(file, args, {
      cwd,
      env: {
        ...cleanEnvironment([inject("pulumi")]),
        PULUMI_HOME: join(this.folder, "home"),
        PULUMI_SKIP_UPDATE_CHECK: "true",
        ...env,
      },
      stdio: "pipe",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    // A command may end without reading it.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [code] = await once(child, "close");
    return { code: code ?? -1, output };
  }
}

/** Gives variables the values that Kubernetes would give them. */
function resolve(env: Record<string, Setting>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, setting]) => [
      name,
      "secret" in setting ? SECRETS[setting.secret] : setting.value,
    ]),
  );
}
