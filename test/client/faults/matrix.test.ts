import { AsyncLocalStorage } from "node:async_hooks";
import dns from "node:dns";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Simulator, startSimulator } from "../../../simulator/src/index.js";
import { SEEN_BY } from "../../../src/record/seen-by.js";
import { WebhookError } from "../../../src/wording/errors.js";
import { __provider, startProvider } from "../../dynamic/provider/provider.js";
import { ORDERS as declared, KEY, SECRET } from "../samples.js";
import { type Cell, cellsOf, type Operation, type Outcome } from "./matrix.js";
import { resolveHost, type Way, wires } from "./wires.js";

// Each cell waits most of its time. The limits are far away: a busy machine must not reach them.
vi.setConfig({ maxConcurrency: 32, testTimeout: 600_000 });

const before = { url: "https://example.com/hooks/before", name: "Before", enabled: false };
const operations: Operation[] = ["create", "update", "delete"];

beforeAll(() => {
  for (const name of ["http_proxy", "https_proxy", "no_proxy"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
  vi.spyOn(Math, "random").mockImplementation(() => jitter.getStore()?.() ?? 0);
  vi.spyOn(dns, "lookup").mockImplementation(resolveHost as typeof dns.lookup);
});

afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

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
  if (operation !== "create") api.dashboard.create(before);

  const { cause } = row;
  const port = Number(new URL(api.url).port);
  if ("wire" in cause) return { api, way: await wires[cause.wire]({ port, times }) };
  if ("missing" in cause) api.dashboard.delete("1");
  else {
    const fault = typeof cause.fault === "function" ? cause.fault(api.url) : cause.fault;
    api.inject({ operation, times, fault });
  }
  return { api, way: { baseUrl: api.url, close: async () => {} } };
}

/** What the engine sees of an operation. */
interface Reported {
  ends: WebhookError["failure"] | "success";
  state: Outcome["state"] | undefined;
  id?: string;
  error?: WebhookError;
}

/** Runs a cell. @returns what happened, in the words of the matrix. */
async function run(cell: Cell) {
  const { api, way } = await prepare(cell);
  try {
    const reported = await jitter.run(jitterOf(cell), () => operate(cell, way.baseUrl));
    // A request that was sent and not awaited would come now.
    await sleep(50);
    const requests = api.calls.length;
    const several = cell.outcome.requests === "several" && requests >= 2;
    return { requests: several ? "several" : requests, atApi: atApi(cell, api), ...reported };
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

/** Runs the operation as the engine does. */
async function operate({ operation, row }: Cell, baseUrl: string): Promise<Reported> {
  const settings = {
    baseUrl,
    allowHttp: "true",
    timeoutSeconds: row.hangs ? "8" : "600",
    deadlineSeconds: "3600",
  };
  const provider = startProvider(settings, { log: { warn: () => {}, progress: () => {} } });

  const marks = {
    "created seconds ago": { createdAt: new Date().toISOString() },
    "seen by another key": { [SEEN_BY]: "0000" },
  };
  const olds = { __provider, ...before, secret: SECRET, baseUrl, ...(row.recorded && marks[row.recorded]) };
  const news = { __provider, ...declared, secret: SECRET };
  try {
    if (operation === "delete") {
      await provider.delete("1", olds);
      return { ends: "success", state: "nothing" };
    }
    const { outs, id } =
      operation === "create"
        ? await provider.create(news)
        : { id: "1", ...(await provider.update("1", olds, news)) };
    expect(outs).toMatchObject({ ...declared, secret: SECRET, baseUrl });
    const state = operation === "create" ? "the webhook" : "as declared";
    return { ends: "success", state: outs?.unconfirmed ? `${state}, sent again` : state, id };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return { ends: error.failure, state: stateAfter(operation, error, olds), error };
  }
}

/** Names the state after an error: with an id and properties on it, the engine records the webhook. */
function stateAfter(operation: Operation, error: object, olds: object): Outcome["state"] | undefined {
  if (!("id" in error)) return operation === "create" ? "nothing" : "as before";
  const { id, properties } = error as { id: unknown; properties?: unknown };
  if (operation === "update") {
    expect(properties).toEqual({ ...olds, unconfirmed: true });
    return "as before, sent again";
  }
  expect(properties).toMatchObject({ __provider, ...declared, secret: SECRET });
  return String(id).startsWith("in-doubt:") ? "unresolved" : "the webhook, sent again";
}

/** Writes all that can be printed of an error, except what the state records. */
function everythingIn(error: unknown): string {
  const { properties, ...shown } = Object(error);
  const own = error instanceof Error ? [error.message, error.stack, String(error), error.cause] : [];
  return inspect([shown, ...own], { depth: Number.POSITIVE_INFINITY, showHidden: true });
}

function titleOf({ row, lasts, outcome }: Cell): string {
  const fault = [row.fault, row.moment, lasts].filter(Boolean).join(", ");
  return `ends with ${outcome.ends} under the fault: ${fault}`;
}

describe.concurrent.each(operations)("a %s", (operation) => {
  it.each(cellsOf(operation).map((cell) => ({ cell, title: titleOf(cell) })))("$title", async ({ cell }) => {
    const { again, says = "", ...expected } = cell.outcome;
    // A delete of what is gone is done.
    if (expected.ends === "gone" && expected.state === "nothing") expected.ends = "success";
    const { error, ...observed } = await run(cell);
    expect(observed).toMatchObject({
      ...(expected.ends === "success" && operation === "create" && { id: "1" }),
      ...expected,
    });
    if (error !== undefined) {
      expect(error.message).toContain(says);
      // What is said of a young webhook is no more than its age.
      if (cell.row.recorded !== "created seconds ago")
        expect(/It was tried \d+ times/.test(error.message)).toBe(again);
    }
    expect(everythingIn(error)).not.toMatch(/canary/);
  });
});
