import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import ts from "typescript";
import { expect, inject } from "vitest";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/src/index.js";
import { isWebhookType, PLUGIN_TYPE, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { idOf, takeCalls } from "../calls.js";
import { KEY, killAll, type SDKS } from "./setup.js";

export { KEY, SECRET } from "./setup.js";

/** The two providers of the package, which run the same programs. */
export const FACES = ["dynamic", "plugin"] as const;
export type Face = (typeof FACES)[number];

/** Whether this is a run of the slow tests, which repeats those of `npm test` with more providers and SDKs. */
export const IS_SLOW_RUN = process.env.PULUMI_WEBHOOKS_TEST_ENGINE === "newest";
/** The providers in the tests of `npm test`. */
export const TESTED_FACES: readonly Face[] = IS_SLOW_RUN ? FACES : ["dynamic"];

const SDK_OF = { dynamic: "pulumi-webhooks", plugin: "./plugin-sdk" };
const TYPE_OF = { dynamic: WEBHOOK_TYPE, plugin: PLUGIN_TYPE };

export interface Run {
  code: number;
  /** Standard output and error, as a terminal shows them. */
  output: string;
  stdout: string;
}

export interface Started {
  child: ChildProcess;
  /** Waits until it has printed a text. */
  printed: (text: string) => Promise<void>;
  ended: Promise<Run>;
}

/** What `resolve --json` says of an unresolved create. */
interface Unresolved {
  resource: string;
  name?: string;
  url?: string;
  createdId?: string;
  keep?: { id: string }[];
}

export interface StackOptions {
  /** The provider that the program's `webhooks` is of. Default: the dynamic one. */
  face?: Face;
  /** The text of index.ts, below the imports of pulumi and webhooks. Default: an empty program. */
  program?: string;
  sdk?: keyof typeof SDKS;
  /** The folder from which the program loads modules. Default: the one with `sdk`. */
  project?: string;
  /** Whether Pulumi compiles the program, as it does by default. It takes a tenth of each run. */
  compiledByPulumi?: boolean;
  /** Whether it also checks the types, as it does by default. It doubles the time of a run. */
  typeCheck?: boolean;
  simulator?: SimulatorOptions;
  /** Config in addition to `webhooks:apiKey`, `webhooks:baseUrl` and `hookSecret`. */
  config?: Record<string, string>;
}

/** A stack with its own simulator, run by the real Pulumi CLI with a file backend. */
export class Stack implements AsyncDisposable {
  readonly face: Face;
  readonly folder: string;
  readonly api: Simulator;
  name = "dev";
  readonly environment: NodeJS.ProcessEnv;
  readonly #isCompiled: boolean;

  private constructor(face: Face, folder: string, api: Simulator, isCompiled: boolean) {
    this.face = face;
    this.folder = folder;
    this.api = api;
    this.#isCompiled = isCompiled;
    this.environment = {
      ...process.env,
      ...inject("engine"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    };
  }

  static async create(options: StackOptions = {}): Promise<Stack> {
    const { face = "dynamic", program = "", sdk = "newest", simulator, config, typeCheck = false } = options;
    const { project = inject("projects")[sdk], compiledByPulumi = typeCheck } = options;
    const folder = await mkdtemp(join(project, "stack-"));
    const api = await startSimulator({ apiKey: KEY, ...simulator });
    const stack = new Stack(face, folder, api, !compiledByPulumi);
    if (!typeCheck) stack.environment.PULUMI_NODEJS_TRANSPILE_ONLY = "true";
    await cp(inject("newStack"), folder, { recursive: true });
    if (compiledByPulumi) await writeFile(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    const lines = Object.entries({ "webhooks:baseUrl": api.url, ...config }).map(
      ([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`,
    );
    await appendFile(join(folder, "Pulumi.dev.yaml"), lines.join(""));
    const main = compiledByPulumi ? "index.ts" : "index.js";
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, main }));
    if (face === "plugin") {
      // As in a project in which the package is installed, or on a machine with a global one.
      stack.environment.PATH = join(project, "node_modules/.bin") + delimiter + stack.environment.PATH;
      await stack.#write("plugin-sdk", await readFile(join(import.meta.dirname, "plugin-sdk.ts"), "utf8"));
    }
    await stack.declare(program);
    return stack;
  }

  /** Replaces the program. A stack of the plugin can also move to the dynamic provider, and back. */
  async declare(program: string, face = this.face): Promise<void> {
    const imports = `import * as pulumi from "@pulumi/pulumi";\nimport * as webhooks from "${SDK_OF[face]}";\n`;
    const config = "const config = new pulumi.Config();\n";
    await this.#write("index", `${imports}${config}${program}`);
  }

  async #write(name: string, text: string): Promise<void> {
    const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
    const [extension, content] = this.#isCompiled ? ["js", ts.transpile(text, options)] : ["ts", text];
    await writeFile(join(this.folder, `${name}.${extension}`), content);
  }

  /** Returns the URN of a webhook that the program declares at its top. */
  urn(name: string): string {
    return `urn:pulumi:dev::test::${TYPE_OF[this.face]}::${name}`;
  }

  /** Sets config: plain values, and secrets. */
  async configure(plain: Record<string, string>, secret: Record<string, string> = {}): Promise<void> {
    const pairs = [
      ...Object.entries(plain).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]),
      ...Object.entries(secret).flatMap(([key, value]) => ["--secret", `${key}=${value}`]),
    ];
    await this.ok("config", "set-all", ...pairs);
  }

  run(...args: string[]): Promise<Run> {
    return this.start(...args).ended;
  }

  /** Runs the stack on another machine from now on: with another Pulumi home, which has no notes. */
  useMachine(name: string): void {
    this.environment.PULUMI_HOME = join(this.folder, name);
  }

  /** Starts the CLI, so that a test can kill it. */
  start(...args: string[]): Started {
    return this.#spawn("pulumi", [...args, "--non-interactive", "--color=never"]);
  }

  webhooks(...args: string[]): Promise<Run> {
    return this.command(this.#bin, ...args);
  }

  get #bin(): string {
    return join(this.folder, "../node_modules/.bin/pulumi-webhooks");
  }

  /** Starts the command that answers for unresolved webhooks, two hours later: none is refused as long as a create may take effect. */
  startResolve(...options: string[]): Started {
    const restore = this.preload(join(import.meta.dirname, "later.cjs"));
    const started = this.#spawn(this.#bin, ["resolve", "--stack", this.name, ...options]);
    restore();
    return started;
  }

  resolve = (...options: string[]) => this.startResolve(...options).ended;

  /** Lets every Node.js process load a file first, until the returned function is called. */
  preload(file: string): () => void {
    const { NODE_OPTIONS } = this.environment;
    this.environment.NODE_OPTIONS = `${NODE_OPTIONS} --require ${file}`;
    return () => Object.assign(this.environment, { NODE_OPTIONS });
  }

  /**
   * Answers for all unresolved webhooks as a person does who knows only what the command says: deletes each webhook in the dashboard
   * that looks like one of them and is not to be kept, and answers none.
   */
  async answerNone(): Promise<Run> {
    const listed = await this.resolve("--json");
    const { unresolved } = JSON.parse(listed.stdout) as { unresolved: Unresolved[] };
    for (const { resource, name = resource, url, createdId, keep = [] } of unresolved)
      for (const webhook of this.api.webhooks) {
        const looksAlike = webhook.name === name && webhook.url === (url ?? webhook.url);
        const isIt = createdId === undefined ? looksAlike : webhook.id === createdId;
        const isKept = keep.some(({ id }) => id === webhook.id);
        if (isIt && !isKept) this.api.dashboard.delete(webhook.id);
      }
    return this.resolve("--none");
  }

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
    return {
      child,
      printed: (text) => expect.poll(() => output, { timeout: 300_000 }).toContain(text),
      ended: once(child, "close").then(([code]) => ({ code: code ?? -1, output, stdout })),
    };
  }

  async ok(...args: string[]): Promise<string> {
    const { code, output } = await this.run(...args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
    return output;
  }

  async fails(...args: string[]): Promise<string> {
    const { code, output } = await this.run(...args);
    if (code === 0) throw new Error(`pulumi ${args.join(" ")} should have failed:\n${output}`);
    return output;
  }

  /** Replaces the program, and runs an up. */
  async deploy(program: string): Promise<string> {
    await this.declare(program);
    return this.up();
  }

  up = (...args: string[]) => this.ok("up", "--yes", "--skip-preview", ...args);
  upFails = (...args: string[]) => this.fails("up", "--yes", "--skip-preview", ...args);
  destroy = (...args: string[]) => this.ok("destroy", "--yes", "--skip-preview", ...args);

  expectNoChanges = (...args: string[]) => this.ok("preview", "--expect-no-changes", ...args);

  async outputs(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.ok("stack", "output", "--json"));
  }

  state(...args: string[]): Promise<string> {
    return this.ok("stack", "export", ...args);
  }

  async recorded(...args: string[]): Promise<RecordedWebhook[]> {
    const { deployment } = JSON.parse(await this.state(...args));
    const resources: RecordedWebhook[] = deployment.resources ?? [];
    return resources.filter(({ type }) => isWebhookType(type));
  }

  /** Lets minutes pass at the API, which may not find a webhook that is younger than two. */
  passMinutes(): void {
    this.api.behavior.clockSkewSeconds += 300;
  }

  /** Returns the requests since the last time, such as `create Orders` or `delete 1`. */
  takeCalls(): string[] {
    return takeCalls(this.api);
  }

  idOf(name: string): string {
    return idOf(this.api, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The program of a killed CLI keeps running.
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
  /** Empty if Pulumi found no position. */
  stackTrace?: { sourcePosition?: string }[];
  delete?: boolean;
}
