import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { endingError } from "../lifecycle/messages/ending.js";

/** A connection of this process to the engine that started it. */
export interface EngineConnection {
  client: EngineClient;
  /** Aborts when the engine is gone. A killed engine leaves this process running, with requests that wait to be sent. */
  lost: AbortSignal;
}

let connection: EngineConnection | undefined;

/** Connects to the engine, once. @returns undefined if no engine has started this process. */
export function connectToEngine(): EngineConnection | undefined {
  // The engine passes its address to the process as the first argument.
  const address = process.argv[2];
  if (address === undefined || !/^[\w.:[\]-]+:\d+$/.test(address)) return undefined;
  if (connection === undefined) {
    connection = connect(address);
    ignoreBrokenPipes();
  }
  return connection;
}

/**
 * Lets this process write to an engine that is gone. Otherwise each write raises an uncaught exception, which the SDK
 * prints, which raises the next one, until the machine is out of memory.
 */
function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

function connect(address: string): EngineConnection {
  // gRPC is a dependency of the SDK only, so it is resolved from there.
  const sdk = createRequire(__filename).resolve("@pulumi/pulumi");
  const grpc: typeof Grpc = createRequire(sdk)("@grpc/grpc-js");
  const client = new EngineClient(address, grpc.credentials.createInsecure());
  return { client, lost: watch(client.getChannel(), grpc.connectivityState) };
}

function watch(
  channel: ReturnType<EngineClient["getChannel"]>,
  states: typeof Grpc.connectivityState,
): AbortSignal {
  const controller = new AbortController();
  let wasConnected = false;
  const follow = () => {
    const state = channel.getConnectivityState(true);
    if (state === states.READY) wasConnected = true;
    // An engine that was never reached is not known to be gone.
    if (wasConnected && state === states.TRANSIENT_FAILURE) {
      controller.abort(endingError());
    } else {
      channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, follow);
    }
  };
  follow();
  return controller.signal;
}
