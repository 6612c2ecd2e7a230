import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
});

afterEach(() => simulator.close());

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

/** Returns the first line of the reply to a request with any Host: an HTTP client replaces an empty one. */
async function firstLine(path: string, host: string) {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.write(`HEAD ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).split("\r\n")[0];
}

/** Yields the events of a new stream. */
async function* events() {
  yield* readEvents(await fetch(`${origin}/@ui/events`));
}

async function* readEvents(reply: Response) {
  let received = "";
  for await (const text of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += text;
    // Without this, a long event would be searched again with every chunk.
    if (!text.endsWith("\n")) continue;
    const complete = received.split("\n\n");
    received = complete.pop() ?? "";
    yield* complete.filter((event) => event.startsWith("event: "));
  }
}

async function nextEvent(stream: AsyncGenerator<string>): Promise<string> {
  const { value } = await stream.next();
  return value;
}

/** Returns the first event of the stream. */
async function view(): Promise<string> {
  const stream = events();
  const event = await nextEvent(stream);
  await stream.return(undefined);
  return event;
}

describe("the UI", () => {
  it("is at /, whatever the API's path, and refers to its own files only", async () => {
    const below = await startSimulator({ path: "/v1" });
    expect(below.pageUrl).toBe(`${new URL(below.url).origin}/`);
    const html = await (await fetch(below.pageUrl)).text();
    const files = [...html.matchAll(/(?:href|src)="(\/@ui\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(files).toHaveLength(3);
    for (const file of files) expect((await fetch(new URL(file, below.pageUrl))).status).toBe(200);
    await below.close();
  });

  it("can turn on each fault that its HTML offers", async () => {
    const html = await (await fetch(simulator.pageUrl)).text();
    const faults = [...html.matchAll(/data-fault="([^"]+)"/g)].map(([, fault]) => fault);
    expect(faults).toHaveLength(12);
    for (const fault of faults) expect((await runAction("add-fault", { fault })).status).toBe(204);
  });

  it("sends each of its files with its type, and no other file", async () => {
    const folder = join(import.meta.dirname, "../../src/simulator/ui/browser");
    for (const file of readdirSync(folder)) {
      const { status, headers } = await send("GET", `/@ui/${file}`);
      expect([file, status, headers["content-type"]]).toEqual([
        file,
        200,
        expect.stringMatching(/^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/),
      ]);
    }
    for (const path of [
      "../routes.js",
      "..%2froutes.ts",
      "nothing.css",
      "%00.css",
      "browser/index.html",
      "",
    ]) {
      expect((await send("GET", `/@ui/${path}`)).status).toBe(404);
    }
  });

  it("allows no foreign content, no inline script and no frames", async () => {
    for (const path of ["/", "/@ui/main.mjs", "/@ui/nothing"]) {
      const { headers } = await send("GET", path);
      const policy = headers["content-security-policy"];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain("unsafe");
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
    const state = await view();
    expect(state).toContain("<p>[secret] [key]</p>");
    expect(state).toContain("Orders [secret] [key]");
    expect(state).toContain('"hasSecret":true');
    expect(state).not.toContain("canary");
  });

  it("shows the last 100 requests, each with a permanent number", async () => {
    for (let index = 0; index < 103; index += 1) await send("GET", `/nothing/${index}`);
    const state = await view();
    expect(state).not.toContain('"GET /nothing/2"');
    expect(state).toContain('{"number":3,');
    expect(state).toContain('"GET /nothing/102"');
    await runAction("clear-requests", {});
    await send("GET", "/after");
    expect((await view()).match(/"request:\d+"/g)).toEqual(['"request:103"']);
  });

  it("sends every open UI the whole state first, and then only what changed", async () => {
    for (let index = 1; index <= 20; index += 1) simulator.dashboard.create({ name: `Webhook ${index}` });
    const streams = [events(), events()];
    for (const first of await Promise.all(streams.map(nextEvent))) {
      expect(first).toMatch(/^event: all\n/);
      expect(first.match(/"webhook:\d+"/g)).toHaveLength(20);
    }
    simulator.dashboard.edit("7", { name: "Seventh" });
    simulator.dashboard.delete("9");
    for (const change of await Promise.all(streams.map(nextEvent))) {
      expect(change).toMatch(/^event: change\n/);
      expect(JSON.parse(change.slice(change.indexOf("{")))).toEqual({
        "webhook:7": expect.objectContaining({ name: "Seventh" }),
        "webhook:9": null,
      });
    }
    simulator.behaviour.idType = "string";
    for (const change of await Promise.all(streams.map(nextEvent))) {
      expect(Object.keys(JSON.parse(change.slice(change.indexOf("{"))))).toEqual(["behaviour"]);
    }
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  });

  it("sends a UI that reads slowly the newest state only, when it is ready", async () => {
    // More than the buffers between the two hold.
    for (let index = 1; index <= 3; index += 1) simulator.dashboard.create({ name: "x".repeat(4e6) });
    simulator.dashboard.create({ name: "Small" });
    const slow = await fetch(`${origin}/@ui/events`);
    const fast = events();
    await nextEvent(fast);
    for (const url of ["https://example.com/1", "https://example.com/2"]) {
      simulator.dashboard.edit("4", { url });
      expect(await nextEvent(fast)).toContain(url);
    }
    const read = readEvents(slow);
    expect(await nextEvent(read)).not.toContain("https://example.com/");
    const next = await nextEvent(read);
    expect(next).toMatch(/^event: all\n/);
    expect(next).toContain("https://example.com/2");
    await Promise.all([fast, read].map((stream) => stream.return(undefined)));
  });

  it("redacts the new key after a rotation", async () => {
    simulator.dashboard.create({ ...ORDERS, name: "Orders next-canary" });
    const stream = events();
    expect(await nextEvent(stream)).toContain("Orders next-canary");
    simulator.apiKey = "next-canary";
    expect(await nextEvent(stream)).toContain("Orders [key]");
    await stream.return(undefined);
  });
});

describe("a request to the UI", () => {
  it.each([
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["another port on this machine", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["no origin", {}],
    ["a sandboxed frame", { origin: "null" }],
  ])("that changes something is refused from %s", async (_, headers) => {
    const reply = await runAction("create", ORDERS, { "content-type": "application/json", ...headers });
    expect(reply.status).toBe(403);
    expect(simulator.webhooks).toEqual([]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "that changes something is refused with the type %s, which a form could send",
    async (type) => {
      const reply = await runAction("create", ORDERS, { ...ownHeaders(), "content-type": type });
      expect(reply.status).toBe(415);
      expect(simulator.webhooks).toEqual([]);
    },
  );

  it.each(["/", "/@ui/events", "/@ui/main.mjs"])("for %s is refused for a foreign host", async (path) => {
    const foreign = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", ""];
    const loopback = ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080"];
    for (const host of foreign) expect(await firstLine(path, host)).toContain(" 403 ");
    for (const host of loopback) expect(await firstLine(path, host)).not.toContain(" 403 ");
  });

  it("that changes something is refused for a foreign host, even with the same origin", async () => {
    const host = "evil.example";
    const reply = await runAction("create", ORDERS, { ...ownHeaders(), host, origin: `http://${host}` });
    expect(reply.status).toBe(403);
    expect(simulator.webhooks).toEqual([]);
  });

  it("that reads the state is refused from another site; a link to the UI is not", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await send("GET", "/@ui/events", headers)).status).toBe(403);
    expect((await send("GET", "/@ui/main.mjs", headers)).status).toBe(403);
    expect((await send("GET", "/", headers)).status).toBe(200);
  });

  it.each([
    ["create", { name: "Orders" }, 422, "The url field is required."],
    ["create", { ...ORDERS, name: "" }, 422, "The name field must not be empty."],
    ["create", { ...ORDERS, enabled: "yes" }, 422, "The enabled field must be 'true' or 'false'."],
    ["create", undefined, 422, "Invalid input"],
    ["edit", { webhook_id: "7", name: "Other" }, 404, "Webhook not found."],
    ["delete", { webhook_id: "7" }, 404, "Webhook not found."],
    ["add-fault", { fault: "nothing" }, 422, "There is no fault nothing."],
    ["add-fault", { fault: "cut", times: -1 }, 422, "times"],
    ["set-behaviour", { key: "idPlace", value: "here" }, 422, '"data.webhook.id"'],
    ["set-behaviour", { key: "nothing", value: "here" }, 422, "the options are idPlace"],
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
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => address),
    );
    const others = [...new Set(addresses)].filter(
      (address) => address !== "127.0.0.1" && !/^fe80/.test(address),
    );
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
