import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import type * as EmptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import { type Changes, RecordedError } from "../lifecycle/run.js";
import { connectToEngine } from "../pulumi/connection.js";
import { requireFromSdk } from "../pulumi/sdk-modules.js";
import type { Ending } from "../pulumi/surroundings.js";
import { VERSION } from "../wording/version.js";
import { describeChanges } from "./detailed-diff.js";
import { InitFailure, toGrpcError } from "./grpc-error.js";
import { fromStruct, type Received, toStruct } from "./struct.js";
import type { CheckResult, WebhookPlugin } from "./webhook-plugin.js";

// The SDK's declarations name the types of its own protobuf.
const { Empty } = requireFromSdk("google-protobuf/google/protobuf/empty_pb.js") as typeof EmptyPb;

/** The schema from which Pulumi generates the SDKs of all languages. scripts/plugin-schema.mts writes it. */
const SCHEMA = JSON.stringify(createRequire(__filename)("../../plugin/schema.json"));

/** Returns the provider protocol's implementation. gRPC answers the methods that it lacks as unimplemented. */
export function createService(plugin: WebhookPlugin, termination: Ending): Grpc.UntypedServiceImplementation {
  const service = new Service(plugin);
  const finish = <Request, Response>(run: (request: Request) => Promise<Response>) =>
    unary((request: Request) => termination.finish(() => run(request)));
  return {
    getPluginInfo: unary(async () => new PluginInfo().setVersion(VERSION)),
    attach: unary(async (request: PluginAttach) => {
      connectToEngine(request.getAddress());
      return new Empty();
    }),
    handshake: unary(async () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true)),
    getSchema: unary(async () => new messages.GetSchemaResponse().setSchema(SCHEMA)),
    cancel: unary(async () => {
      termination.cancel();
      return new Empty();
    }),
    checkConfig: unary((request: messages.CheckRequest) => service.checkConfig(request)),
    diffConfig: unary(async (request: messages.DiffRequest) => diffConfig(request)),
    configure: unary((request: messages.ConfigureRequest) => service.configure(request)),
    check: unary((request: messages.CheckRequest) => service.check(request)),
    diff: unary((request: messages.DiffRequest) => service.diff(request)),
    create: finish((request: messages.CreateRequest) => service.create(request)),
    read: finish((request: messages.ReadRequest) => service.read(request)),
    update: finish((request: messages.UpdateRequest) => service.update(request)),
    delete: finish((request: messages.DeleteRequest) => service.delete(request)),
  };
}

function unary<Request, Response>(
  run: (request: Request) => Promise<Response>,
): Grpc.handleUnaryCall<Request, Response> {
  return ({ request }, callback) => {
    run(request).then(
      (response) => callback(null, response),
      (error) => callback(error instanceof InitFailure ? error.status : toGrpcError(error)),
    );
  };
}

/** The messages of the protocol on one side, the plugin on the other. */
class Service {
  readonly #plugin: WebhookPlugin;

  constructor(plugin: WebhookPlugin) {
    this.#plugin = plugin;
  }

  async checkConfig(request: messages.CheckRequest): Promise<messages.CheckResponse> {
    return toCheckResponse(await this.#plugin.checkConfig(request.getUrn(), fromStruct(request.getNews())));
  }

  async configure(request: messages.ConfigureRequest): Promise<messages.ConfigureResponse> {
    await this.#plugin.configure(request.getUrn() ?? "", fromStruct(request.getArgs()));
    return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  }

  async check(request: messages.CheckRequest): Promise<messages.CheckResponse> {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    return toCheckResponse(await this.#plugin.check({ urn: request.getUrn(), olds, news }));
  }

  async diff(request: messages.DiffRequest): Promise<messages.DiffResponse> {
    const id = request.getId();
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const ignored = request.getIgnorechangesList();
    const difference = await this.#plugin.diff({ urn: request.getUrn(), id, olds, news, ignored });
    const oldInputs = fromStruct(request.getOldInputs()).values;
    const compared = { id, difference, oldInputs, oldOutputs: olds.values, news: news.values };
    return toDiffResponse({ ...difference, described: describeChanges(compared) });
  }

  async create(request: messages.CreateRequest): Promise<messages.CreateResponse> {
    const inputs = fromStruct(request.getProperties());
    const response = new messages.CreateResponse();
    if (request.getPreview()) {
      return response.setProperties(this.#plugin.toStruct(this.#plugin.previewCreate(inputs), inputs));
    }
    const created = { urn: request.getUrn(), inputs, deadlineSeconds: deadlineOf(request) };
    const { id, outputs } = await this.#record(() => this.#plugin.create(created), [inputs]);
    return response
      .setId(id)
      .setProperties(this.#plugin.toStruct(outputs, inputs))
      .setRefreshBeforeUpdate(this.#plugin.refreshesBeforeUpdate);
  }

  async update(request: messages.UpdateRequest): Promise<messages.UpdateResponse> {
    const [id, urn] = [request.getId(), request.getUrn()];
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new messages.UpdateResponse();
    if (request.getPreview()) {
      const previewed = await this.#plugin.previewUpdate({ urn, id, olds, news });
      return response.setProperties(this.#plugin.toStruct(previewed, news));
    }
    const updated = { urn, id, olds, news, deadlineSeconds: deadlineOf(request) };
    // A failed update may record the old outputs.
    const { outputs } = await this.#record(() => this.#plugin.update(updated), [olds, news]);
    return response
      .setProperties(this.#plugin.toStruct(outputs, news))
      .setRefreshBeforeUpdate(this.#plugin.refreshesBeforeUpdate);
  }

  async read(request: messages.ReadRequest): Promise<messages.ReadResponse> {
    const [id, urn] = [request.getId(), request.getUrn()];
    const [outputs, inputs] = [fromStruct(request.getProperties()), fromStruct(request.getInputs())];
    // An import passes no properties.
    const result = request.hasProperties()
      ? await this.#plugin.read(id, outputs)
      : await this.#plugin.readImport({ urn, id });
    const response = new messages.ReadResponse();
    if (result === undefined) return response;
    return response
      .setId(id)
      .setProperties(this.#plugin.toStruct(result.outputs, outputs))
      .setInputs(this.#plugin.toStruct(result.inputs ?? inputs.values, inputs, outputs))
      .setRefreshBeforeUpdate(this.#plugin.refreshesBeforeUpdate);
  }

  async delete(request: messages.DeleteRequest): Promise<EmptyPb.Empty> {
    await this.#plugin.delete({
      urn: request.getUrn(),
      id: request.getId(),
      outputs: fromStruct(request.getProperties()),
      deadlineSeconds: deadlineOf(request),
    });
    return new Empty();
  }

  /** Runs a create or an update. An error that the engine must record becomes one that it can record. */
  async #record<Result>(run: () => Promise<Result>, received: readonly Received[]): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RecordedError)) throw error;
      const outputs = this.#plugin.toStruct(error.outputs, ...received);
      throw new InitFailure({ error, outputs, refreshesBeforeUpdate: this.#plugin.refreshesBeforeUpdate });
    }
  }
}

/** Returns the option `customTimeouts` for an operation. The engine passes zero if the program does not set it. */
function deadlineOf(request: { getTimeout(): number }): number | undefined {
  return request.getTimeout() || undefined;
}

/** A failure never names its property: the CLI would print the value along with it. */
function toCheckResponse({ values, secrets, problems }: CheckResult): messages.CheckResponse {
  const failures = problems.map((reason) => new messages.CheckFailure().setReason(reason));
  return new messages.CheckResponse().setInputs(toStruct(values, secrets)).setFailuresList(failures);
}

interface Described extends Changes {
  described: ReadonlyMap<string, messages.PropertyDiff> | undefined;
}

function toDiffResponse({ changes, replaces = [], described }: Described): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList([...replaces])
    .setDiffsList([...(described?.keys() ?? [])])
    .setHasdetaileddiff(described !== undefined);
  for (const [name, change] of described ?? []) response.getDetaileddiffMap().set(name, change);
  return response;
}

/** A changed setting never replaces the provider: that would replace its webhooks. */
function diffConfig(request: messages.DiffRequest): messages.DiffResponse {
  const [olds, news] = [fromStruct(request.getOldInputs()).values, fromStruct(request.getNews()).values];
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  const changed = [...names].filter((name) => olds[name] !== news[name]);
  const { UPDATE } = messages.PropertyDiff.Kind;
  const update = () => new messages.PropertyDiff().setInputdiff(true).setKind(UPDATE);
  return toDiffResponse({
    changes: changed.length > 0,
    described: new Map(changed.map((name) => [name, update()])),
  });
}
