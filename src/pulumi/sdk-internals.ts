// All modules and names of Pulumi's SDK that this package uses, and that the SDK does not promise. The tests of this folder, of the plugin and of the
// dynamic provider hold each line against the installed SDK, and a workflow runs them with the newest one every week.
import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type { runtime as Runtime } from "@pulumi/pulumi";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type * as AnyPb from "google-protobuf/google/protobuf/any_pb.js";
import type * as EmptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type * as StructPb from "google-protobuf/google/protobuf/struct_pb.js";

// The SDK's main module loads all of these.
export { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
export { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
export { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
export { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
export * as messages from "@pulumi/pulumi/proto/provider_pb.js";
export { Status } from "@pulumi/pulumi/proto/status_pb.js";
export type { Grpc, StructPb };

// Its messages work with its own copies of gRPC and protobuf only. Its declarations name their types.
const requireFromSdk = createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));

export const grpc = requireFromSdk("@grpc/grpc-js") as typeof Grpc;
export const { Any } = requireFromSdk("google-protobuf/google/protobuf/any_pb.js") as typeof AnyPb;
export const { Empty } = requireFromSdk("google-protobuf/google/protobuf/empty_pb.js") as typeof EmptyPb;
export const { Struct } = requireFromSdk("google-protobuf/google/protobuf/struct_pb.js") as typeof StructPb;

/** Reports whether a value of the stack's config is encrypted. For inline programs, no environment variable says so. */
export function isConfigSecret(runtime: typeof Runtime, key: string): boolean {
  const isSecret: unknown = Reflect.get(runtime, "isConfigSecret");
  return typeof isSecret !== "function" || isSecret(key) === true;
}

/** Returns the address of the engine that runs this program. The processes of all its providers get it, too. */
export function addressOfEngine(runtime: typeof Runtime): string | undefined {
  const engine = runtime.getEngine() as EngineClient | undefined; // The SDK creates nothing else.
  return engine?.getChannel().getTarget().replace(/^dns:/, "");
}

/** Returns as what Pulumi's language host runs this process. @returns undefined for an inline program of the Automation API. */
export function findRole(script = process.argv[1] ?? ""): "program" | "component" | undefined {
  if (/[\\/]cmd[\\/]run-plugin/.test(script)) return "component";
  return /[\\/]cmd[\\/]run/.test(script) ? "program" : undefined;
}

/** Matches a file of the SDK, on any system. The SDK may be installed twice, so its location is not looked up. */
const FILE = /[\\/]node_modules[\\/]@pulumi[\\/]pulumi[\\/]/;

/** Reports whether a frame of a stack trace is of the SDK. */
export function isOfSdk(frame: NodeJS.CallSite): boolean {
  return FILE.test(frame.getFileName() ?? "");
}

/** The functions of the SDK that create an error for its stack trace, and what they do with it. */
const TAKERS: Record<string, "stored" | "unused"> = {
  callsites: "stored",
  // Shown with PULUMI_DEBUG_PROMISE_LEAKS only.
  debuggablePromise: "unused",
};

/** Says what the SDK does with a stack trace that it takes for itself. */
export function purposeOf([frame]: readonly NodeJS.CallSite[]): "stored" | "unused" | undefined {
  return frame && isOfSdk(frame) ? TAKERS[frame.getFunctionName() ?? ""] : undefined;
}
