import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, Server } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import type { GenerateResult } from "selfsigned";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Simulator } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { KEY } from "../samples.js";
import type { Report } from "./one-create.js";

// Each create is a process of its own.
vi.setConfig({ maxConcurrency: 4, testTimeout: 60_000 });

const PASSWORD = "proxy-canary-0815";
/** A host that no resolver knows, on any network. */
const UNRESOLVABLE = `${"a".repeat(64)}.invalid`;
/** This machine, by an address that the settings do not treat as loopback: a proxy is used for it. */
const ANY = "0.0.0.0";

type Names = ({ type: 2; value: string } | { type: 7; ip: string })[];

const API_NAMES: Names = [
  { type: 2, value: "localhost" },
  { type: 2, value: "api.webhooks.test" },
  { type: 7, ip: "127.0.0.1" },
  { type: 7, ip: ANY },
];
const common = { keyType: "ec", algorithm: "sha256" } as const;

let folder: string;
let authority: GenerateResult;
/** The environment of a process that trusts the authority. */
let trusting: { NODE_EXTRA_CA_CERTS: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-networks-"));
  authority = await generate([{ name: "commonName", value: "A private authority" }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  trusting = { NODE_EXTRA_CA_CERTS: join(folder, "authority.pem") };
  await writeFile(trusting.NODE_EXTRA_CA_CERTS, authority.cert);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Issues a certificate by the private authority. */
function certificate(names: Names, dates: { notBeforeDate?: Date; notAfterDate?: Date } = {}) {
  const extensions = [
    { name: "basicConstraints", cA: false } as const,
    { name: "subjectAltName", altNames: names } as const,
  ];
  const ca = { key: authority.private, cert: authority.cert };
  return generate([{ name: "commonName", value: "The API" }], { ...common, ...dates, extensions, ca });
}

interface Opened {
  port: number;
  [Symbol.asyncDispose](): Promise<void>;
}

async function open(server: ReturnType<typeof createServer> | Server, host = "127.0.0.1"): Promise<Opened> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("A TCP server has an address and a port.");
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function openApi(): Promise<Simulator & AsyncDisposable> {
  const api = await startSimulator({ apiKey: KEY });
  return Object.assign(api, { [Symbol.asyncDispose]: () => api.close() });
}

/** Passes all data on to a port of this machine. */
function passTo(port: number | string): (client: Socket) => void {
  return (client) => {
    const target = connect(Number(port), "127.0.0.1");
    target.on("error", () => client.destroy());
    client.on("error", () => target.destroy());
    client.pipe(target).pipe(client);
  };
}

const portOf = (api: Simulator) => new URL(api.url).port;

/** Serves the API over https, by a reverse proxy: the simulator accepts requests with a loopback host only. */
function openTls(api: Simulator, { private: key, cert }: GenerateResult): Promise<Opened> {
  const server = createTlsServer({ key, cert }, (client) => {
    const target = connect(Number(portOf(api)), "127.0.0.1");
    target.on("error", () => client.destroy()).pipe(client);
    client.on("error", () => target.destroy()).on("end", () => target.end());
    client.on("data", (bytes) => {
      target.write(bytes.toString("latin1").replace(/^host: .*$/im, "host: localhost"), "latin1");
    });
  });
  return open(server.on("tlsClientError", () => {}));
}

interface Proxy extends Opened {
  /** Each request that it received, such as `CONNECT api.webhooks.test:443`, and its credentials. */
  seen: { request: string; credentials: string }[];
  url: string;
  urlWithPassword: string;
}

/** Opens a proxy that connects every tunnel to one port, or refuses it with a status. */
async function openProxy(reply: { connectTo: number } | { status: number }): Promise<Proxy> {
  const seen: Proxy["seen"] = [];
  const note = ({ method, url, headers }: IncomingMessage) => {
    const [, credentials = ""] = (headers["proxy-authorization"] ?? "").split(" ");
    seen.push({ request: `${method} ${url}`, credentials: Buffer.from(credentials, "base64").toString() });
  };
  const server = createHttpServer((request, response) => {
    note(request);
    response.writeHead(501).end();
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    note(request);
    if ("status" in reply) return socket.end(`HTTP/1.1 ${reply.status} No\r\ncontent-length: 0\r\n\r\n`);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    passTo(reply.connectTo)(socket);
  });
  const opened = await open(server);
  return {
    ...opened,
    seen,
    url: `http://127.0.0.1:${opened.port}`,
    urlWithPassword: `http://proxy-user:${PASSWORD}@127.0.0.1:${opened.port}`,
  };
}

/** Creates a webhook by a process with this environment, and nothing of this process's own. */
async function create(
  baseUrl: string,
  environment: Record<string, string> = {},
): Promise<Report & { all: string }> {
  const script = fileURLToPath(new URL("one-create.ts", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: {
      ...(process.platform === "win32" && { SystemRoot: process.env.SystemRoot ?? "" }),
      WEBHOOKS_API_KEY: KEY,
      WEBHOOKS_BASE_URL: baseUrl,
      WEBHOOKS_DEADLINE_SECONDS: "6",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (!output.startsWith("{")) throw new Error(`The process failed: ${errors}`);
  return { ...JSON.parse(output), all: output + errors };
}

function expectNothingSent(api: Simulator, { failure, message, all }: Report & { all: string }): void {
  expect(failure).toBe("failed");
  expect(message).toContain("no request was sent");
  expect(api.calls).toEqual([]);
  expect(all).not.toMatch(/canary/);
}

describe.concurrent("https", () => {
  it("works with a private certificate authority in NODE_EXTRA_CA_CERTS", async () => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    expect(await create(`https://127.0.0.1:${server.port}`, trusting)).toMatchObject({ id: "1" });
    expect(await create(`https://localhost:${server.port}`, trusting)).toMatchObject({ id: "2" });
  });

  it("fails with an unknown private authority, and says how to add it", async () => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    const report = await create(`https://127.0.0.1:${server.port}`);
    expectNothingSent(api, report);
    expect(report.message).toContain(`no secure connection to 127.0.0.1:${server.port}`);
    expect(report.message).toContain("NODE_EXTRA_CA_CERTS");
  });

  it("fails with a self-signed certificate, and says so", async () => {
    await using api = await openApi();
    const own = await generate([{ name: "commonName", value: "127.0.0.1" }], {
      ...common,
      extensions: [{ name: "subjectAltName", altNames: API_NAMES }],
    });
    await using server = await openTls(api, own);
    const report = await create(`https://127.0.0.1:${server.port}`, trusting);
    expectNothingSent(api, report);
    expect(report.message).toContain(
      `no secure connection to 127.0.0.1:${server.port} (DEPTH_ZERO_SELF_SIGNED_CERT`,
    );
  });

  it.each([
    [
      "of another host",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      [{ type: 2, value: "other.example.com" }] satisfies Names,
      {},
    ],
    [
      "that has expired",
      "CERT_HAS_EXPIRED",
      API_NAMES,
      { notBeforeDate: new Date("2020-01-01"), notAfterDate: new Date("2021-01-01") },
    ],
    [
      "that is not valid yet",
      "CERT_NOT_YET_VALID",
      API_NAMES,
      { notBeforeDate: new Date("2090-01-01"), notAfterDate: new Date("2091-01-01") },
    ],
  ])("fails with a certificate %s, and names no other cause", async (_what, code, names, dates) => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(names, dates));
    const report = await create(`https://127.0.0.1:${server.port}`, trusting);
    expectNothingSent(api, report);
    expect(report.message).toContain(`no secure connection to 127.0.0.1:${server.port} (${code}`);
    // It is set already, and does not help here.
    expect(report.message).not.toContain("NODE_EXTRA_CA_CERTS");
  });
});

describe.concurrent("a proxy in HTTPS_PROXY", () => {
  it("is used to reach the API", async () => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    await using proxy = await openProxy({ connectTo: server.port });
    const report = await create("https://api.webhooks.test", { ...trusting, HTTPS_PROXY: proxy.url });
    expect(report).toMatchObject({ id: "1" });
    expect(proxy.seen).toEqual([{ request: "CONNECT api.webhooks.test:443", credentials: "" }]);
  });

  it("receives the user and the password of its URL", async () => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    await using proxy = await openProxy({ connectTo: server.port });
    const report = await create("https://api.webhooks.test", {
      ...trusting,
      HTTPS_PROXY: proxy.urlWithPassword,
    });
    expect(report).toMatchObject({ id: "1" });
    expect(proxy.seen.map(({ credentials }) => credentials)).toEqual([`proxy-user:${PASSWORD}`]);
    expect(report.all).not.toMatch(/canary/);
  });

  it("is not used for hosts in NO_PROXY", async () => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    await using proxy = await openProxy({ connectTo: server.port });
    const baseUrl = `https://${ANY}:${server.port}`;
    const environment = { ...trusting, HTTPS_PROXY: proxy.url };
    expect(await create(baseUrl, { ...environment, NO_PROXY: `example.com,${ANY}` })).toMatchObject({
      id: "1",
    });
    expect(proxy.seen).toEqual([]);
    expect(await create(baseUrl, { ...environment, NO_PROXY: "example.com" })).toMatchObject({ id: "2" });
    expect(proxy.seen).toHaveLength(1);
  });

  it.each([407, 403, 502])(
    "that refuses with %i is named in the error, without its password",
    async (status) => {
      await using api = await openApi();
      await using proxy = await openProxy({ status });
      const report = await create("https://api.webhooks.test", { HTTPS_PROXY: proxy.urlWithPassword });
      expectNothingSent(api, report);
      expect(report.message).toContain(String(status));
      expect(report.message).toMatch(/proxy/i);
      expect(proxy.seen[0]).toMatchObject({ request: "CONNECT api.webhooks.test:443" });
    },
  );

  it("that cannot be reached is named in the error", async () => {
    await using api = await openApi();
    const proxy = await openProxy({ status: 502 });
    await proxy[Symbol.asyncDispose]();
    const report = await create("https://api.webhooks.test", { HTTPS_PROXY: proxy.urlWithPassword });
    expectNothingSent(api, report);
    expect(report.message).toContain(`127.0.0.1:${proxy.port} refused the connection`);
  });

  it("whose host is unknown is named in the error", async () => {
    await using api = await openApi();
    const address = `http://proxy-user:${PASSWORD}@${UNRESOLVABLE}:3128`;
    const report = await create("https://api.webhooks.test", { HTTPS_PROXY: address });
    expectNothingSent(api, report);
    expect(report.message).toContain(`the host ${UNRESOLVABLE} is unknown`);
  });

  it("that closes the tunnel before TLS is up counts as: no request was sent", async () => {
    await using api = await openApi();
    await using nobody = await open(createServer((socket) => socket.destroy()));
    await using proxy = await openProxy({ connectTo: nobody.port });
    const report = await create("https://api.webhooks.test", { HTTPS_PROXY: proxy.urlWithPassword });
    expectNothingSent(api, report);
  });

  it("that injects a page into the tunnel counts as: no request was sent", async () => {
    await using api = await openApi();
    await using page = await open(
      createServer((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n<html></html>"));
      }),
    );
    await using proxy = await openProxy({ connectTo: page.port });
    const report = await create("https://api.webhooks.test", { ...trusting, HTTPS_PROXY: proxy.url });
    expectNothingSent(api, report);
    expect(report.message).toContain("the server seems to speak http, not https");
  });

  it.each([
    `proxy-user:${PASSWORD}@127.0.0.1:3128`,
    `http://proxy-user:${PASSWORD}@127.0.0.1:99999`,
    `http://proxy-user:${PASSWORD}%zz@127.0.0.1:3128`,
    "127.0.0.1:3128",
    "proxy.example.com:3128",
  ])("that is not a URL fails with a clear message, which does not contain it: %s", async (address) => {
    const report = await create("https://api.webhooks.test", { HTTPS_PROXY: address });
    expect(report.name).toBe("WebhookError");
    expect(report.message).toContain("HTTPS_PROXY");
    expect(report.all).not.toMatch(/canary/);
    expect(report.error).not.toContain(address);
  });
});

describe.concurrent("an API on this machine", () => {
  it.each(["127.0.0.1", "localhost"])("at %s is never reached through a proxy", async (host) => {
    await using api = await openApi();
    await using server = await openTls(api, await certificate(API_NAMES));
    await using proxy = await openProxy({ status: 502 });
    const proxies = {
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      http_proxy: proxy.url,
      https_proxy: proxy.url,
    };
    expect(await create(`http://${host}:${portOf(api)}`, proxies)).toMatchObject({ id: "1" });
    expect(await create(`https://${host}:${server.port}`, { ...proxies, ...trusting })).toMatchObject({
      id: "2",
    });
    expect(proxy.seen).toEqual([]);
  });

  it("is reached even if the environment names a proxy by something that is not a URL", async () => {
    await using api = await openApi();
    const proxies = { HTTP_PROXY: "127.0.0.1:3128", HTTPS_PROXY: "127.0.0.1:3128" };
    expect(await create(api.url, proxies)).toMatchObject({ id: "1" });
  });

  it("is reached by its IPv6 address, without a proxy", async () => {
    await using api = await openApi();
    await using proxy = await openProxy({ status: 502 });
    await using server = await open(createServer(passTo(portOf(api))), "::1").catch((cause) => {
      throw new Error("This test needs the IPv6 loopback address ::1, and this machine has none.", { cause });
    });
    const report = await create(`http://[::1]:${server.port}`, { HTTP_PROXY: proxy.url });
    expect(report).toMatchObject({ id: "1" });
    expect(proxy.seen).toEqual([]);
  });
});
