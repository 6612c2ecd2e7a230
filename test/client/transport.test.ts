import { createServer, type RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { Transport } from "../../src/client/transport.js";
import { openServer } from "./open-server.js";
import { KEY } from "./samples.js";
import { create, SimulatedApi } from "./simulated-api.js";

const SETTINGS = { apiKey: KEY, timeoutSeconds: 30, deadlineSeconds: 60, maxConnections: 1 };

describe.concurrent("the transport", () => {
  it("sends nothing after the time until which it may send, even if a connection is ready", async () => {
    await using api = await SimulatedApi.start();
    const transport = new Transport({ ...SETTINGS, baseUrl: api.simulator.url });
    const request = { operation: "delete", body: { webhook_id: "1" } } as const;
    const post = (lastSend: number) =>
      transport.send(request, { lastSend, deadline: performance.now() + 30_000 });
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
