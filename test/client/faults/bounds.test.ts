import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebhookClient } from "../../../src/client/client.js";
import type { WebhookError } from "../../../src/errors.js";
import type { Fault, Simulator } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";

const KEY = "key-canary-4711";
const SECRET = "whsec-canary-0815";
const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
const MEGABYTE = 1e6;
const MEBIBYTE = 2 ** 20;

let api: Simulator;
const clients: WebhookClient[] = [];

beforeEach(async () => {
  api = await startSimulator({ apiKey: KEY });
  api.dashboard.create(orders);
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await api.close();
});

function clientOf(settings: { timeoutSeconds: number; deadlineSeconds: number }): WebhookClient {
  const client = new WebhookClient({
    apiKey: KEY,
    baseUrl: api.url,
    maxConnections: 64,
    onWait: () => {},
    ...settings,
  });
  clients.push(client);
  return client;
}

const create = (client: WebhookClient) =>
  client.create({ ...orders, secret: SECRET }, { action: "Creating webhook Orders", secret: SECRET });
const update = (client: WebhookClient) =>
  client.update("1", orders, { action: "Updating webhook 1 (Orders)", secret: SECRET });

const failureOf = (promise: Promise<unknown>): Promise<WebhookError> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

interface Cost {
  seconds: number;
  /** The most that was held on the heap and beside it, above what was held before. */
  peakMegabytes: number;
}

/** What something costs, the simulator in the same process included: it streams, and holds little. */
async function costOf(act: () => Promise<unknown>): Promise<Cost> {
  collectGarbage();
  const held = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, held());
  }, 5);
  const started = performance.now();
  try {
    await act();
  } finally {
    clearInterval(sampling);
  }
  peak = Math.max(peak, held());
  return { seconds: (performance.now() - started) / 1000, peakMegabytes: (peak - before) / MEGABYTE };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

const hostile: [string, Fault][] = [
  ["100 MB", { kind: "reply", body: "huge" }],
  ["1 GB", { kind: "reply", body: "huge", bytes: 1e9 }],
  ["a gzip bomb", { kind: "reply", body: "gzip bomb" }],
  ["a reply that trickles", { kind: "slow", intervalMilliseconds: 20 }],
];

describe("one hostile reply", () => {
  it.each(hostile)(
    "of %s ends a create within the time-out, and takes less than 32 MB",
    async (_what, fault) => {
      api.inject({ fault });
      const client = clientOf({ timeoutSeconds: 2, deadlineSeconds: 10 });
      const { seconds, peakMegabytes } = await costOf(() => failureOf(create(client)));
      expect(seconds).toBeLessThan(3);
      expect(peakMegabytes).toBeLessThan(32);
    },
  );
});

describe("hostile replies to twenty updates at once, again and again", () => {
  it.each(hostile)("of %s keep the deadline, and take less than 128 MB", async (_what, fault) => {
    api.inject({ times: Number.POSITIVE_INFINITY, fault });
    const client = clientOf({ timeoutSeconds: 2, deadlineSeconds: 4 });
    const updates = () => Promise.all(Array.from({ length: 20 }, () => failureOf(update(client))));
    const { seconds, peakMegabytes } = await costOf(updates);
    expect(seconds).toBeLessThan(5);
    expect(peakMegabytes).toBeLessThan(128);
  });
});

describe("errors of the API of nearly 1 MiB", () => {
  // What a text may hold that makes it long to search for secrets.
  it.each([
    ["letters", "a"],
    ["backslashes", "\\"],
    ["secrets", `${SECRET} `],
  ])(
    "each, made of %s, do not hold up twenty creates beyond their deadline, and take less than 256 MB",
    async (_what, part) => {
      const written = JSON.stringify(part).length - 2;
      const body = JSON.stringify({ message: part.repeat(MEBIBYTE / written - 20) });
      api.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 422, body } });
      const client = clientOf({ timeoutSeconds: 5, deadlineSeconds: 5 });
      const failures: WebhookError[] = [];
      const { seconds, peakMegabytes } = await costOf(async () => {
        const creates = Array.from({ length: 20 }, () => failureOf(create(client)));
        failures.push(...(await Promise.all(creates)));
      });
      expect(failures.map(({ failure }) => failure)).toEqual(failures.map(() => "failed"));
      expect(seconds).toBeLessThan(6);
      expect(peakMegabytes).toBeLessThan(256);
    },
    60_000,
  );
});

describe("the deadline", () => {
  it("ends an operation that is waiting for a reply, for a connection, or to try again", async () => {
    api.inject({ times: 1, fault: { kind: "hang", commit: false } });
    api.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 500 } });
    const client = clientOf({ timeoutSeconds: 60, deadlineSeconds: 2 });
    const updates = () => Promise.all(Array.from({ length: 100 }, () => failureOf(update(client))));
    expect((await costOf(updates)).seconds).toBeLessThan(3);
  });

  it("that is nearer than the next try is not taken for a wait that the API asks for", async () => {
    api.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 500 } });
    const { message } = await failureOf(update(clientOf({ timeoutSeconds: 5, deadlineSeconds: 0.2 })));
    expect(message).not.toContain("The API asks to wait");
  });

  it("that comes soon after a wait sends no create whose reply it would cut off", async () => {
    // The API asks to wait until shortly before the deadline, and then takes its time.
    api.inject({ fault: { kind: "status", status: 429, retryAfter: "3" } });
    api.inject({ fault: { kind: "latency", milliseconds: 2000 } });
    const before = api.webhooks.length;
    const failure = await failureOf(create(clientOf({ timeoutSeconds: 3, deadlineSeconds: 3.5 })));
    await sleep(2000);
    expect(failure.failure).toBe("failed");
    expect(api.webhooks).toHaveLength(before);
  }, 20_000);
});
