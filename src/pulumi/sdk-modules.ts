import { createRequire } from "node:module";

/** Loads a dependency of Pulumi's SDK, from there: the SDK's messages work with its own copies of gRPC and protobuf only. */
export function requireFromSdk(module: string): unknown {
  const sdk = createRequire(__filename).resolve("@pulumi/pulumi");
  return createRequire(sdk)(module);
}
