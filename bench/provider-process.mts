// Measures the dynamic provider's process over gRPC, without the engine, and the time to load the package.

import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { serializedProvider } from "../dist/stack/serialized-provider.js";
import type { Api } from "./api.mts";

const run = promisify(execFile);
// The gRPC modules of the SDK, which are not public.
const requireOfSdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi"));
const grpc = requireOfSdk("@grpc/grpc-js");
const services = requireOfSdk("./proto/provider_grpc_pb.js");
const messages = requireOfSdk("./proto/provider_pb.js");
const { Struct } = requireOfSdk("google-protobuf/google/protobuf/struct_pb.js");

const COLLECTOR = fileURLToPath(new URL("collector.cjs", import.meta.url));
const IN_FLIGHT = 16;

export interface Options {
  /** The folder where the package is installed beside the SDK. */
  project: string;
  api: Api;
}

/** Measures the seconds that a program needs to load the SDK, with this package or without. */
export async function loading({
  project,
  withPackage,
}: {
  project: string;
  withPackage: boolean;
}): Promise<number> {
  const modules = ["@pulumi/pulumi", ...(withPackage ? ["pulumi-webhooks"] : [])];
  const script = [
    "const started = performance.now();",
    ...modules.map((name) => `require("${name}");`),
    "console.log((performance.now() - started) / 1000);",
  ].join("\n");
  const { stdout } = await run(process.execPath, ["-e", script], { cwd: project });
  return Number(stdout);
}

/** Measures the seconds from the start of a provider's process to its first reply, to a check. */
export async function firstCall(options: Options & { contestant: ProviderContestant }): Promise<number> {
  const provider = await PROVIDERS[options.contestant]();
  const started = performance.now();
  await using running = await ProviderProcess.start(options);
  await running.check({ __provider: provider, ...fields(0) });
  return (performance.now() - started) / 1000;
}

/**
 * Measures the memory of a provider's process in megabytes, after each 1,000 creates and updates: resident, or what
 * remains of its heap after a garbage collection.
 */
export async function memoryOverCalls({
  calls,
  contestant,
  memory,
  ...options
}: Options & { calls: number; contestant: ProviderContestant; memory: "resident" | "live" }): Promise<
  number[]
> {
  const provider = await PROVIDERS[contestant]();
  await using running = await ProviderProcess.start(options);
  const megabytes: number[] = [];
  while (megabytes.length < calls / 1000) {
    let next = 0;
    const work = async () => {
      while (next < 500) {
        const inputs = { __provider: provider, ...fields(next++) };
        const { id, state } = await running.create(inputs);
        await running.update(id, state, { ...inputs, url: "https://example.com/moved" });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    megabytes.push(await (memory === "resident" ? running.residentMegabytes() : running.liveMegabytes()));
  }
  return megabytes;
}

const PROVIDERS = { "pulumi-webhooks": async () => serializedProvider, "no-op": noOp };
export type ProviderContestant = keyof typeof PROVIDERS;

const fields = (n: number) => ({ url: `https://example.com/hooks/${n}`, name: `hook-${n}`, enabled: true });

/** Serializes a provider that does nothing, as dynamic.Resource would. */
async function noOp(): Promise<string> {
  const provider: pulumi.dynamic.ResourceProvider = {
    create: async (inputs) => ({ id: inputs.name, outs: inputs }),
  };
  const { text } = await pulumi.runtime.serializeFunction(() => provider);
  return text;
}

class ProviderProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's gRPC client has no public types.
  readonly #client: any;

  private constructor(child: ChildProcess, port: string) {
    this.#child = child;
    this.#client = new services.ResourceProviderClient(
      `127.0.0.1:${port}`,
      grpc.credentials.createInsecure(),
    );
  }

  /** Starts the process as the engine does, and configures it. */
  static async start({ project, api }: Options): Promise<ProviderProcess> {
    const script = join(project, "node_modules/@pulumi/pulumi/cmd/dynamic-provider");
    // The address of the engine. Nothing listens there, so the log is dropped.
    const child = spawn(process.execPath, ["--expose-gc", "--require", COLLECTOR, script, "127.0.0.1:9"], {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    if (!child.stdout) throw new Error("the provider's process has no output");
    const [port] = await once(createInterface(child.stdout), "line");
    const started = new ProviderProcess(child, port);
    const request = new messages.ConfigureRequest();
    request.setArgs(struct({ "webhooks:apiKey": api.apiKey, "webhooks:baseUrl": api.url }));
    await started.#call("configure", request);
    return started;
  }

  async check(inputs: object): Promise<void> {
    const request = new messages.CheckRequest();
    request.setOlds(struct({}));
    request.setNews(struct(inputs));
    await this.#call("check", request);
  }

  async create(inputs: object): Promise<{ id: string; state: object }> {
    const request = new messages.CreateRequest();
    request.setProperties(struct(inputs));
    const reply = await this.#call("create", request);
    return { id: reply.getId(), state: reply.getProperties().toJavaScript() };
  }

  async update(id: string, olds: object, news: object): Promise<void> {
    const request = new messages.UpdateRequest();
    request.setId(id);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    await this.#call("update", request);
  }

  async liveMegabytes(): Promise<number> {
    this.#child.send("collect");
    const [bytes] = await once(this.#child, "message");
    return bytes / 2 ** 20;
  }

  async residentMegabytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the replies have no public types either.
  #call(method: string, request: object): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#client[method](request, (error: Error | null, reply: object) =>
        error ? reject(error) : resolve(reply),
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}

function struct(value: object): object {
  return Struct.fromJavaScript(value);
}
