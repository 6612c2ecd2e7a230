import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebhookClient } from "../../../src/client/client.js";
import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import { WebhookError } from "../../../src/errors.js";
import type { Fault, Simulator } from "../../../src/simulator/index.js";
import { startSimulator } from "../../../src/simulator/index.js";
import { ORDERS as declared, KEY, SECRET } from "../samples.js";
import type { Cell, Operation, Outcome } from "./matrix.js";
import { cellsOf } from "./matrix.js";
import type { Way } from "./wires.js";
import { openWire } from "./wires.js";

// Each cell waits most of its time.
vi.setConfig({ maxConcurrency: 32, testTimeout: 120_000 });

const __provider = "the stored text";
const before = { url: "https://example.com/hooks/before", name: "Before", enabled: false };
const operations: Operation[] = ["create", "update", "delete"];

/** The host that redirects lead to. It must never receive a request. */
const elsewhere = createServer((_request, response) => {
  visitors += 1;
  response.end('{"data":{"webhook":{"id":1}}}');
});
let visitors = 0;

beforeAll(async () => {
  for (const name of ["http_proxy", "https_proxy", "no_proxy"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
  vi.spyOn(Math, "random").mockImplementation(() => jitter.getStore()?.() ?? 0);
  elsewhere.listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
});

afterAll(() => {
  elsewhere.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

interface Limits {
  timeoutSeconds: number;
  deadlineSeconds: number;
}

/** Returns the limits of a cell: wide ones, because a busy machine must not reach them. */
function limitsOf({ row: { hangs }, lasts }: Cell): Limits {
  const hangSeconds = lasts === "once" ? 8 : 1;
  return { timeoutSeconds: hangs ? hangSeconds : 30, deadlineSeconds: 60 };
}

/** The jitter of a cell, in the order in which it is asked for. retry.test.ts tests the real one. */
const jitter = new AsyncLocalStorage<() => number>();

/**
 * Returns the jitter of a cell: the shortest back-off, always. If only the deadline ends the cell, the second back-off lasts
 * beyond it.
 */
function jitterOf({ row: { endsBeforeDeadline }, lasts, outcome }: Cell): () => number {
  const isEndedByDeadline = lasts === "for good" && !endsBeforeDeadline && !(Number(outcome.requests) > 0);
  let calls = 0;
  return () => (isEndedByDeadline && ++calls > 1 ? Number.MAX_SAFE_INTEGER : 0);
}

/** Starts an API, with one webhook if the operation needs one, and the cell's fault between it and the client. */
async function prepare({ operation, row, lasts }: Cell): Promise<{ api: Simulator; way: Way }> {
  const api = await startSimulator({ apiKey: KEY });
  const times = lasts === "once" ? 1 : Number.POSITIVE_INFINITY;
  const inject = (fault: Fault) => api.inject({ operation, times, fault });
  if (operation !== "create") api.dashboard.create(before);

  const { cause } = row;
  if ("wire" in cause) return { api, way: await openWire(cause.wire, { apiUrl: api.url, times }) };
  if ("missing" in cause) api.dashboard.delete("1");
  else if ("redirect" in cause) {
    const to = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/webhooks`;
    inject({ kind: "redirect", to, status: cause.redirect });
  } else inject(typeof cause.fault === "function" ? cause.fault() : cause.fault);
  return { api, way: { baseUrl: api.url, close: async () => {} } };
}

/** What happened in a cell, in the words of the matrix. */
interface Observed {
  requests: Outcome["requests"];
  atApi: Outcome["atApi"];
  ends?: Outcome["ends"] | undefined;
  state?: Outcome["state"] | undefined;
  id?: string;
  error?: unknown;
  seconds: number;
}

/** What one way of running the operation reports. */
type Reported = Pick<Observed, "ends" | "state" | "id" | "error">;

async function run(cell: Cell, drive: (cell: Cell, baseUrl: string) => Promise<Reported>): Promise<Observed> {
  const { api, way } = await prepare(cell);
  try {
    const started = performance.now();
    const reported = await jitter.run(jitterOf(cell), () => drive(cell, way.baseUrl));
    const seconds = (performance.now() - started) / 1000;
    // A request that was sent and not awaited would come now.
    await sleep(50);
    const requests = api.calls.length;
    const several = cell.outcome.requests === "several" && requests >= 2;
    return { requests: several ? "several" : requests, atApi: atApi(cell, api), ...reported, seconds };
  } finally {
    await way.close();
    await api.close();
  }
}

function atApi({ operation }: Cell, { webhooks }: Simulator): Outcome["atApi"] {
  const count = (["no webhook", "one webhook", "two webhooks"] as const)[webhooks.length];
  if (count === undefined) throw new Error(`There are ${webhooks.length} webhooks`);
  const [webhook] = webhooks;
  if (operation !== "update" || webhook === undefined) return count;
  const { url, name, enabled } = webhook;
  const isAs = (fields: object) => JSON.stringify(fields) === JSON.stringify({ url, name, enabled });
  return isAs(declared) ? "as declared" : isAs(before) ? "as before" : count;
}

/** Runs the operation by the client alone. */
async function byClient(cell: Cell, baseUrl: string): Promise<Reported> {
  const { operation } = cell;
  const client = new WebhookClient({
    apiKey: KEY,
    baseUrl,
    maxConnections: 4,
    onWait: () => {},
    ...limitsOf(cell),
  });
  const context = { action: "Trying webhook Orders", secrets: [SECRET] };
  try {
    if (operation === "update") await client.update("1", declared, context);
    if (operation === "delete") await client.delete("1", context);
    if (operation !== "create") return { ends: "success" };
    const { id } = await client.create({ ...declared, secret: SECRET }, context);
    return { ends: "success", id };
  } catch (error) {
    return { ends: error instanceof WebhookError ? error.failure : undefined, error };
  } finally {
    await client.close();
  }
}

/** Runs the operation as the engine does, by the provider. */
async function byProvider(cell: Cell, baseUrl: string): Promise<Reported> {
  const { operation } = cell;
  const { timeoutSeconds, deadlineSeconds } = limitsOf(cell);
  const config: Record<string, string> = {
    "webhooks:apiKey": KEY,
    "webhooks:baseUrl": baseUrl,
    "webhooks:allowHttp": "true",
    "webhooks:timeoutSeconds": String(timeoutSeconds),
    "webhooks:deadlineSeconds": String(deadlineSeconds),
  };
  const get = (key: string) => config[key];
  const provider = new WebhookProvider({ warn: () => {}, progress: () => {} });
  await provider.configure({ config: { get, require: (key) => get(key) ?? "" } });

  const olds = { __provider, ...before, secret: SECRET, baseUrl };
  const news = { __provider, ...declared, secret: SECRET };
  try {
    if (operation === "create") {
      const { id, outs } = await provider.create(news);
      expect(outs).toMatchObject({ ...declared, secret: SECRET, baseUrl });
      return { state: "the webhook", id };
    }
    if (operation === "update") {
      const { outs } = await provider.update("1", olds, news);
      expect(outs).toMatchObject({ ...declared, secret: SECRET, baseUrl });
      return { state: "as declared" };
    }
    await provider.delete("1", olds);
    return { state: "nothing" };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return { state: stateAfter(operation, error, olds), error };
  }
}

/** Names the state after an error: with an id and properties on it, the engine records the webhook. */
function stateAfter(operation: Operation, error: object, olds: object): Outcome["state"] | undefined {
  if (!("id" in error)) return operation === "create" ? "nothing" : "as before";
  const { id, properties } = error as { id: unknown; properties?: unknown };
  if (operation === "update") {
    expect(properties).toEqual({ ...olds, unconfirmed: true });
    return "as before, unconfirmed";
  }
  expect(properties).toMatchObject({ __provider, ...declared, secret: SECRET });
  return String(id).startsWith("in-doubt:") ? "in doubt" : undefined;
}

/** Writes all that can be printed of an error, except what the state records. */
function everythingIn(error: unknown): string {
  const { properties, ...shown } = Object(error);
  const own = error instanceof Error ? [error.message, error.stack, String(error), error.cause] : [];
  return inspect([shown, ...own], { depth: Number.POSITIVE_INFINITY, showHidden: true });
}

function titleOf({ row, lasts, outcome }: Cell): string {
  const ends = {
    success: "succeeds",
    failed: "fails",
    gone: "finds the webhook gone",
    "in doubt": "is in doubt",
    unconfirmed: "fails unconfirmed",
  }[outcome.ends];
  const fault = [row.fault, row.moment, lasts].filter(Boolean).join(", ");
  return `${ends} under the fault: ${fault} (requests: ${outcome.requests})`;
}

describe.concurrent.each(operations)("a %s", (operation) => {
  it.each(cellsOf(operation).map((cell) => ({ cell, title: titleOf(cell) })))("$title", async ({ cell }) => {
    const { again, requests, ends, atApi, state, says } = cell.outcome;
    const { id = ends === "success" ? "1" : undefined } = cell.outcome;
    const ids = operation === "create" && id !== undefined ? { id } : {};
    const [client, provider] = await Promise.all([run(cell, byClient), run(cell, byProvider)]);

    expect(client).toMatchObject({ requests, ends, atApi, ...ids });
    expect(provider).toMatchObject({ requests, state, atApi, ...ids });
    const isDone = ends === "success" || (operation === "delete" && ends === "gone");
    expect(provider.error === undefined).toBe(isDone);
    for (const { error, seconds } of [client, provider]) {
      if (error !== undefined) {
        expect(Object(error).message).toContain(says ?? "");
        expect(/It was tried \d+ times/.test(Object(error).message)).toBe(again);
      }
      expect(everythingIn(error)).not.toMatch(/canary/);
      expect(seconds).toBeLessThan(limitsOf(cell).deadlineSeconds + 10);
    }
  });
});

describe("the redirects of all cells", () => {
  it("were not followed", () => {
    expect(visitors).toBe(0);
  });
});

it("shows the matrix as it is in docs/faults.md: node scripts/fault-matrix.mts", async () => {
  const script = fileURLToPath(new URL("../../../scripts/fault-matrix.mts", import.meta.url));
  await promisify(execFile)(process.execPath, [script, "--check"]);
});
