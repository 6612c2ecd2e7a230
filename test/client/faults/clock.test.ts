import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { secondsOf } from "../seconds-of.js";
import { SimulatedApi, update } from "../simulated-api.js";

vi.setConfig({ testTimeout: 15_000 });

/** Sets the system clock, as far as this process can see it. */
function moveClock(seconds: number): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + seconds * 1000);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([
  ["back", -3600],
  ["forward", 3600],
])("if the system clock is set %s by an hour", (_, seconds) => {
  it("an operation ends at its deadline, and not before", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.dashboard.create(ORDERS);
    api.simulator.inject({ times: Number.POSITIVE_INFINITY, fault: { kind: "status", status: 500 } });
    const ending = failureOf(update(api.clientWith({ deadlineSeconds: 3.5 })));
    await expect.poll(() => api.simulator.calls).toHaveLength(1);
    moveClock(seconds);
    const { seconds: took } = await ending;
    // The second attempt follows within half a second, and the fourth after the deadline at the latest.
    expect(took).toBeGreaterThan(1);
    expect(took).toBeLessThan(6);
  });

  it("requests go on after a pause that the API asked for", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.dashboard.create(ORDERS);
    api.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "2" } });
    const updating = update(api.clientWith());
    await expect.poll(() => api.simulator.calls).toHaveLength(1);
    await sleep(100);
    moveClock(seconds);
    const took = await secondsOf(updating);
    expect(took).toBeGreaterThan(1.5);
    expect(took).toBeLessThan(6);
  });
});
