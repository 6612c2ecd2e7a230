import "../pulumi/refuse-old-node.js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { grpc } from "../pulumi/sdk-modules.js";
import { type Surroundings, startSurroundings } from "../pulumi/surroundings.js";
import { createService } from "./service.js";

/**
 * Starts this process as a Pulumi plugin: it serves the provider protocol, and prints its port, as the engine expects.
 *
 * The engine starts it in the project's folder, and passes its own address as the first argument.
 */
export async function startPlugin(): Promise<void> {
  // An error that nobody foresaw must not end the process: it would take the creates in flight along.
  process.on("uncaughtException", (error) => console.error(error));
  const { port } = await serve(startSurroundings());
  console.log(String(port));
}

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
