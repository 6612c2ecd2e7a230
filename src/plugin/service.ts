import { createRequire } from "node:module";
import { RecordedError } from "../lifecycle/run.js";
import type { Received } from "../lifecycle/values.js";
import {
  Empty,
  type Grpc,
  grpc,
  messages,
  PluginInfo,
  ResourceProviderService,
} from "../pulumi/sdk-internals.js";
import type { Surroundings } from "../pulumi/surroundings.js";
import { VERSION } from "../wording/version.js";
import { toConfigDiffResponse, toDiffResponse } from "./diff-response.js";
import { InitFailure, toGrpcError } from "./grpc-error.js";
import { fromStruct, toStruct } from "./struct.js";
import { type CheckResult, WebhookPlugin } from "./webhook-plugin.js";

/** The schema from which Pulumi generates the SDKs of all languages. scripts/plugin-schema.mts writes it. */
const SCHEMA = JSON.stringify(createRequire(__filename)("../../plugin/schema.json"));

/** Serves the provider protocol on a free port of this machine. */
export async function serve(surroundings: Surroundings): Promise<{ port: number; close: () => void }> {
  const server = new grpc.Server();
  server.addService(ResourceProviderService, createService(surroundings));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { port, close: () => server.forceShutdown() };
}

/** Returns the provider protocol's implementation. gRPC answers the methods that it lacks as unimplemented. */
function createService(surroundings: Surroundings): Grpc.UntypedServiceImplementation {
  const { termination } = surroundings;
  const plugin = new WebhookPlugin(surroundings);
  const finish = <Request, Response>(run: (request: Request) => Promise<Response>) =>
    unary((request: Request) => termination.finish(() => run(request)));
  /** Runs a create or an update, and turns a RecordedError into an InitFailure, which the engine can record. */
  const recordFailureOf = async <Result>(running: Promise<Result>, ...received: readonly Received[]) => {
    try {
      return await running;
    } catch (error) {
      if (!(error instanceof RecordedError)) throw error;
      const outputs = plugin.toStruct(error.outputs, ...received);
      throw new InitFailure(error, outputs);
    }
  };
  return {
    getPluginInfo: unary(async () => new PluginInfo().setVersion(VERSION)),
    handshake: unary(async () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true)),
    getSchema: unary(async () => new messages.GetSchemaResponse().setSchema(SCHEMA)),
    cancel: unary(async () => {
      termination.cancel();
      return new Empty();
    }),
    checkConfig: unary(async (request: messages.CheckRequest) =>
      toCheckResponse(await plugin.checkConfig(request.getUrn(), fromStruct(request.getNews()))),
    ),
    diffConfig: unary(async (request: messages.DiffRequest) => toConfigDiffResponse(request)),
    configure: unary(async (request: messages.ConfigureRequest) => {
      await plugin.configure(request.getUrn() ?? "", fromStruct(request.getArgs()));
      return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    check: unary(async (request: messages.CheckRequest) => {
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      return toCheckResponse(await plugin.check({ urn: request.getUrn(), olds, news }));
    }),
    diff: unary(async (request: messages.DiffRequest) => {
      const ignored = request.getIgnorechangesList();
      return toDiffResponse(request, await plugin.diff({ ...changeOf(request), ignored }));
    }),
    create: finish(async (request: messages.CreateRequest) => {
      const inputs = fromStruct(request.getProperties());
      const response = new messages.CreateResponse();
      if (request.getPreview())
        return response.setProperties(plugin.toStruct(plugin.previewCreate(inputs), inputs));
      const created = { urn: request.getUrn(), inputs, deadlineSeconds: deadlineOf(request) };
      const { id, outputs } = await recordFailureOf(plugin.create(created), inputs);
      return response.setId(id).setProperties(plugin.toStruct(outputs, inputs));
    }),
    read: finish(async (request: messages.ReadRequest) => {
      const [id, urn] = [request.getId(), request.getUrn()];
      const [outputs, inputs] = [fromStruct(request.getProperties()), fromStruct(request.getInputs())];
      // An import passes no properties.
      const result = request.hasProperties()
        ? await plugin.read({ id, urn, outputs })
        : await plugin.readImport({ urn, id });
      const response = new messages.ReadResponse();
      if (result === undefined) return response;
      const { secrets = outputs.secrets } = result;
      const read = { ...outputs, secrets };
      return response
        .setId(id)
        .setProperties(plugin.toStruct(result.outputs, read))
        .setInputs(plugin.toStruct(result.inputs ?? inputs.values, inputs, read));
    }),
    update: finish(async (request: messages.UpdateRequest) => {
      const change = { ...changeOf(request), deadlineSeconds: deadlineOf(request) };
      const { olds, news } = change;
      const response = new messages.UpdateResponse();
      if (request.getPreview())
        return response.setProperties(plugin.toStruct(await plugin.previewUpdate(change), news));
      // A failed update may record the old outputs.
      const { outputs } = await recordFailureOf(plugin.update(change), olds, news);
      return response.setProperties(plugin.toStruct(outputs, news));
    }),
    delete: finish(async (request: messages.DeleteRequest) => {
      const outputs = fromStruct(request.getProperties());
      const [id, urn, deadlineSeconds] = [request.getId(), request.getUrn(), deadlineOf(request)];
      await plugin.delete({ id, urn, outputs, deadlineSeconds });
      return new Empty();
    }),
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

/** Reads what the engine passes to compare a webhook, or to update it. */
function changeOf(request: messages.DiffRequest | messages.UpdateRequest) {
  const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
  return { urn: request.getUrn(), id: request.getId(), olds, news };
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
