import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import * as debuggable from "@pulumi/pulumi/runtime/debuggable.js";
import { afterEach, expect, it } from "vitest";
import {
  Any,
  addressOfEngine,
  Empty,
  EngineClient,
  findRole,
  grpc,
  isConfigSecret,
  LogRequest,
  LogSeverity,
  messages,
  PluginInfo,
  purposeOf,
  ResourceProviderService,
  Status,
  Struct,
} from "../../src/pulumi/sdk-internals.js";

// What the SDK does not promise, held against the one that is installed.

const { prepareStackTrace } = Error;

afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace;
  pulumi.runtime.resetOptions("", "", -1, "", "", false, "");
});

it("has messages that its own protobuf can fill", () => {
  const response = new messages.CreateResponse().setProperties(Struct.fromJavaScript({ url: "a" }));
  const read = messages.CreateResponse.deserializeBinary(response.serializeBinary());
  expect(read.getProperties()?.toJavaScript()).toEqual({ url: "a" });
  const detail = new Any();
  detail.pack(new messages.ErrorResourceInitFailed().setId("1").serializeBinary(), "type");
  const status = new Status().setMessage("failed");
  status.addDetails(detail);
  expect(Status.deserializeBinary(status.serializeBinary()).getDetailsList()).toHaveLength(1);
  expect(new PluginInfo().setVersion("1").getVersion()).toBe("1");
  expect(new LogRequest().setSeverity(LogSeverity.WARNING).getSeverity()).toBe(LogSeverity.WARNING);
  expect(new Empty().serializeBinary()).toHaveLength(0);
});

it("has the provider protocol, and a client of the engine, for its own gRPC", () => {
  new grpc.Server().addService(ResourceProviderService, {});
  for (const method of ["handshake", "checkConfig", "configure", "check", "diff", "create", "read"])
    expect(ResourceProviderService).toHaveProperty(method);
  const engine = new EngineClient("127.0.0.1:1", grpc.credentials.createInsecure());
  expect(engine.log).toBeTypeOf("function");
  engine.close();
});

it("knows which values of the config are secrets", () => {
  pulumi.runtime.setAllConfig({ "webhooks:apiKey": "a", "webhooks:baseUrl": "b" }, ["webhooks:apiKey"]);
  const secrets = ["webhooks:apiKey", "webhooks:baseUrl"].map((key) => isConfigSecret(pulumi.runtime, key));
  expect(secrets).toEqual([true, false]);
});

it("knows the address of the engine", () => {
  pulumi.runtime.resetOptions("test", "dev", -1, "127.0.0.1:4711", "", false, "");
  expect(addressOfEngine(pulumi.runtime)).toBe("127.0.0.1:4711");
});

it("runs programs and components by scripts with these names", () => {
  const { resolve } = createRequire(import.meta.url);
  const roles = ["run", "run-plugin"].map((name) => findRole(resolve(`@pulumi/pulumi/cmd/${name}`)));
  expect(roles).toEqual(["program", "component"]);
  expect(findRole("/home/me/automation.js")).toBeUndefined();
});

it("takes stack traces in functions with these names", () => {
  const purposes: unknown[] = [];
  Error.prepareStackTrace = (_, frames) => void purposes.push(purposeOf(frames));
  Reflect.get(pulumi.Resource, "callsites").call(pulumi.Resource);
  const promise = Promise.resolve();
  Reflect.get(debuggable, "debuggablePromise")(promise, "test");
  Reflect.get(promise, "_debugStackTrace");
  void new Error("the program's").stack;
  expect(purposes).toEqual(["stored", "unused", undefined]);
});
