import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { type GenerateResult, generate } from "selfsigned";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { WebhookClient } from "../../../src/client/client.js";
import { failureOf } from "../failure-of.js";
import { openServer, passTo } from "../open-server.js";
import { ORDERS, SETTINGS } from "../samples.js";

const PASSWORD = "proxy-canary-0815";
const common = { keyType: "ec", algorithm: "sha256" } as const;

/** A private certificate authority. This process trusts it, as it would by NODE_EXTRA_CA_CERTS. */
let authority: GenerateResult;

const createAuthority = (name: string) =>
  generate([{ name: "commonName", value: name }], {
    ...common,
    extensions: [{ name: "basicConstraints", cA: true, critical: true }],
  });

const trusted = getCACertificates("default");

beforeAll(async () => {
  authority = await createAuthority("A private authority");
  setDefaultCACertificates([...trusted, authority.cert]);
  for (const name of ["https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
});

afterAll(() => {
  setDefaultCACertificates(trusted);
  vi.unstubAllEnvs();
});

/** Issues a certificate. `by`: the authority. Default: it is self-signed. */
function certificate({
  hosts = ["127.0.0.1", "localhost", "api.webhooks.test"],
  until = "2100-01-01",
  by = {},
}) {
  const altNames = hosts.map((host) =>
    /^\d/.test(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
  );
  const { private: key, cert } = by as Partial<GenerateResult>;
  return generate([{ name: "commonName", value: "The API" }], {
    ...common,
    notAfterDate: new Date(until),
    extensions: [{ name: "subjectAltName", altNames }],
    ...(key !== undefined && cert !== undefined && { ca: { key, cert } }),
  });
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

async function create(baseUrl: string) {
  const client = new WebhookClient({ ...SETTINGS, baseUrl, onWait: () => {} });
  return client.create(ORDERS, { action: "Creating webhook Orders" }).finally(() => client.close());
}

it("https works with a private certificate authority that Node.js trusts", async () => {
  await using api = await openApi(await certificate({ by: authority }));
  expect(await create(`https://127.0.0.1:${api.port}`)).toMatchObject({ id: "1" });
  expect(await create(`https://localhost:${api.port}`)).toMatchObject({ id: "2" });
});

const ADVICE =
  "; for a private certificate authority set NODE_EXTRA_CA_CERTS, or NODE_USE_SYSTEM_CA=1 if this system trusts it";

// With a wrong host or time, another authority does not help.
it.concurrent.each([
  ["of another", () => ({ by: authority, hosts: ["other.example.com"] }), "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["that has expired", () => ({ by: authority, until: "2021-01-01" }), "CERT_HAS_EXPIRED"],
  ["that is self-signed", () => ({}), `DEPTH_ZERO_SELF_SIGNED_CERT${ADVICE}`],
  [
    "of an unknown authority",
    async () => ({ by: await createAuthority("A stranger") }),
    `UNABLE_TO_VERIFY_LEAF_SIGNATURE${ADVICE}`,
  ],
])("https names the cause for a certificate %s", async (_what, how, cause) => {
  await using api = await openApi(await certificate(await how()));
  const error = await failureOf(create(`https://127.0.0.1:${api.port}`));
  expect(error.failure).toBe("no effect");
  expect(error.message).toContain(
    `no request was sent: no secure connection to 127.0.0.1:${api.port} (${cause}).`,
  );
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toMatch(/canary/);
  expect(api.requests()).toBe(0);
});

it("a proxy in HTTPS_PROXY is used to reach the API, and receives the user and the password of its URL", async () => {
  await using api = await openApi(await certificate({ by: authority }));
  await using proxy = await openProxy(api.port);
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  expect(await create("https://api.webhooks.test")).toMatchObject({ id: "1" });
  const request = "CONNECT api.webhooks.test:443";
  expect(proxy.seen).toEqual([{ request, credentials: `proxy-user:${PASSWORD}` }]);
});
