import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Requester } from "../../src/client/request.js";
import { Transport } from "../../src/client/transport.js";
import { failureOf } from "./failure-of.js";
import { holdPort } from "./faults/wires.js";
import { KEY } from "./samples.js";
import { create, SimulatedApi } from "./simulated-api.js";

// Each test waits most of its time.
vi.setConfig({ maxConcurrency: 16 });

/** Starts a server of its own. */
async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("A TCP server has an address and a port.");
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

describe.concurrent("a create that was not sent", () => {
  it("is retried until the API accepts connections, and creates one webhook", async () => {
    const { port, release } = await holdPort();
    await using api = await SimulatedApi.start();
    const creating = create(api.clientWith({ baseUrl: `http://127.0.0.1:${port}` }));
    await sleep(300);
    await release();
    await using late = await SimulatedApi.start({ port });
    expect(await creating).toMatchObject({ id: "1" });
    expect(late.simulator.calls).toHaveLength(1);
  });

  it("says that the server seems to speak http if the URL is https", async () => {
    await using api = await SimulatedApi.start();
    const baseUrl = api.simulator.url.replace("http:", "https:");
    const { message } = await failureOf(create(api.clientWith({ baseUrl })));
    expect(message).toContain(
      "(ERR_SSL_WRONG_VERSION_NUMBER: the server seems to speak http, not https). It was tried 3 times. Check webhooks:baseUrl and the network.",
    );
  });

  it("fails at the deadline", async () => {
    await using api = await SimulatedApi.start();
    const { port, release } = await holdPort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const failure = await failureOf(create(api.clientWith({ baseUrl, deadlineSeconds: 2 })));
    expect(failure.failure).toBe("failed");
    expect(failure.message).toMatch(
      /no request was sent: 127\.0\.0\.1:\d+ refused the connection\. It was tried \d+ times\. Check webhooks:baseUrl and the network\.$/,
    );
    expect(failure.seconds).toBeLessThan(3);
    await release();
  });

  it("waits for a free connection until the deadline, and has its whole time-out after that", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ times: 4, fault: { kind: "latency", milliseconds: 300 } });
    const client = api.clientWith({ maxConnections: 1, timeoutSeconds: 0.6 });
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => create(client, name)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  });

  it("fails if the requests before it take until the deadline", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault: { kind: "latency", milliseconds: 2000 } });
    const client = api.clientWith({ maxConnections: 1, deadlineSeconds: 1, timeoutSeconds: 5 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "a")),
      failureOf(create(client, "b")),
    ]);
    expect(first.failure).toBe("in doubt");
    expect(second).toMatchObject({
      failure: "failed",
      message:
        "Creating webhook b failed: no request was sent: the deadline passed while it waited for other requests. Run the command again, with a smaller --parallel or a longer webhooks:deadlineSeconds.",
    });
    expect(second.seconds).toBeLessThan(2);
    expect(api.simulator.calls.filter(({ body }) => Object(body).name === "b")).toEqual([]);
  });
});

describe.concurrent("a retry that finds no connection before the deadline", () => {
  it("leaves the error of the attempt before", async () => {
    await using api = await SimulatedApi.start();
    const { simulator } = api;
    simulator.inject({ fault: { kind: "status", status: 500 } });
    simulator.inject({ fault: { kind: "hang", commit: false } });
    const requester = new Requester({
      apiKey: KEY,
      baseUrl: simulator.url,
      timeoutSeconds: 30,
      deadlineSeconds: 1.5,
      maxConnections: 1,
    });
    const controller = new AbortController();
    const send = (more: object = {}) =>
      requester.send({ operation: "delete", body: {}, parse: (reply) => reply, ...more });
    let hung: Promise<unknown> | undefined;
    const outcome = await send({
      // Another request takes the only connection, and is abandoned without a response.
      onWait: () => {
        hung ??= send({ signal: controller.signal }).catch((error) => error);
        setTimeout(() => controller.abort(new Error("abandoned")), 100);
      },
    });
    expect(await hung).toMatchObject({ message: "abandoned" });
    expect(outcome).toMatchObject({ result: { kind: "response", status: 500 }, attempts: 2 });
    await requester.close();
  });
});

describe.concurrent("the transport", () => {
  it("does not follow a redirect to another host", async () => {
    let visitors = 0;
    await using other = await serve((_request, response) => {
      visitors++;
      response.end("{}");
    });
    await using api = await SimulatedApi.start();
    const to = `http://127.0.0.1:${other.port}/webhooks`;
    api.simulator.inject({ fault: { kind: "redirect", to, status: 307 } });
    const failure = await failureOf(create(api.clientWith()));
    expect(failure.detail).toContain(
      `The API redirects to 127.0.0.1:${other.port}, and redirects are not followed.`,
    );
    expect(visitors).toBe(0);
  });

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
    let open = 0;
    let mostOpen = 0;
    await using server = await serve((request, response) => {
      mostOpen = Math.max(mostOpen, ++open);
      request.resume();
      setTimeout(() => {
        open--;
        response.end('{"id": 1}');
      }, 50);
    });
    await using api = await SimulatedApi.start();
    const client = api.clientWith({ baseUrl: `http://127.0.0.1:${server.port}`, maxConnections: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(client, `hook ${n}`)));
    expect(mostOpen).toBe(3);
  });

  it("duplicates no create if the API closes each connection after its reply", async () => {
    await using api = await SimulatedApi.start();
    const client = api.clientWith({ maxConnections: 1 });
    for (let n = 0; n < 10; n++) {
      api.simulator.inject({ fault: { kind: "close" } });
      await create(client, `hook ${n}`);
    }
    expect(api.simulator.webhooks).toHaveLength(10);
  });
});
