import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type * as AnyPb from "google-protobuf/google/protobuf/any_pb.js";
import type * as EmptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type * as StructPb from "google-protobuf/google/protobuf/struct_pb.js";

// The SDK's messages work with its own copies of gRPC and protobuf only. Its declarations name their types.
const requireFromSdk = createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));

/** The SDK's gRPC. */
export const grpc = requireFromSdk("@grpc/grpc-js") as typeof Grpc;
/** A message of any type. */
export const { Any } = requireFromSdk("google-protobuf/google/protobuf/any_pb.js") as typeof AnyPb;
/** A message without content. */
export const { Empty } = requireFromSdk("google-protobuf/google/protobuf/empty_pb.js") as typeof EmptyPb;
/** A message of values by name. */
export const { Struct } = requireFromSdk("google-protobuf/google/protobuf/struct_pb.js") as typeof StructPb;
