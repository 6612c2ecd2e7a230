import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
import { failureCode, ORDERS, send, sendForText } from "./send.js";
import { start, until } from "./start.js";

// faults/rows of the client tests has resets in a reply, hangs, slow replies and redirects.

describe("a fault", () => {
  async function startWith(fault: string): Promise<Simulator> {
    const simulator = await start();
    simulator.inject(`create: ${fault}`);
    return simulator;
  }

  it("latency delays the reply", async () => {
    const simulator = await startWith("latency 80 ms");
    const begun = performance.now();
    expect((await send(simulator, "create", ORDERS)).status).toBe(201);
    expect(performance.now() - begun).toBeGreaterThan(75);
  });

  it("latency carries out the operation even if the client has disconnected", async () => {
    const simulator = await startWith("latency 1000 ms");
    const client = new AbortController();
    const outcome = expect(send(simulator, "create", ORDERS, { signal: client.signal })).rejects.toThrow();
    await until(() => simulator.calls).toMatchObject([{ fault: "latency 1000 ms" }]);
    client.abort();
    await outcome;
    await until(() => simulator.calls).toMatchObject([{ committed: true, status: undefined }]);
  });

  it("status answers with a given status, headers and body", async () => {
    const time = "Wed, 21 Oct 2015 07:28:00 GMT";
    const more = `body=<h1>Busy</h1> contentType=text/html headers={"x-request-id":"42"}`;
    const simulator = await startWith(`status 503 retryAfter="${time}" ${more}`);
    const reply = await send(simulator, "create", ORDERS);
    expect([reply.status, await reply.text()]).toEqual([503, "<h1>Busy</h1>"]);
    const headers = { "content-type": "text/html", "retry-after": time, "x-request-id": "42" };
    expect(Object.fromEntries(reply.headers)).toMatchObject(headers);
    expect(simulator.webhooks).toEqual([]);
  });

  it("status can follow a commit, in the API's own error shape", async () => {
    const simulator = await startWith("status 500 after commit");
    expect(await sendForText(simulator, "create", ORDERS)).toMatch(/^\{"message":".+"\}$/);
    expect(simulator.webhooks).toHaveLength(1);
    expect(simulator.calls).toMatchObject([
      { fault: "status 500 after commit", committed: true, status: 500 },
    ]);
  });

  it.each([
    ["before reading", 0, undefined],
    ["before commit", 0, expect.objectContaining({ name: "Orders" })],
    ["after commit", 1, expect.objectContaining({ name: "Orders" })],
  ])("reset %s ends the connection without a reply", async (when, count, body) => {
    const simulator = await startWith(`reset ${when}`);
    expect(await failureCode(send(simulator, "create", ORDERS))).toBe("ECONNRESET");
    expect(simulator.webhooks).toHaveLength(count);
    const outcome = { fault: `reset ${when}`, committed: count === 1, status: undefined };
    expect(simulator.calls).toMatchObject([outcome]);
    expect(simulator.calls[0]?.body).toEqual(body);
  });

  it.each([
    ["malformed", "application/json", /^\{"data":\{"webhook":\{"id":1,[^}]*$/],
    ["html", "text/html; charset=utf-8", /^<!doctype html>/],
    ["empty", "application/json", /^$/],
    ["null", "application/json", /^null$/],
    ["array", "application/json", /^\[\{"data":.*\}\]$/],
    ["bom", "application/json", /^\ufeff\{"data":.*\}$/],
    ['raw={"id":1e3} contentType=text/plain', "text/plain", /^{"id":1e3}$/],
  ])("reply %s takes effect and sends that body", async (fault, contentType, body) => {
    const simulator = await startWith(`reply ${fault}`);
    const reply = await send(simulator, "create", ORDERS);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([201, contentType]);
    expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await reply.arrayBuffer())).toMatch(body);
    expect(simulator.webhooks).toHaveLength(1);
  });

  it.each([
    ["huge", null],
    ["gzip bomb", "gzip"],
  ])("a reply %s has the given size, and is valid JSON", async (kind, encoding) => {
    const reply = await send(await startWith(`reply ${kind} bytes=3000001`), "create", ORDERS);
    expect(reply.headers.get("content-encoding")).toBe(encoding);
    const text = await reply.text();
    expect(text).toHaveLength(3_000_001);
    expect(JSON.parse(text)).toMatchObject({ data: { webhook: { id: 1 } } });
  });

  it("close answers normally and then closes the kept-alive connection", async () => {
    const simulator = await startWith("close");
    const body = JSON.stringify(ORDERS);
    const socket = connect(Number(new URL(simulator.url).port), "127.0.0.1");
    const head = `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${simulator.apiKey}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    await once(socket, "end");
    expect(received).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(received).toMatch(/^Connection: keep-alive\r$/m);
    expect(received).toMatch(/"updated_at":"[^"]+"\}\}\}$/);
    socket.destroy();
  });
});
