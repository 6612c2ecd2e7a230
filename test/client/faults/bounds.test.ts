import { expect, it } from "vitest";
import type { Fault } from "../../../simulator/src/index.js";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { SimulatedApi, update } from "../simulated-api.js";

/** The most memory that this process ever had. */
const peakMegabytes = () => process.resourceUsage().maxRSS / 1e3;

// The simulator in this process streams its replies, and holds little.
it.each<[string, Fault]>([
  ["a reply that trickles", { kind: "slow", intervalMilliseconds: 20 }],
  ["a reply of 1 GB", { kind: "reply", body: "huge", bytes: 1e9 }],
  ["a gzip bomb", { kind: "reply", body: "gzip bomb" }],
])("twenty updates at once keep to the deadline and to 256 MB under %s", async (_, fault) => {
  await using api = await SimulatedApi.start();
  api.simulator.dashboard.create(ORDERS);
  api.simulator.inject({ times: Number.POSITIVE_INFINITY, fault });
  const client = api.clientWith({ maxConnections: 64, timeoutSeconds: 1, deadlineSeconds: 1.5 });
  const before = peakMegabytes();
  const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(update(client))));
  expect(Math.max(...failures.map(({ seconds }) => seconds))).toBeLessThan(20);
  expect(peakMegabytes() - before).toBeLessThan(256);
});
