import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { connectToEngine, engineAddress, engineLog } from "../../src/pulumi/engine.js";
import { Empty, grpc } from "../../src/pulumi/sdk-internals.js";

it.each([
  [["127.0.0.1:4711"], "127.0.0.1:4711"],
  [["[::1]:4711"], "[::1]:4711"],
  [["-v=9", "--tracing", "http://127.0.0.1:9411/api/v1/spans", "127.0.0.1:4711"], "127.0.0.1:4711"],
  [["run", "test/engine"], undefined],
])("finds the engine's address among the arguments %j", (args, address) => {
  expect(engineAddress(args)).toBe(address);
});

it("logs to the engine, which is on this machine, in order, and without the proxy of the environment", async () => {
  vi.stubEnv("https_proxy", "http://127.0.0.1:1");
  const lines: string[] = [];
  const server = new grpc.Server();
  server.addService(EngineService, {
    log: ({ request }: { request: LogRequest }, reply: (error: null, empty: unknown) => void) => {
      lines.push(request.getMessage());
      reply(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, bound) => resolve(bound));
  });
  onTestFinished(() => {
    server.forceShutdown();
    vi.unstubAllEnvs();
  });
  connectToEngine(`127.0.0.1:${port}`);
  await Promise.all([engineLog.warn("half an emoji: \ud83d"), engineLog.progress("second")]);
  expect(lines).toEqual(["half an emoji: \ufffd", "second"]);
});
