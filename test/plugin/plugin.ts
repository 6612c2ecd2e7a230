import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import type * as StructPb from "google-protobuf/google/protobuf/struct_pb.js";
import { afterEach, beforeEach, vi } from "vitest";
import { requireFromSdk } from "../../src/engine/sdk-modules.js";
import { endingError } from "../../src/engine/termination.js";
import { Notes } from "../../src/notes/notes.js";
import { serve } from "../../src/plugin/server.js";
import { RecordedStack } from "../../src/stack/recorded-stack.js";
import { toSecret } from "../../src/stack/secret-value.js";
import type { StackExport } from "../../src/stack/stack-export.js";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import { failureOf } from "../lifecycle/runs.js";
import { api, useSimulator, warnings } from "../lifecycle/simulator.js";
import { API_KEY, SECRET } from "../lifecycle/webhooks.js";

const { Struct } = requireFromSdk("google-protobuf/google/protobuf/struct_pb.js") as typeof StructPb;
const grpc = requireFromSdk("@grpc/grpc-js") as typeof Grpc;

export { toSecret };
export const PROVIDER_URN = "urn:pulumi:dev::test::pulumi:providers:webhooks::default_0_1_0";
export const urnOf = (name: string, type = PLUGIN_TYPE) => `urn:pulumi:dev::test::${type}::${name}`;
export const ORDERS = urnOf("orders");

/** A declared webhook with a secret, as the engine passes it. */
export const orders = {
  url: "https://example.com/hooks/orders",
  name: "Orders",
  enabled: true,
  secret: toSecret(SECRET),
};

type Properties = Record<string, unknown>;
export const toStruct = (values: Properties) =>
  Struct.fromJavaScript(values as Record<string, StructPb.JavaScriptValue>);
export const read = (struct: StructPb.Struct | undefined): Properties => struct?.toJavaScript() ?? {};

/** An error of a call, with what the engine must record. */
export interface CallError {
  details: string;
  recorded?: { id: string; outputs: Properties; reasons: string[] };
}

interface Configured {
  settings: Properties;
  state: StackExport;
  notes: Notes;
}

/** A plugin that serves this process, and a client that calls it as the engine does. */
export class Plugin {
  readonly #client: ResourceProviderClient;
  readonly #close: () => void;

  private constructor(client: ResourceProviderClient, close: () => void) {
    this.#client = client;
    this.#close = close;
  }

  static async start(exported: StackExport | Error = {}, notes = new Notes()): Promise<Plugin> {
    const controller = new AbortController();
    const { port, close } = await serve(
      {
        log: { warn: (line) => void warnings.push(line), progress: () => {} },
        notes,
        connect: () => controller.signal,
        readStack: async () => {
          if (exported instanceof Error) throw exported;
          return new RecordedStack(exported);
        },
      },
      // The signals are those of the process that runs the tests.
      { finish: (operation) => operation(), cancel: () => controller.abort(endingError()) },
    );
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const plugin = new Plugin(client, close);
    plugins.push(plugin);
    return plugin;
  }

  /** Starts a plugin for a stack, and sets its settings. */
  static async configured({ settings, state, notes }: Partial<Configured> = {}): Promise<Plugin> {
    const plugin = await Plugin.start(state, notes);
    await plugin.configure(settings);
    return plugin;
  }

  configure(settings: Properties = {}, urn = PROVIDER_URN): Promise<messages.ConfigureResponse> {
    const args = toStruct({ apiKey: toSecret(API_KEY), baseUrl: api.url, ...settings });
    return this.call("configure", new messages.ConfigureRequest().setUrn(urn).setArgs(args));
  }

  async checkConfig(settings: Properties, urn = PROVIDER_URN) {
    return this.#check("checkConfig", { urn, olds: {}, news: settings });
  }

  async check(news: Properties, { urn = ORDERS, olds = {} }: { urn?: string; olds?: Properties } = {}) {
    return this.#check("check", { urn, olds, news });
  }

  async #check(method: string, { urn, olds, news }: { urn: string; olds: Properties; news: Properties }) {
    const request = new messages.CheckRequest().setUrn(urn).setOlds(toStruct(olds)).setNews(toStruct(news));
    const response = await this.call<messages.CheckResponse>(method, request);
    const failures = response.getFailuresList();
    const problems = failures.map((failure) => failure.getProperty() + failure.getReason());
    return { inputs: read(response.getInputs()), problems };
  }

  async diff({ ignored = [], ...change }: Changed & { ignored?: string[] }) {
    const request = ofChange(new messages.DiffRequest().setIgnorechangesList(ignored), change);
    const response = await this.call<messages.DiffResponse>("diff", request);
    const details = [...response.getDetaileddiffMap().entries()] as [string, messages.PropertyDiff][];
    return {
      changes: response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
      replaces: response.getReplacesList(),
      /** Undefined if the engine compares the inputs itself. */
      details: response.getHasdetaileddiff()
        ? Object.fromEntries(details.map(([name, detail]) => [name, KINDS[detail.getKind()]]))
        : undefined,
    };
  }

  async create(inputs: Properties, { urn = ORDERS, preview = false } = {}) {
    const request = new messages.CreateRequest()
      .setUrn(urn)
      .setPreview(preview)
      .setProperties(toStruct(inputs));
    const response = await this.call<messages.CreateResponse>("create", request);
    return {
      id: response.getId(),
      outputs: read(response.getProperties()),
      refreshesBeforeUpdate: response.getRefreshBeforeUpdate(),
    };
  }

  async update({ preview = false, ...change }: Changed) {
    const request = ofChange(new messages.UpdateRequest().setPreview(preview), change);
    return read((await this.call<messages.UpdateResponse>("update", request)).getProperties());
  }

  /** Reads a webhook, or, without outputs, imports it. */
  async read(id: string, recorded?: { outputs: Properties; inputs: Properties }, urn = ORDERS) {
    const request = new messages.ReadRequest().setId(id).setUrn(urn);
    if (recorded !== undefined) {
      request.setProperties(toStruct(recorded.outputs)).setInputs(toStruct(recorded.inputs));
    }
    const response = await this.call<messages.ReadResponse>("read", request);
    const [outputs, inputs] = [response.getProperties(), response.getInputs()];
    return { id: response.getId(), outputs: read(outputs), inputs: read(inputs) };
  }

  async delete(id: string, outputs: Properties, urn = ORDERS): Promise<void> {
    const request = new messages.DeleteRequest().setId(id).setUrn(urn).setProperties(toStruct(outputs));
    await this.call("delete", request);
  }

  /** Calls a method of the protocol. @throws a CallError. */
  call<Response>(method: string, request: unknown): Promise<Response> {
    return new Promise((resolve, reject) => {
      const callback = (error: Grpc.ServiceError | null, response: Response) => {
        if (error === null) resolve(response);
        else reject(toCallError(error));
      };
      Reflect.apply(Reflect.get(this.#client, method), this.#client, [request, callback]);
    });
  }

  stop(): void {
    this.#client.close();
    this.#close();
  }
}

interface Changed {
  id: string;
  olds: Properties;
  oldInputs?: Properties;
  news: Properties;
  preview?: boolean;
}

/** Sets what the requests of a diff and an update of the webhook orders have in common. */
function ofChange<Request extends messages.DiffRequest | messages.UpdateRequest>(
  request: Request,
  { id, olds, oldInputs = olds, news }: Changed,
): Request {
  request
    .setId(id)
    .setUrn(ORDERS)
    .setOlds(toStruct(olds))
    .setOldInputs(toStruct(oldInputs))
    .setNews(toStruct(news));
  return request;
}

const KINDS = ["add", "add, replace", "delete", "delete, replace", "update", "update, replace"];

let plugins: Plugin[] = [];

/** Gives each test of the file a simulator, and stops its plugins. */
export function usePlugin(): void {
  useSimulator();
  beforeEach(() => {
    plugins = [];
    vi.stubEnv("PULUMI_HOME", mkdtempSync(join(tmpdir(), "pulumi-webhooks-test-")));
  });
  afterEach(() => {
    for (const plugin of plugins) plugin.stop();
    rmSync(process.env.PULUMI_HOME ?? "", { recursive: true });
    vi.unstubAllEnvs();
  });
}

/** Returns the error that a call ends with. */
export const errorOf = failureOf as unknown as (call: Promise<unknown>) => Promise<CallError>;
/** Returns its text. */
export const detailsOf = async (call: Promise<unknown>) => (await errorOf(call)).details;

function toCallError({ details, metadata }: Grpc.ServiceError): CallError {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) return { details };
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  const failure = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? Buffer.of());
  const outputs = read(failure.getProperties());
  return { details, recorded: { id: failure.getId(), outputs, reasons: failure.getReasonsList() } };
}
