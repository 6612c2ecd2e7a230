import type * as Grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { requireFromSdk } from "../pulumi/sdk-modules.js";
import type { Ending, Surroundings } from "../pulumi/surroundings.js";
import { createService } from "./service.js";
import { WebhookPlugin } from "./webhook-plugin.js";

/** As much as Pulumi's own servers accept. gRPC's default is 4 MB. */
const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

/** Serves the provider protocol on a free port of this machine. */
export async function serve(
  surroundings: Surroundings,
  termination: Ending,
): Promise<{ port: number; close: () => void }> {
  const grpc = requireFromSdk("@grpc/grpc-js") as typeof Grpc; // The SDK's declarations name its types.
  const server = new grpc.Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
  server.addService(ResourceProviderService, createService(new WebhookPlugin(surroundings), termination));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { port, close: () => server.forceShutdown() };
}
