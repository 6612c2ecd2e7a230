import dns from "node:dns";
import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it, vi } from "vitest";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { create, SimulatedApi, update } from "../simulated-api.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What the resolver of this machine answers for a name: addresses, or an error's code. */
type Answer = { address: string; family: 4 | 6 }[] | string;

/** Lets the resolver give these answers, one after the other, and the last one from then on. */
function resolveTo(...answers: Answer[]): void {
  const lookup = (name: string, _options: object, callback: (...results: unknown[]) => void) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    const isError = typeof answer === "string";
    const error = Object.assign(new Error(`getaddrinfo ${answer} ${name}`), { code: answer, hostname: name });
    setImmediate(() => (isError ? callback(error) : callback(null, answer)));
  };
  vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
}

const IPV4 = [{ address: "127.0.0.1", family: 4 as const }];

const named = (url: string) => url.replace("127.0.0.1", "localhost");

it("an update that may have taken effect is unclear if it is interrupted while the resolver does not answer", async () => {
  await using api = await SimulatedApi.start();
  api.simulator.dashboard.create(ORDERS);
  api.simulator.inject({ fault: { kind: "reset", when: "after commit" } });
  resolveTo(IPV4, "EAI_AGAIN");
  const controller = new AbortController();
  const client = api.clientWith({ baseUrl: named(api.simulator.url), signal: controller.signal });
  const updating = failureOf(update(client));
  await vi.waitFor(() => expect(dns.lookup).toHaveBeenCalledTimes(2), { timeout: 120_000 });
  controller.abort();
  expect(await updating).toMatchObject({
    failure: "unclear",
    message: expect.stringContaining("(getaddrinfo EAI_AGAIN localhost)"),
  });
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
])(
  "the first address of %s may take seconds to accept a connection, if the second is dead",
  async (_, environment) => {
    const worker = new Worker(SLOW_API, { eval: true });
    const [port] = await once(worker, "message");
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value.replace("<port>", port));
    await using api = await SimulatedApi.start();
    const baseUrl = "http_proxy" in environment ? "http://api.webhooks.test" : `http://localhost:${port}`;
    const client = api.clientWith({ baseUrl });
    resolveTo([...IPV4, { address: "::1", family: 6 }]);
    worker.postMessage("block");
    await once(worker, "message");
    const others = [1, 2].map(() => connect(port, "127.0.0.1"));
    await Promise.all(others.map((other) => once(other, "connect")));
    expect(await create(client)).toMatchObject({ id: "7" });
    expect(dns.lookup).toHaveBeenCalledTimes(1);
    await worker.terminate();
  },
);
