import { afterEach, expect, it, vi } from "vitest";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { SimulatedApi, update } from "../simulated-api.js";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ["back", -3600],
  ["forward", 3600],
])("keeps to deadlines and pauses if the system clock is set %s by an hour", async (_, hours) => {
  await using failing = await SimulatedApi.start();
  await using pausing = await SimulatedApi.start();
  for (const { simulator } of [failing, pausing]) simulator.dashboard.create(ORDERS);
  failing.simulator.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 500 } });
  pausing.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "2" } });
  const started = performance.now();
  const deadline = failureOf(update(failing.clientWith({ deadlineSeconds: 4 })));
  const pause = update(pausing.clientWith()).then(() => (performance.now() - started) / 1000);
  for (const { simulator } of [failing, pausing]) {
    await expect.poll(() => simulator.calls, { timeout: 20_000 }).not.toEqual([]);
  }
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + hours * 1000);
  // The third attempt follows after 0.75 s at least.
  const { seconds } = await deadline;
  expect(seconds).toBeGreaterThan(0.7);
  expect(seconds).toBeLessThan(30);
  const paused = await pause;
  expect(paused).toBeGreaterThan(1.9);
  expect(paused).toBeLessThan(30);
});
