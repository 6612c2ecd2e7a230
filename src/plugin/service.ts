import { createRequire } from "node:module";
import { promisify } from "node:util";
import { RecordedError } from "../lifecycle/run.js";
import type { Properties, Received } from "../lifecycle/values.js";
import {
  Any,
  Empty,
  type Grpc,
  grpc,
  messages,
  PluginInfo,
  ResourceProviderService,
  Status,
  type StructPb,
} from "../pulumi/sdk-internals.js";
import type { Surroundings } from "../pulumi/surroundings.js";
import { messageOf } from "../wording/errors.js";
import { VERSION } from "../wording/version.js";
import { fromStruct } from "./struct.js";
import { WebhookPlugin } from "./webhook-plugin.js";

/** The schema from which Pulumi generates the SDKs of all languages. scripts/plugin-schema.mts writes it. */
const SCHEMA = JSON.stringify(createRequire(__filename)("../../plugin/schema.json"));

/** Serves the provider protocol on a free port of this machine. */
export async function serve(surroundings: Surroundings): Promise<{ port: number; close: () => void }> {
  const server = new grpc.Server();
  server.addService(ResourceProviderService, createService(surroundings));
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  return { port, close: () => server.forceShutdown() };
}

/**
 * Returns the provider protocol's implementation. gRPC answers the methods that it lacks as unimplemented: the engine itself compares
 * settings, and replaces no provider whose settings change, which would replace its webhooks.
 */
function createService(surroundings: Surroundings): Grpc.UntypedServiceImplementation {
  const plugin = new WebhookPlugin(surroundings);
  const unary =
    <Request, Response>(
      run: (request: Request) => Promise<Response>,
    ): Grpc.handleUnaryCall<Request, Response> =>
    ({ request }, callback) => {
      const toStruct = (outputs: Properties) => plugin.toStruct(outputs, ...receivedOf(request));
      run(request).then(
        (response) => callback(null, response),
        (error) => callback(toGrpcError(error, toStruct)),
      );
    };
  return {
    getPluginInfo: unary(async () => new PluginInfo().setVersion(VERSION)),
    handshake: unary(async () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true)),
    getSchema: unary(async () => new messages.GetSchemaResponse().setSchema(SCHEMA)),
    cancel: unary(async () => {
      surroundings.cancel();
      return new Empty();
    }),
    checkConfig: unary((request: messages.CheckRequest) => plugin.checkConfig(request)),
    configure: unary((request: messages.ConfigureRequest) => plugin.configure(request)),
    check: unary((request: messages.CheckRequest) => plugin.check(request)),
    diff: unary((request: messages.DiffRequest) => plugin.diff(request)),
    create: unary((request: messages.CreateRequest) => plugin.create(request)),
    read: unary((request: messages.ReadRequest) => plugin.read(request)),
    update: unary((request: messages.UpdateRequest) => plugin.update(request)),
    delete: unary((request: messages.DeleteRequest) => plugin.delete(request)),
  };
}

/** Reads what the engine passes to a create or an update. A failed update may record the old outputs. */
function receivedOf(request: unknown): Received[] {
  if (request instanceof messages.CreateRequest) return [fromStruct(request.getProperties())];
  if (!(request instanceof messages.UpdateRequest)) return [];
  return [fromStruct(request.getOlds()), fromStruct(request.getNews())];
}

/**
 * Returns the error of a call as gRPC sends it: the message alone, without a stack trace. The engine records the webhook of a
 * RecordedError, as failed, under the id and with the outputs of the error.
 */
function toGrpcError(
  error: unknown,
  toStruct: (outputs: Properties) => StructPb.Struct,
): Partial<Grpc.StatusObject> {
  const sent = { code: grpc.status.UNKNOWN, details: messageOf(error) };
  if (!(error instanceof RecordedError)) return sent;
  const failure = new messages.ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(toStruct(error.outputs))
    .setReasonsList([error.message]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const extended = new Status().setCode(sent.code).setMessage(sent.details);
  extended.addDetails(detail);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(extended.serializeBinary()));
  return { ...sent, metadata };
}
