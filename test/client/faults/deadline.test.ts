import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { secondsOf } from "../seconds-of.js";
import { create, SimulatedApi, update } from "../simulated-api.js";

vi.setConfig({ testTimeout: 20_000 });

const ALWAYS = Number.POSITIVE_INFINITY;

describe.concurrent("the deadline", () => {
  it("ends operations that wait for a response, for a connection, or for the next attempt", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.dashboard.create(ORDERS);
    api.simulator.inject({ times: 1, fault: { kind: "hang", commit: false } });
    api.simulator.inject({ times: ALWAYS, fault: { kind: "status", status: 500 } });
    const client = api.clientWith({ timeoutSeconds: 60, deadlineSeconds: 2, maxConnections: 64 });
    const updates = Array.from({ length: 100 }, () => failureOf(update(client)));
    expect(await secondsOf(Promise.all(updates))).toBeLessThan(3);
  });

  it("is not reported as a wait that the API asks for", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.dashboard.create(ORDERS);
    api.simulator.inject({ times: ALWAYS, fault: { kind: "status", status: 500 } });
    const { message } = await failureOf(update(api.clientWith({ deadlineSeconds: 0.7 })));
    expect(message).toContain("500 Internal Server Error");
    expect(message).not.toContain("The API asks to wait");
  });

  it("prevents a create that it would cut off", async () => {
    await using api = await SimulatedApi.start();
    // The API asks to wait until shortly before the deadline, and then replies late.
    api.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "3" } });
    api.simulator.inject({ fault: { kind: "latency", milliseconds: 2000 } });
    const client = api.clientWith({ timeoutSeconds: 3, deadlineSeconds: 3.5 });
    const failure = await failureOf(create(client));
    await sleep(2000);
    expect(failure.failure).toBe("failed");
    expect(api.simulator.webhooks).toEqual([]);
  });
});
