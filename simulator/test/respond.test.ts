import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { Simulator } from "../src/index.js";
import { ORDERS, send } from "./send.js";
import { start, until } from "./start.js";

// faults/rows of the client tests has all faults, and what they do to an operation. This is what it cannot see.

describe("a fault", () => {
  async function startWith(fault: string): Promise<Simulator> {
    const simulator = await start();
    simulator.inject(`create: ${fault}`);
    return simulator;
  }

  it("latency carries out the operation even if the client has disconnected", async () => {
    const simulator = await startWith("latency 1000 ms");
    const client = new AbortController();
    const outcome = expect(send(simulator, "create", ORDERS, { signal: client.signal })).rejects.toThrow();
    await until(() => simulator.calls).toMatchObject([{ fault: "latency 1000 ms" }]);
    client.abort();
    await outcome;
    await until(() => simulator.calls).toMatchObject([{ committed: true, status: undefined }]);
  });

  it("status has headers and a body, and the log says whether it followed a commit", async () => {
    const more = `body=<h1>Busy</h1> contentType=text/html headers={"x-request-id":"42"}`;
    const simulator = await startWith(`status 503 after commit ${more}`);
    const reply = await send(simulator, "create", ORDERS);
    expect([reply.status, await reply.text()]).toEqual([503, "<h1>Busy</h1>"]);
    const headers = { "content-type": "text/html", "x-request-id": "42" };
    expect(Object.fromEntries(reply.headers)).toMatchObject(headers);
    expect(simulator.calls).toMatchObject([
      { fault: expect.stringContaining("status 503 after commit"), committed: true, status: 503 },
    ]);
  });

  it.each([
    ["before reading", 0, undefined],
    ["before commit", 0, expect.objectContaining({ name: "Orders" })],
    ["after commit", 1, expect.objectContaining({ name: "Orders" })],
  ])("reset %s is in the log, with what was read of the request", async (when, count, body) => {
    const simulator = await startWith(`reset ${when}`);
    await expect(send(simulator, "create", ORDERS)).rejects.toThrow();
    const outcome = { fault: `reset ${when}`, committed: count === 1, status: undefined, body };
    expect(simulator.calls).toMatchObject([outcome]);
    expect(simulator.webhooks).toHaveLength(count);
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
