import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

const KEY = "key-canary-4711";
const SECRET = "whsec-canary-0815";
const ORDERS = { url: "https://example.com/hooks/orders", name: "Orders" };

let simulator: Simulator;
let origin: string;

beforeEach(async () => {
  simulator = await startSimulator({ apiKey: KEY });
  origin = new URL(simulator.pageUrl).origin;
  return () => simulator.close();
});

/** Sends a request. Not with fetch, which sets Host and Origin itself, and normalizes paths. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body = "") {
  const sent = request(origin, { method, path, headers }).end(body);
  const [reply] = await once(sent, "response");
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

/** The headers that the UI itself sends. */
const ownHeaders = () => ({ origin, "content-type": "application/json", "sec-fetch-site": "same-origin" });

const runAction = (action: string, body: unknown, headers: Record<string, string> = ownHeaders()) =>
  send("POST", `/@ui/${action}`, headers, JSON.stringify(body));

/** Returns the state that a new stream sends first. */
async function readState(): Promise<string> {
  const reply = await fetch(`${origin}/@ui/events`);
  let received = "";
  for await (const text of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += text;
    const [, state] = /^data: (.*)\n\n/m.exec(received) ?? [];
    if (state !== undefined) return state;
  }
  return expect.fail("The stream has ended.");
}

describe("the UI", () => {
  it("is at /, whatever the API's path, and refers to its own files only", async () => {
    const below = await startSimulator({ path: "/v1" });
    expect(below.pageUrl).toBe(`${new URL(below.url).origin}/`);
    const html = await (await fetch(below.pageUrl)).text();
    const references = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, reference]) => reference);
    const own = expect.stringMatching(/^\/@ui\//);
    expect(references).toEqual([own, own, own]);
    await below.close();
  });

  it.each(["../routes.js", "..%2froutes.ts", "nothing.css", "%00.css", "browser/index.html", "main.tsx", ""])(
    "does not send %s, which is none of its files",
    async (path) => {
      expect((await send("GET", `/@ui/${path}`)).status).toBe(404);
    },
  );

  it("allows no foreign content, no inline script and no frames", async () => {
    const rules = ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"];
    for (const path of ["/", "/@ui/icon.svg", "/@ui/nothing"]) {
      const { headers } = await send("GET", path);
      const policy = String(headers["content-security-policy"]).split("; ");
      expect(policy).toEqual(expect.arrayContaining(rules));
      expect(policy.join()).not.toContain("unsafe");
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
    }
  });

  it("is not in the request log, gets no faults and requires no key, unlike the API", async () => {
    simulator.inject({ times: Infinity, fault: { kind: "status", status: 418 } });
    expect((await send("GET", "/")).status).toBe(200);
    expect((await send("HEAD", "/")).status).toBe(200);
    expect((await runAction("create", ORDERS)).status).toBe(204);
    expect(simulator.calls).toEqual([]);
    simulator.clearFaults();
    expect((await send("POST", "/")).status).toBe(404);
    expect((await send("GET", "/webhooks")).status).toBe(405);
    expect((await send("POST", "/webhooks", { host: "anything.example" })).status).toBe(403);
    expect(simulator.calls).toHaveLength(3);
  });

  it("shows neither the key nor a secret, wherever a client put them", async () => {
    await runAction("create", { ...ORDERS, secret: SECRET, name: `Orders ${SECRET} ${KEY}` });
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const body = { ...ORDERS, secret: SECRET, name: SECRET, [KEY]: SECRET, deep: { secret: [SECRET] } };
    await send("POST", `/webhooks?${KEY}`, headers, JSON.stringify(body));
    await send("POST", `/${KEY}`, headers, JSON.stringify(body));
    const echo = JSON.stringify({ note: `${KEY} ${SECRET}`, secret: 4711, text: JSON.stringify({ SECRET }) });
    for (const raw of [echo, `"secret": "${SECRET.slice(0, -2)}`, `<p>${SECRET} ${KEY}</p>`]) {
      simulator.inject({ fault: { kind: "reply", raw } });
      await send("POST", "/webhooks/update", headers, JSON.stringify({ webhook_id: "2", name: SECRET }));
    }
    const state = await readState();
    expect(state).toContain("<p>[secret] [key]</p>");
    expect(state).toContain("Orders [secret] [key]");
    expect(state).toContain('"hasSecret":true');
    expect(state).not.toContain("canary");
  });

  it("shows the last 100 requests, each with a permanent number", async () => {
    for (let index = 0; index < 103; index += 1) await send("GET", `/nothing/${index}`);
    const state = await readState();
    expect(state).not.toContain('"GET /nothing/2"');
    expect(state).toContain('{"number":3,');
    expect(state).toContain('"GET /nothing/102"');
    await runAction("clear-requests", {});
    await send("GET", "/after");
    expect(JSON.parse(await readState()).requests).toEqual([expect.objectContaining({ number: 103 })]);
  });

  it("redacts the new key after a rotation", async () => {
    simulator.dashboard.create({ ...ORDERS, name: "Orders next-canary" });
    expect(await readState()).toContain("Orders next-canary");
    simulator.apiKey = "next-canary";
    expect(await readState()).toContain("Orders [key]");
  });
});

describe("a request to the UI", () => {
  it.each([
    ["from another site", 403, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["from another port", 403, { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["without an origin", 403, { origin: undefined, "sec-fetch-site": undefined }],
    ["from a sandboxed frame", 403, { origin: "null", "sec-fetch-site": undefined }],
    ["for a foreign host with the same origin", 403, { host: "evil.example", origin: "http://evil.example" }],
    ["of a form as text", 415, { "content-type": "text/plain" }],
    ["of a form", 415, { "content-type": "application/x-www-form-urlencoded" }],
    ["of a form with files", 415, { "content-type": "multipart/form-data" }],
    ["without a type", 415, { "content-type": undefined }],
  ])("that changes something is refused %s", async (_, status, headers) => {
    const all: [string, string | undefined][] = Object.entries({ ...ownHeaders(), ...headers });
    const given = all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const reply = await runAction("create", ORDERS, Object.fromEntries(given));
    expect(reply.status).toBe(status);
    expect(simulator.webhooks).toEqual([]);
  });

  it.each(["/", "/@ui/events", "/@ui/icon.svg"])("for %s is refused for a foreign host", async (path) => {
    expect((await send("GET", path, { host: "evil.example" })).status).toBe(403);
  });

  it("that reads the state is refused from another site; a link to the UI is not", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await send("GET", "/@ui/events", headers)).status).toBe(403);
    expect((await send("GET", "/@ui/icon.svg", headers)).status).toBe(403);
    expect((await send("GET", "/", headers)).status).toBe(200);
  });

  it.each([
    ["create", { name: "Orders" }, 422, "The url field is required."],
    ["create", undefined, 422, "Invalid input"],
    ["edit", { webhook_id: "7", name: "Other" }, 404, "Webhook not found."],
    ["delete", { webhook_id: "7" }, 404, "Webhook not found."],
    ["add-fault", { fault: { kind: "nothing" } }, 422, "rule.fault.kind"],
    ["add-fault", { fault: { kind: "redirect", to: "a\nb" } }, 422, "Invalid character"],
    ["set-behavior", { key: "idPlace", value: "here" }, 422, '"data.webhook.id"'],
    ["set-behavior", { key: "nothing", value: "here" }, 422, "the options are idPlace"],
    ["nothing", {}, 404, "There is no such path."],
  ])("to %s %j is refused with %i, with the API's message", async (action, body, status, message) => {
    const reply = await runAction(action, body);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body).message).toContain(message);
    expect(simulator.webhooks).toEqual([]);
  });

  it("is refused with another method, or if it is too large", async () => {
    expect((await send("PUT", "/@ui/create", ownHeaders())).status).toBe(405);
    expect((await runAction("create", { ...ORDERS, name: "x".repeat(2 ** 20) })).status).toBe(413);
  });
});

describe("the simulator", () => {
  it("listens on 127.0.0.1 only", async () => {
    const port = Number(new URL(origin).port);
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    const others = all
      .map(({ address }) => address)
      .filter((address) => address !== "127.0.0.1" && !/^fe80/.test(address));
    for (const host of [...others, "127.0.0.2"]) {
      const socket = connect({ port, host });
      const error = await new Promise((resolve) => {
        socket.once("error", resolve).once("connect", () => resolve(`something listens on ${host}`));
      });
      expect(error).toBeInstanceOf(Error);
      socket.destroy();
    }
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });

  it("ends the streams of open UIs when it closes", async () => {
    const reply = await fetch(`${origin}/@ui/events`);
    const end = reply.text().catch(() => "aborted");
    await simulator.close();
    expect(await end).toBe("aborted");
  });
});
