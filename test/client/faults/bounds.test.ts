import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { WebhookClient } from "../../../src/client/client.js";
import type { WebhookError } from "../../../src/errors.js";
import type { Fault } from "../../../src/simulator/index.js";
import { failureOf } from "../failure-of.js";
import { ORDERS, SECRET } from "../samples.js";
import { create, SimulatedApi, update } from "../simulated-api.js";

// These tests measure the memory of the whole process, and run one after the other for that.

const MEBIBYTE = 2 ** 20;

interface Cost {
  seconds: number;
  /** The most memory that was held at a time, beyond what was held before. */
  peakMegabytes: number;
}

/** Measures an operation, with the simulator in the same process: it streams its replies, and holds little. */
async function costOf(operation: () => Promise<unknown>): Promise<Cost> {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
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
    await operation();
  } finally {
    clearInterval(sampling);
  }
  peak = Math.max(peak, held());
  return { seconds: (performance.now() - started) / 1000, peakMegabytes: (peak - before) / 1e6 };
}

/** Lets all requests of twenty operations at once get this fault. */
async function overwhelm(
  fault: Fault,
  operation: (client: WebhookClient) => Promise<unknown>,
  limits: { timeoutSeconds: number; deadlineSeconds: number },
): Promise<Cost & { failures: WebhookError[] }> {
  await using api = await SimulatedApi.start();
  api.simulator.dashboard.create(ORDERS);
  api.simulator.inject({ times: Number.POSITIVE_INFINITY, fault });
  const client = api.clientWith({ maxConnections: 64, ...limits });
  const failures: WebhookError[] = [];
  const cost = await costOf(async () => {
    const operations = Array.from({ length: 20 }, () => failureOf(operation(client)));
    failures.push(...(await Promise.all(operations)));
  });
  return { ...cost, failures };
}

describe("hostile replies to all requests of twenty updates at once", () => {
  it.each<[string, Fault]>([
    ["a reply of 100 MB", { kind: "reply", body: "huge" }],
    ["a reply of 1 GB", { kind: "reply", body: "huge", bytes: 1e9 }],
    ["a gzip bomb", { kind: "reply", body: "gzip bomb" }],
    ["a reply that trickles", { kind: "slow", intervalMilliseconds: 20 }],
  ])("keep to the deadline, with less than 128 MB: %s", async (_what, fault) => {
    const limits = { timeoutSeconds: 1, deadlineSeconds: 1.5 };
    const { seconds, peakMegabytes } = await overwhelm(fault, update, limits);
    expect(seconds).toBeLessThan(20);
    expect(peakMegabytes).toBeLessThan(128);
  });
});

describe("error messages of nearly 1 MiB in reply to twenty creates at once", () => {
  // Texts that take long to search for secrets.
  it.each([
    ["letters", "a"],
    ["backslashes", "\\"],
    ["secrets", `${SECRET} `],
  ])("are quoted with less than 256 MB: %s", async (_what, part) => {
    const written = JSON.stringify(part).length - 2;
    const body = JSON.stringify({ message: part.repeat(MEBIBYTE / written - 20) });
    const fault: Fault = { kind: "status", status: 422, body };
    const { failures, seconds, peakMegabytes } = await overwhelm(fault, create, {
      timeoutSeconds: 60,
      deadlineSeconds: 60,
    });
    expect(failures.map(({ failure }) => failure)).toEqual(failures.map(() => "failed"));
    expect(seconds).toBeLessThan(30);
    expect(peakMegabytes).toBeLessThan(256);
  });
});
