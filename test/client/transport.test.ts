import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { Transport } from "../../src/client/transport.js";
import { failureOf } from "./failure-of.js";
import { openServer } from "./open-server.js";
import { KEY } from "./samples.js";
import { create, SimulatedApi } from "./simulated-api.js";

// Each test waits most of its time.
vi.setConfig({ maxConcurrency: 16, testTimeout: 60_000 });

describe.concurrent("a create that was not sent", () => {
  it("waits for a free connection until the deadline, and has its whole time-out after that", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ times: 4, fault: { kind: "latency", milliseconds: 1500 } });
    const client = api.clientWith({ maxConnections: 1, timeoutSeconds: 5 });
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => create(client, name)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  });

  it("fails if the requests before it take until the deadline", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault: { kind: "hang", commit: false } });
    const client = api.clientWith({ maxConnections: 1, deadlineSeconds: 8, timeoutSeconds: 30 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "a")),
      failureOf(create(client, "b")),
    ]);
    expect(first.failure).toBe("unresolved");
    expect(second).toMatchObject({
      failure: "failed",
      message:
        "Creating webhook b failed: no request was sent: the deadline passed while it waited for other requests. Run the command again, with a smaller --parallel or a longer webhooks:deadlineSeconds.",
    });
    expect(api.simulator.calls.filter(({ body }) => Object(body).name === "b")).toEqual([]);
  });
});

describe.concurrent("a refusal by the rate limit", () => {
  it("beyond the deadline fails all waiting requests at once, and sends none of them", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "3600" } });
    const client = api.clientWith({ maxConnections: 1 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "first")),
      failureOf(create(client, "second")),
    ]);
    expect(first.message).toContain("The API asks to wait 3600 s, longer than webhooks:deadlineSeconds.");
    expect(second).toMatchObject({
      failure: "failed",
      message:
        "Creating webhook second failed: no request was sent: the API's rate limit lets no request through for another 3600 s. Run the command again, with a smaller --parallel or a longer webhooks:deadlineSeconds.",
    });
    expect(second.seconds).toBeLessThan(30);
    expect(api.simulator.calls).toHaveLength(1);
  });
});

describe.concurrent("the transport", () => {
  it("sends nothing after the time until which it may send, even if a connection is ready", async () => {
    await using api = await SimulatedApi.start();
    const baseUrl = api.simulator.url;
    const transport = new Transport({ baseUrl, timeoutSeconds: 30, maxConnections: 1 });
    const post = (lastSend: number) =>
      transport.post({
        path: "/webhooks/delete",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: '{"webhook_id":"1"}',
        idempotent: true,
        lastSend,
        deadline: performance.now() + 30_000,
      });
    expect(await post(performance.now() + 30_000)).toMatchObject({ kind: "response", status: 404 });
    expect(await post(performance.now() - 1)).toMatchObject({ kind: "not-sent", isLate: true });
    await transport.close();
    expect(api.simulator.calls).toHaveLength(1);
  });

  it("opens as many connections at once as the settings allow", async () => {
    let [open, mostOpen] = [0, 0];
    const respond: RequestListener = (request, response) => {
      mostOpen = Math.max(mostOpen, ++open);
      request.resume();
      setTimeout(() => {
        open--;
        response.end('{"id": 1}');
      }, 50);
    };
    await using server = await openServer(createServer(respond));
    await using api = await SimulatedApi.start();
    const client = api.clientWith({ baseUrl: `http://127.0.0.1:${server.port}`, maxConnections: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(client, `hook ${n}`)));
    expect(mostOpen).toBe(3);
  });
});
