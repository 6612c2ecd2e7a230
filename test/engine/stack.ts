import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { inject } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import type { SDKS } from "./setup.js";
import { killAll } from "./setup.js";

/** The key and the secret of every engine test: nothing that anyone can read may hold them. */
export const KEY = "key-canary-4711";
export const SECRET = "whsec-canary-0815";

export interface Run {
  code: number;
  /** Standard output and error, as a terminal would show them. */
  output: string;
  /** Standard output alone. */
  stdout: string;
}

export interface Started {
  child: ChildProcess;
  ended: Promise<Run>;
}

export interface StackOptions {
  /** The text of index.ts, below the imports of pulumi and webhooks. */
  program: string;
  sdk?: keyof typeof SDKS;
  /** The folder that the program finds its modules from. Default: the one where the package is installed beside `sdk`. */
  project?: string;
  simulator?: SimulatorOptions;
  /** Settings and config beside key, address and `hookSecret`. */
  config?: Record<string, string>;
}

/** A stack of its own, with a simulator of its own, run by the real Pulumi CLI with a file backend. */
export class Stack implements AsyncDisposable {
  readonly folder: string;
  readonly api: Simulator;
  /** What the CLI is run with. */
  readonly environment: NodeJS.ProcessEnv;

  private constructor(folder: string, api: Simulator) {
    this.folder = folder;
    this.api = api;
    this.environment = {
      ...process.env,
      PATH: inject("engine") + delimiter + process.env.PATH,
      PULUMI_HOME: inject("home"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_STACK: "dev",
      PULUMI_CONFIG_PASSPHRASE: "passphrase",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
  }

  static async create(options: StackOptions): Promise<Stack> {
    const { program, sdk = "newest", project = inject("projects")[sdk], simulator, config } = options;
    const folder = await mkdtemp(join(project, "stack-"));
    const api = await startSimulator({ apiKey: KEY, ...simulator });
    const stack = new Stack(folder, api);
    await mkdir(join(folder, "state"));
    await writeFile(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, main: "index.ts" }));
    await stack.declare(program);
    await stack.ok("stack", "init", "dev");
    await stack.configure(
      { "webhooks:baseUrl": api.url, ...config },
      { "webhooks:apiKey": KEY, hookSecret: SECRET },
    );
    return stack;
  }

  /** Makes this the program. */
  async declare(program: string): Promise<void> {
    const imports =
      'import * as pulumi from "@pulumi/pulumi";\nimport * as webhooks from "pulumi-webhooks";\n';
    const config = "const config = new pulumi.Config();\n";
    await writeFile(join(this.folder, "index.ts"), `${imports}${config}${program}`);
  }

  /** Sets config, plain and encrypted. */
  async configure(plain: Record<string, string>, secret: Record<string, string> = {}): Promise<void> {
    const pairs = [
      ...Object.entries(plain).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]),
      ...Object.entries(secret).flatMap(([key, value]) => ["--secret", `${key}=${value}`]),
    ];
    await this.ok("config", "set-all", ...pairs);
  }

  /** Runs the CLI, whatever it ends with. */
  run(...args: string[]): Promise<Run> {
    return this.start(...args).ended;
  }

  /** Starts the CLI, which can then be killed. */
  start(...args: string[]): Started {
    return this.#spawn("pulumi", [...args, "--non-interactive", "--color=never"]);
  }

  /** Runs another command in the program's folder, as someone who works with this stack would. */
  command(file: string, ...args: string[]): Promise<Run> {
    return this.#spawn(file, args).ended;
  }

  #spawn(file: string, args: string[]): Started {
    const child = spawn(file, args, {
      cwd: this.folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let stdout = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (stream === child.stdout) stdout += text;
      });
    }
    const ended = once(child, "close").then(([code]) => ({ code: code ?? -1, output, stdout }));
    return { child, ended };
  }

  /** Runs the CLI, which must succeed. */
  async ok(...args: string[]): Promise<string> {
    const { code, output } = await this.run(...args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
    return output;
  }

  /** Runs the CLI, which must fail. */
  async fails(...args: string[]): Promise<string> {
    const { code, output } = await this.run(...args);
    if (code === 0) throw new Error(`pulumi ${args.join(" ")} should have failed:\n${output}`);
    return output;
  }

  up = (...args: string[]) => this.ok("up", "--yes", "--skip-preview", ...args);
  upFails = (...args: string[]) => this.fails("up", "--yes", "--skip-preview", ...args);
  destroy = (...args: string[]) => this.ok("destroy", "--yes", "--skip-preview", ...args);

  /** A preview must find nothing to do. */
  async expectNoChanges(...args: string[]): Promise<void> {
    await this.ok("preview", "--expect-no-changes", ...args);
  }

  /** The stack's outputs. */
  async outputs(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.ok("stack", "output", "--json"));
  }

  /** The state as text: what a backend, and whoever reads it, gets. */
  state(...args: string[]): Promise<string> {
    return this.ok("stack", "export", ...args);
  }

  /** The webhooks that the state records. */
  async recorded(...args: string[]): Promise<RecordedWebhook[]> {
    const { deployment } = JSON.parse(await this.state(...args));
    const resources: RecordedWebhook[] = deployment.resources ?? [];
    return resources.filter(({ type }) => type === "pulumi-nodejs:dynamic/webhooks:Webhook");
  }

  /** What was asked of the API since the last time, such as `create Orders` or `delete 1`. */
  takeCalls(): string[] {
    const calls = this.api.calls.map(({ operation, body, status }) => {
      const { name, webhook_id } = Object(body);
      const subject = operation === "create" ? name : webhook_id;
      return `${operation} ${subject}${status !== undefined && status < 300 ? "" : ` -> ${status ?? "no reply"}`}`;
    });
    this.api.clearCalls();
    return calls;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The program of a killed CLI would go on, at full speed.
    await killAll(this.folder);
    await this.api.close();
  }
}

export interface RecordedWebhook {
  urn: string;
  id: string;
  type: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  /** The line that declared it. */
  sourcePosition?: string;
  /** Empty where Pulumi could read no position. */
  stackTrace?: { sourcePosition?: string }[];
  delete?: boolean;
}
