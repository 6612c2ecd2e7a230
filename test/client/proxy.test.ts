import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Requester } from "../../src/client/request.js";
import { failureOf } from "./failure-of.js";
import { openServer } from "./open-server.js";
import { SETTINGS } from "./samples.js";
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

it.each(["socks5://127.0.0.1:1080", "http://user:%zz@a", "a b", "proxy:3128"])(
  "a proxy cannot be %s, unless the API is on this machine",
  (url) => {
    vi.stubEnv("https_proxy", undefined);
    vi.stubEnv("HTTPS_PROXY", url);
    const open = (baseUrl: string) => () => new Requester({ ...SETTINGS, baseUrl });
    expect(open(API)).toThrow("variable HTTPS_PROXY or HTTP_PROXY is not the URL of an HTTP proxy");
    expect(open(API)).not.toThrow(url);
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) expect(open(`http://${host}`)).not.toThrow();
  },
);

describe("a proxy in http_proxy", () => {
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
    expect(failure).toBe("no effect");
    expect(message).toMatch(
      /no connection to .*: the proxy refused it with 407\. It was tried 5 times\. Check .*, HTTPS_PROXY, HTTP_PROXY and the network\./,
    );
  });

  it("gets nothing for a host of NO_PROXY, where each create has a connection of its own, too", async () => {
    await using api = await SimulatedApi.start();
    const sockets = new Set<Socket>();
    const server = createServer(({ socket }, response) => {
      sockets.add(socket);
      response.writeHead(201).end(`{"id":${sockets.size}}`);
    });
    await using opened = await openServer(server);
    await using _proxy = await openProxy(createServer((_request, response) => response.writeHead(502).end()));
    vi.stubEnv("no_proxy", "other.test,0.0.0.0");
    // It leads to this machine, but is none of its names.
    const client = api.clientWith({ baseUrl: `http://0.0.0.0:${opened.port}` });
    await Promise.all(["a", "b", "c"].map((name) => create(client, name)));
    await create(client, "d");
    expect(sockets.size).toBe(4);
  });

  it("is named in the error if it opens no tunnel", async () => {
    await using api = await SimulatedApi.start();
    await using _proxy = await openProxy(createServer().on("connect", () => {}));
    const baseUrl = API.replace("http:", "https:");
    const client = api.clientWith({ baseUrl, timeoutSeconds: 0.5, deadlineSeconds: 8 });
    const { failure, message } = await failureOf(create(client));
    expect(failure).toBe("no effect");
    expect(message).toMatch(
      /no request was sent: no connection to .* \(Headers Timeout Error\)\. .* Check .*, HTTPS_PROXY, HTTP_PROXY/,
    );
  });
});
