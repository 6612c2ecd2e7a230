import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "./failure-of.js";
import { openServer } from "./open-server.js";
import { create, SimulatedApi } from "./simulated-api.js";

/** No resolver knows it: only a proxy reaches it. */
const API = "http://api.webhooks.test";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Opens a proxy, and names it in the environment. */
async function openProxy(server: Server) {
  const proxy = await openServer(server);
  for (const name of ["http_proxy", "https_proxy"]) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv("no_proxy", "");
  return proxy;
}

/** Passes a request for another host on to the simulator, which accepts its own host only. */
function passOn({ method, url = "", headers }: IncomingMessage, api: SimulatedApi) {
  const { host, origin } = new URL(api.simulator.url);
  return request(new URL(url.replace(API, origin)), { method, headers: { ...headers, host } });
}

describe("a proxy in HTTP_PROXY", () => {
  it("gets each create of an API without https on a connection of its own", async () => {
    await using api = await SimulatedApi.start();
    const used = new Set<Socket>();
    await using _proxy = await openProxy(
      createServer((incoming, response) => {
        if (used.has(incoming.socket)) return incoming.socket.resetAndDestroy();
        used.add(incoming.socket);
        const outgoing = passOn(incoming, api);
        outgoing.on("response", (reply) => {
          response.writeHead(reply.statusCode ?? 0, reply.headers);
          reply.pipe(response);
        });
        return incoming.pipe(outgoing);
      }),
    );
    const client = api.clientWith({ baseUrl: API });
    for (const name of ["a", "b", "c", "d"]) await create(client, name);
    expect(api.simulator.webhooks).toHaveLength(4);
  });

  it("passes no create of an API without https on that it refuses with 407", async () => {
    await using api = await SimulatedApi.start();
    const server = createServer((_request, response) => response.writeHead(407).end("Who are you?"));
    await using _proxy = await openProxy(server);
    const { failure, message } = await failureOf(create(api.clientWith({ baseUrl: API })));
    expect(failure).toBe("failed");
    expect(message).toMatch(/no request was sent: the proxy refused .* with 407\. It was tried 3 times\./);
  });

  it("is named in the error if it opens no tunnel", async () => {
    await using api = await SimulatedApi.start();
    await using _proxy = await openProxy(createServer().on("connect", () => {}));
    const baseUrl = API.replace("http:", "https:");
    const client = api.clientWith({ baseUrl, timeoutSeconds: 0.5, deadlineSeconds: 8 });
    const { failure, message } = await failureOf(create(client));
    expect(failure).toBe("failed");
    expect(message).toMatch(/no request was sent: the proxy did not connect to .* in time\. It was tried/);
  });
});
