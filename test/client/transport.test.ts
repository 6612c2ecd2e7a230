import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebhookClient } from "../../src/client/client.js";
import type { WebhookError } from "../../src/errors.js";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

const KEY = "key-canary-4711";
const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

let api: Simulator;
let waits: string[];
const clients: WebhookClient[] = [];

beforeEach(async () => {
  api = await startSimulator({ apiKey: KEY });
  waits = [];
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await api.close();
});

type Settings = {
  baseUrl?: string;
  timeoutSeconds?: number;
  deadlineSeconds?: number;
  maxConnections?: number;
};

function clientOf(settings: Settings = {}): WebhookClient {
  const client = new WebhookClient({
    apiKey: KEY,
    baseUrl: api.url,
    timeoutSeconds: 5,
    deadlineSeconds: 20,
    maxConnections: 8,
    onWait: (line) => waits.push(line),
    ...settings,
  });
  clients.push(client);
  return client;
}

const create = (client: WebhookClient, name = "Orders") =>
  client.create({ ...orders, name }, { action: `Creating webhook ${name}` });

async function failureOf(promise: Promise<unknown>): Promise<WebhookError & { seconds: number }> {
  const started = performance.now();
  try {
    await promise;
  } catch (error) {
    return Object.assign(error as WebhookError, { seconds: (performance.now() - started) / 1000 });
  }
  return expect.fail("it succeeded");
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a create of which nothing was sent", () => {
  it("is tried until the API accepts connections, and creates one webhook", async () => {
    const port = await unusedPort();
    const creating = create(clientOf({ baseUrl: `http://127.0.0.1:${port}` }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const late = await startSimulator({ apiKey: KEY, port });
    expect(await creating).toMatchObject({ id: "1" });
    expect(late.calls).toHaveLength(1);
    await late.close();
  });

  it("has failed for sure at the deadline, in time", async () => {
    const port = await unusedPort();
    const failure = await failureOf(
      create(clientOf({ baseUrl: `http://127.0.0.1:${port}`, deadlineSeconds: 2 })),
    );
    expect(failure.failure).toBe("failed");
    expect(failure.message).toMatch(
      /nothing was sent: 127\.0\.0\.1:\d+ refused the connection\. It was tried \d+ times\.$/,
    );
    expect(failure.seconds).toBeLessThan(3);
  });

  it("waits for a free connection as long as the deadline allows, without using up its own time", async () => {
    api.inject({ times: 4, fault: { kind: "latency", milliseconds: 300 } });
    const client = clientOf({ maxConnections: 1, timeoutSeconds: 0.6 });
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => create(client, name)));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  });

  it("has failed for sure where the deadline passes before a connection is free", async () => {
    api.inject({ fault: { kind: "latency", milliseconds: 2000 } });
    const client = clientOf({ maxConnections: 1, deadlineSeconds: 1, timeoutSeconds: 5 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "a")),
      failureOf(create(client, "b")),
    ]);
    expect(first.failure).toBe("in doubt");
    expect(second).toMatchObject({ failure: "failed", message: expect.stringContaining("nothing was sent") });
    expect(second.seconds).toBeLessThan(2);
    expect(api.calls.filter(({ body }) => Object(body).name === "b")).toEqual([]);
  });
});

describe("the API's rate limit", () => {
  it("lets all requests of the account wait after one was refused", async () => {
    const client = clientOf();
    api.inject({ fault: { kind: "status", status: 429, retryAfter: "1" } });
    const first = create(client, "first");
    await expect.poll(() => api.calls.length).toBe(1);
    const started = performance.now();
    await Promise.all([first, create(client, "second")]);
    expect(performance.now() - started).toBeGreaterThan(800);
    expect(api.calls.map(({ status }) => status)).toEqual([429, 201, 201]);
  });

  it("obeys a Retry-After that is a date, by the API's own clock", async () => {
    api.behaviour.clockSkewSeconds = 3600;
    const retryAfter = new Date(Date.now() + 3_602_000).toUTCString();
    api.inject({ fault: { kind: "status", status: 503, retryAfter } });
    const started = performance.now();
    await create(clientOf());
    expect(performance.now() - started).toBeGreaterThan(500);
    expect(performance.now() - started).toBeLessThan(4000);
  });

  it("is reported while it lasts, in one line", async () => {
    api.inject({ fault: { kind: "status", status: 429, retryAfter: "6" } });
    const client = clientOf();
    const creating = create(client);
    await expect
      .poll(() => waits)
      .toEqual(["Creating webhook Orders: 429 Too Many Requests from POST /webhooks. Trying again in 6 s."]);
    await creating;
  }, 10_000);
});

describe("a rate limit of 20 requests a second", () => {
  const createMany = (client: WebhookClient) =>
    Promise.all(Array.from({ length: 200 }, (_, n) => create(client, `hook ${n}`)));
  const refusals = () => api.calls.filter(({ status }) => status === 429).length;

  it("refuses at most 20 of 200 creates at once, and all are made in the end", async () => {
    api.behaviour.rateLimit = { perSecond: 20, burst: 20, headers: false };
    await createMany(clientOf({ deadlineSeconds: 60, maxConnections: 64 }));
    expect(api.webhooks).toHaveLength(200);
    expect(refusals()).toBeLessThanOrEqual(20);
  }, 60_000);

  it("refuses none where its replies tell what is left", async () => {
    api.behaviour.rateLimit = { perSecond: 20, burst: 20, headers: true };
    await createMany(clientOf({ deadlineSeconds: 60, maxConnections: 64 }));
    expect(api.webhooks).toHaveLength(200);
    expect(refusals()).toBe(0);
  }, 60_000);

  it("that lasts beyond the deadline fails at once what waits behind the first refusal, and nothing of it is sent", async () => {
    api.inject({ times: 1, fault: { kind: "status", status: 429, retryAfter: "3600" } });
    const client = clientOf({ maxConnections: 1 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "first")),
      failureOf(create(client, "second")),
    ]);
    expect(first.message).toContain("The API asks to wait 3600 s, longer than webhooks:deadlineSeconds.");
    expect(second).toMatchObject({
      failure: "failed",
      message:
        "Creating webhook second failed: nothing was sent: the API's rate limit lets nothing through for another 3600 s.",
    });
    expect(second.seconds).toBeLessThan(1);
    expect(api.calls).toHaveLength(1);
  });
});

describe("connections", () => {
  it("are not followed to another host by a redirect", async () => {
    let asked = 0;
    const other = createServer((_request, response) => {
      asked++;
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    api.inject({ fault: { kind: "redirect", to: `http://127.0.0.1:${port}/webhooks`, status: 307 } });
    const failure = await failureOf(create(clientOf()));
    expect(failure.detail).toContain(`The API redirects to 127.0.0.1:${port}, and no redirect is followed`);
    expect(asked).toBe(0);
    other.close();
  });

  it("are as many at once as the settings say", async () => {
    let most = 0;
    let now = 0;
    const server = createServer((request, response) => {
      most = Math.max(most, ++now);
      request.resume();
      setTimeout(() => {
        now--;
        response.end('{"id": 1}');
      }, 50);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = clientOf({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      maxConnections: 3,
    });
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(client, `hook ${n}`)));
    expect(most).toBe(3);
    server.close();
  });

  it("that the API closes between two creates double nothing", async () => {
    const client = clientOf({ maxConnections: 1 });
    for (let n = 0; n < 10; n++) {
      api.inject({ fault: { kind: "close" } });
      await create(client, `hook ${n}`);
    }
    expect(api.webhooks).toHaveLength(10);
  });
});
