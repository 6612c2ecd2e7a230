import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type GenerateResult, generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openServer, passTo } from "../open-server.js";
import { KEY } from "../samples.js";
import type { Report } from "./one-create.js";

// Each create is a process of its own.
vi.setConfig({ maxConcurrency: 4 });

const PASSWORD = "proxy-canary-0815";

type Names = ({ type: 2; value: string } | { type: 7; ip: string })[];

const API_NAMES: Names = [
  { type: 2, value: "localhost" },
  { type: 2, value: "api.webhooks.test" },
  { type: 7, ip: "127.0.0.1" },
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
function certificate(names: Names, dates: { notAfterDate?: Date } = {}) {
  const extensions = [
    { name: "basicConstraints", cA: false } as const,
    { name: "subjectAltName", altNames: names } as const,
  ];
  const ca = { key: authority.private, cert: authority.cert };
  return generate([{ name: "commonName", value: "The API" }], { ...common, ...dates, extensions, ca });
}

/** Opens an API that creates all webhooks, over https with this certificate. */
async function openApi(issued: GenerateResult) {
  let requests = 0;
  const create: RequestListener = (_request, response) => {
    requests += 1;
    response.writeHead(201).end(`{"data":{"webhook":{"id":${requests}}}}`);
  };
  const server = createHttpsServer({ key: issued.private, cert: issued.cert }, create);
  return { ...(await openServer(server)), requests: () => requests };
}

/** Opens a proxy that connects every tunnel to one port. */
async function openProxy(port: number) {
  /** Each request that it received, such as `CONNECT api.webhooks.test:443`, and its credentials. */
  const seen: { request: string; credentials: string }[] = [];
  const server = createHttpServer();
  server.on("connect", ({ method, url, headers }: IncomingMessage, socket: Socket) => {
    const [, credentials = ""] = (headers["proxy-authorization"] ?? "").split(" ");
    seen.push({ request: `${method} ${url}`, credentials: Buffer.from(credentials, "base64").toString() });
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    passTo(port)(socket);
  });
  const opened = await openServer(server);
  return { ...opened, seen, url: `http://proxy-user:${PASSWORD}@127.0.0.1:${opened.port}` };
}

/** Creates a webhook by a process with this environment, and nothing of this process's own. */
async function create(
  baseUrl: string,
  environment: Record<string, string> = {},
): Promise<Report & { all: string }> {
  const script = fileURLToPath(new URL("one-create.ts", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { WEBHOOKS_API_KEY: KEY, WEBHOOKS_BASE_URL: baseUrl, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (!output.startsWith("{")) throw new Error(`The process failed: ${errors}`);
  return { ...JSON.parse(output), all: output + errors };
}

describe.concurrent("https", () => {
  it("works with a private certificate authority in NODE_EXTRA_CA_CERTS", async () => {
    await using api = await openApi(await certificate(API_NAMES));
    expect(await create(`https://127.0.0.1:${api.port}`, trusting)).toMatchObject({ id: "1" });
    expect(await create(`https://localhost:${api.port}`, trusting)).toMatchObject({ id: "2" });
  });

  const selfSigned = () =>
    generate([{ name: "commonName", value: "127.0.0.1" }], {
      ...common,
      extensions: [{ name: "subjectAltName", altNames: API_NAMES }],
    });
  const expired = () => certificate(API_NAMES, { notAfterDate: new Date("2021-01-01") });
  const otherHost = () => certificate([{ type: 2, value: "other.example.com" }]);
  const ADVICE =
    "; for a private certificate authority set NODE_EXTRA_CA_CERTS, or NODE_USE_SYSTEM_CA=1 if this system trusts it";

  // With a wrong host or time, another authority does not help.
  it.each([
    ["of another host", otherHost, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", expired, "CERT_HAS_EXPIRED"],
    ["that is self-signed", selfSigned, `DEPTH_ZERO_SELF_SIGNED_CERT${ADVICE}`],
    ["of an unknown authority", () => certificate(API_NAMES), `UNABLE_TO_VERIFY_LEAF_SIGNATURE${ADVICE}`, {}],
  ])("names the cause for a certificate %s", async (_what, issue, cause, environment = trusting) => {
    await using api = await openApi(await issue());
    const { failure, message, all } = await create(`https://127.0.0.1:${api.port}`, environment);
    expect(failure).toBe("no effect");
    expect(message).toContain(
      `no request was sent: no secure connection to 127.0.0.1:${api.port} (${cause}).`,
    );
    expect(all).not.toMatch(/canary/);
    expect(api.requests()).toBe(0);
  });
});

describe.concurrent("a proxy in HTTPS_PROXY", () => {
  const BASE_URL = "https://api.webhooks.test";

  it("is used to reach the API, and receives the user and the password of its URL", async () => {
    await using api = await openApi(await certificate(API_NAMES));
    await using proxy = await openProxy(api.port);
    for (const HTTPS_PROXY of [proxy.url, `127.0.0.1:${proxy.port}`]) {
      const report = await create(BASE_URL, { ...trusting, HTTPS_PROXY });
      expect(report).toMatchObject({ id: expect.any(String) });
      expect(report.all).not.toMatch(/canary/);
    }
    const request = "CONNECT api.webhooks.test:443";
    expect(proxy.seen).toEqual([
      { request, credentials: `proxy-user:${PASSWORD}` },
      { request, credentials: "" },
    ]);
  });
});
