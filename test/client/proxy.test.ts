import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findProxy } from "../../src/client/proxy.js";
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

describe("the proxy for https://api.example.com", () => {
  const target = new URL("https://api.example.com/v1");

  it.each<[string, Record<string, string>, expected: string | undefined]>([
    ["of its scheme", { https_proxy: "http://a:3128", http_proxy: "http://b" }, "https_proxy=http://a:3128/"],
    ["in upper case", { HTTPS_PROXY: "http://a" }, "HTTPS_PROXY=http://a/"],
    ["in lower case first", { https_proxy: "http://a", HTTPS_PROXY: "b" }, "https_proxy=http://a/"],
    ["without a scheme", { HTTPS_PROXY: "me:pw@proxy:31" }, "HTTPS_PROXY=http://me:pw@proxy:31/"],
    ["none of http alone", { http_proxy: "http://a", ALL_PROXY: "http://a" }, undefined],
    ["none if it is empty in lower case", { https_proxy: "", HTTPS_PROXY: "http://a" }, undefined],
    ["none if NO_PROXY excludes it", { HTTPS_PROXY: "socks5://a", NO_PROXY: "api.example.com" }, undefined],
  ])("is that %s", (_what, environment, expected) => {
    const found = findProxy(target, environment);
    expect(found && `${found.variable}=${found.url}`).toBe(expected);
  });

  it.each(["socks5://127.0.0.1:1080", "http://user:%zz@a", "a b"])("cannot be %s", (HTTPS_PROXY) => {
    const find = () => findProxy(target, { HTTPS_PROXY });
    expect(find).toThrow("variable HTTPS_PROXY is not the URL of an HTTP");
    expect(find).not.toThrow(HTTPS_PROXY);
  });
});

it.each([
  ["https://api.example.com", "example.com", true],
  ["https://api.example.com", "other.com, .example.com", true],
  ["https://api.example.com", "other.com *.Example.com", true],
  ["https://api.example.com", "*", true],
  ["https://api.example.com", "pi.example.com,ample.com,www.api.example.com", false],
  ["https://api.example.com", "", false],
  ["https://api.example.com", "example.com:443", true],
  ["https://api.example.com", "example.com:8443", false],
  ["https://api.example.com:8443", "example.com:8443", true],
  ["https://10.1.2.3", "10.1.2.3", true],
  ["https://127.0.0.1", "", true],
  ["https://localhost", "", true],
  ["https://[::1]", "", true],
  ["https://10.1.2.3", "10.0.0.0/8", false],
  ["https://[fd00::1]", "fd00::1", true],
  ["https://[fd00::1]:8443", "[fd00::1]:8443", true],
  ["https://[fd00::1]", "[fd00::1]:8443", false],
])("decides whether %s is reached without a proxy with NO_PROXY=%s: %j", (url, NO_PROXY, isDirect) => {
  const proxy = findProxy(new URL(url), { HTTPS_PROXY: "http://a", NO_PROXY });
  expect(proxy === undefined).toBe(isDirect);
});

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
      /no request was sent: no connection to .* through the proxy in http_proxy, which refused it with 407\. It was tried 5 times\. Check http_proxy and the network\./,
    );
  });

  it("is named in the error if it opens no tunnel", async () => {
    await using api = await SimulatedApi.start();
    await using _proxy = await openProxy(createServer().on("connect", () => {}));
    const baseUrl = API.replace("http:", "https:");
    const client = api.clientWith({ baseUrl, timeoutSeconds: 0.5, deadlineSeconds: 8 });
    const { failure, message } = await failureOf(create(client));
    expect(failure).toBe("no effect");
    expect(message).toMatch(
      /no request was sent: no connection to .* through the proxy in https_proxy \(Headers Timeout Error\)\. It was tried/,
    );
  });
});
