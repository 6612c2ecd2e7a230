import { promisify } from "node:util";
import type * as Grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { onTestFinished } from "vitest";
import { Notes } from "../../src/notes/notes.js";
import { readNotes } from "../../src/notes/read-notes.js";
import { serve } from "../../src/plugin/service.js";
import { grpc } from "../../src/pulumi/sdk-internals.js";
import { readWithWarnings } from "../../src/pulumi/stack-reading.js";
import { endingError } from "../../src/pulumi/termination.js";
import { toSecret } from "../../src/record/special-values.js";
import type { StackName } from "../../src/record/stack-name.js";
import { StackBeforeRun } from "../../src/stack/stack-before-run.js";
import { PLUGIN_TYPE, type StackExport } from "../../src/stack/stack-export.js";
import { failureOf } from "../lifecycle/runs.js";
import { api, warnings } from "../lifecycle/simulator.js";
import { API_KEY, SECRET } from "../lifecycle/webhooks.js";
import { type Properties, read, toRequest } from "./messages.js";

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

  private constructor(client: ResourceProviderClient) {
    this.#client = client;
  }

  /** Starts a plugin, which the end of the test stops. */
  static async start(exported: StackExport | Error = {}, notes = new Notes()): Promise<Plugin> {
    const controller = new AbortController();
    const read = async (running: StackName) => {
      if (exported instanceof Error) throw exported;
      return new StackBeforeRun(exported, readNotes(notes.folder, running), { name: running });
    };
    const { port, close } = await serve({
      log: { warn: (line) => void warnings.push(line), progress: () => {} },
      notes,
      // The signals are those of the process that runs the tests.
      finish: (operation) => operation(),
      cancel: () => controller.abort(endingError()),
      signal: controller.signal,
      completeName: async (stack) => stack,
      readStack: (running, shown) => readWithWarnings(read(running), shown),
    });
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    onTestFinished(() => {
      client.close();
      close();
    });
    return new Plugin(client);
  }

  /** Starts a plugin for a stack, and sets its settings. */
  static async configured({ settings, state, notes }: Partial<Configured> = {}): Promise<Plugin> {
    const plugin = await Plugin.start(state, notes);
    await plugin.configure(settings);
    return plugin;
  }

  configure(settings: Properties = {}): Promise<messages.ConfigureResponse> {
    const args = { apiKey: toSecret(API_KEY), baseUrl: api.url, ...settings };
    return this.call("configure", { urn: PROVIDER_URN, args });
  }

  async checkConfig(news: Properties, urn = PROVIDER_URN) {
    return toChecked(await this.call("checkConfig", { urn, news }));
  }

  async check(news: Properties, { urn = ORDERS, olds = {} } = {}) {
    return toChecked(await this.call("check", { urn, olds, news }));
  }

  async diff({ ignored = [], oldInputs, ...change }: Changed) {
    const more = { ignorechangesList: ignored, oldInputs: oldInputs ?? change.olds };
    const response = await this.call<messages.DiffResponse>("diff", { urn: ORDERS, ...more, ...change });
    const details = [...response.getDetaileddiffMap().entries()] as [string, messages.PropertyDiff][];
    return {
      changes: response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
      replaces: response.getReplacesList(),
      diffs: response.getDiffsList(),
      /** Undefined if the engine compares the inputs itself. */
      details: response.getHasdetaileddiff()
        ? Object.fromEntries(details.map(([name, detail]) => [name, KINDS[detail.getKind()]]))
        : undefined,
    };
  }

  async create(properties: Properties, { preview = false } = {}) {
    const response = await this.call<messages.CreateResponse>("create", { urn: ORDERS, preview, properties });
    return { id: response.getId(), outputs: read(response.getProperties()) };
  }

  async update(change: Changed) {
    const response = await this.call<messages.UpdateResponse>("update", { urn: ORDERS, ...change });
    return read(response.getProperties());
  }

  /** Reads a webhook, or, without outputs, imports it. */
  async read(id: string, recorded?: Record<"outputs" | "inputs", Properties>, urn = ORDERS) {
    const more = recorded && { properties: recorded.outputs, inputs: recorded.inputs };
    const response = await this.call<messages.ReadResponse>("read", { id, urn, ...more });
    const [found, foundInputs] = [response.getProperties(), response.getInputs()];
    return { id: response.getId(), outputs: read(found), inputs: read(foundInputs) };
  }

  async delete(id: string, properties: Properties): Promise<void> {
    await this.call("delete", { id, urn: ORDERS, properties });
  }

  /** Calls a method of the protocol. @throws a CallError. */
  async call<Response>(method: Parameters<typeof toRequest>[0], fields: object = {}): Promise<Response> {
    const send = promisify(Reflect.get(this.#client, method)).bind(this.#client);
    return send(toRequest(method, fields)).catch((error: Grpc.ServiceError) => {
      throw toCallError(error);
    });
  }
}

function toChecked(response: messages.CheckResponse) {
  const failures = response.getFailuresList();
  const problems = failures.map((failure) => failure.getProperty() + failure.getReason());
  return { inputs: read(response.getInputs()), problems };
}

interface Changed {
  id: string;
  olds: Properties;
  /** Default: the old outputs. */
  oldInputs?: Properties;
  news: Properties;
  ignored?: string[];
  preview?: boolean;
}

const KINDS = ["add", "add, replace", "delete", "delete, replace", "update", "update, replace"];

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
