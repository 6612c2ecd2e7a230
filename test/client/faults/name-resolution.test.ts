import dns from "node:dns";
import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it, vi } from "vitest";
import { create, SimulatedApi } from "../simulated-api.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Creates webhooks. At first its thread is blocked, and its queue full: it accepts a connection only after a second. */
const SLOW_API = `
const { parentPort } = require("node:worker_threads");
const server = require("node:http").createServer((_, response) => response.writeHead(201).end('{"id":7}'));
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => parentPort.postMessage(server.address().port));
parentPort.on("message", () => {
  parentPort.postMessage("blocked");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
});`;

it.each([
  ["an API", {}],
  ["a proxy", { http_proxy: "http://localhost:<port>", no_proxy: "" }],
])("the first address of %s may take seconds to connect, if the second is dead", async (_, environment) => {
  const worker = new Worker(SLOW_API, { eval: true });
  const [port] = await once(worker, "message");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value.replace("<port>", port));
  await using api = await SimulatedApi.start();
  const baseUrl = "http_proxy" in environment ? "http://api.webhooks.test" : `http://localhost:${port}`;
  const client = api.clientWith({ baseUrl });
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const lookup = (_: string, __: object, callback: (...results: unknown[]) => void) =>
    void setImmediate(() => callback(null, addresses));
  vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
  worker.postMessage("block");
  await once(worker, "message");
  const others = [1, 2].map(() => connect(port, "127.0.0.1"));
  await Promise.all(others.map((other) => once(other, "connect")));
  expect(await create(client)).toMatchObject({ id: "7" });
  expect(dns.lookup).toHaveBeenCalledTimes(1);
  await worker.terminate();
});
