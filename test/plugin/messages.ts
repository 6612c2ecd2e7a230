import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type * as StructPb from "google-protobuf/google/protobuf/struct_pb.js";
import { Struct } from "../../src/pulumi/sdk-internals.js";

export type Properties = Record<string, unknown>;

/** Builds the request of a method of the protocol. Fields that are objects stand in it as structs. */
export function toRequest<Request>(method: keyof typeof ResourceProviderService, fields: object): Request {
  const { requestType } = Object(ResourceProviderService[method]);
  const request = new requestType();
  for (const [name, value] of Object.entries(fields)) {
    const isStruct = typeof value === "object" && !Array.isArray(value);
    const setter = `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    Reflect.apply(Reflect.get(request, setter), request, [isStruct ? Struct.fromJavaScript(value) : value]);
  }
  return request;
}

/** Reads the properties of a reply. */
export const read = (struct: StructPb.Struct | undefined): Properties => struct?.toJavaScript() ?? {};
