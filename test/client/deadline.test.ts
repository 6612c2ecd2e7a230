import { afterEach, describe, expect, it, vi } from "vitest";
import type { Fault } from "../../simulator/src/index.js";
import { failureOf } from "./failure-of.js";
import { status } from "./faults/row.js";
import { ORDERS } from "./samples.js";
import { create, SimulatedApi, update } from "./simulated-api.js";

// Each test waits most of its time.
vi.setConfig({ maxConcurrency: 16 });

afterEach(() => {
  vi.restoreAllMocks();
});

const HANG: Fault = { kind: "hang", commit: false };
/** Starts an API with webhook 1, whose first request gets a fault, and all others another one. */
async function startFailing(first: Fault, others: Fault) {
  const api = await SimulatedApi.start();
  api.simulator.dashboard.create(ORDERS);
  api.simulator.inject({ times: 1, fault: first });
  api.simulator.inject({ times: Number.POSITIVE_INFINITY, fault: others });
  return api;
}

describe.concurrent("the deadline", () => {
  it("ends the attempts to reach an API that has answered", async () => {
    await using api = await SimulatedApi.start();
    const client = api.clientWith({ deadlineSeconds: 20 });
    await create(client);
    await api.simulator.close();
    const { message } = await failureOf(create(client));
    expect(message).toMatch(/ It was tried \d times within webhooks:deadlineSeconds\./);
  });

  it("leaves the outcome unknown if it cuts off a retry after a refusal, and is named with the last result", async () => {
    await using api = await startFailing(status(429).fault, HANG);
    await using other = await startFailing(status(429).fault, HANG);
    const limits = { timeoutSeconds: 60, deadlineSeconds: 6 };
    const [created, updated] = await Promise.all([
      failureOf(create(api.clientWith(limits))),
      failureOf(update(other.clientWith(limits))),
    ]);
    expect(created.failure).toBe("unresolved");
    expect(created.message).toContain("no complete response before the deadline");
    expect(updated.failure).toBe("unclear");
    expect(updated.message).toMatch(/failed: 429 .* It was tried 2 times within webhooks:deadlineSeconds\./);
  });

  it("of customTimeouts is the one that a message compares with what the API asks for", async () => {
    const busy = status(429, { retryAfter: "4" }).fault;
    await using api = await startFailing(busy, busy);
    const client = api.clientWith({ deadlineSeconds: 2 });
    const { message } = await failureOf(
      client.delete("1", { action: "Deleting webhook 1", deadlineSeconds: 6 }),
    );
    expect(message).toMatch(/tried 2 times within customTimeouts\. The API's rate limit is exhausted\./);
  });

  it("prevents a create that it would cut off", async () => {
    // After this wait, the time for a reply would end after the deadline.
    await using api = await startFailing(status(429, { retryAfter: "3" }).fault, HANG);
    const failure = failureOf(create(api.clientWith({ timeoutSeconds: 30, deadlineSeconds: 5 })));
    expect(await failure).toMatchObject({
      failure: "no effect",
      message: expect.stringContaining("The API's rate limit is exhausted. Run the"),
    });
    expect(api.simulator.calls).toHaveLength(1);
  });
});

describe.concurrent("a create that was not sent", () => {
  it("waits for the connection of one without a reply until the deadline, and has its whole time-out after that", async () => {
    await using api = await startFailing(HANG, { kind: "latency", milliseconds: 1500 });
    const client = api.clientWith({ maxConnections: 1, timeoutSeconds: 4 });
    const creates = ["a", "b", "c", "d"].map((name) => create(client, name));
    const statuses = (await Promise.allSettled(creates)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  });

  const limited = status(429, { retryAfter: "3600" }).fault;

  it.each<[string, deadlineSeconds: number, Fault, string]>([
    ["the requests before it take until the deadline", 8, HANG, "while it waited for other requests"],
    ["the rate limit lasts longer, at once", 600, limited, "lets no request through for another 3600 s"],
  ])("fails if %s", async (_what, deadlineSeconds, fault, reason) => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault });
    const client = api.clientWith({ maxConnections: 1, deadlineSeconds, timeoutSeconds: 30 });
    const [, second] = await Promise.all([failureOf(create(client, "a")), failureOf(create(client, "b"))]);
    expect(second).toMatchObject({
      failure: "no effect",
      message: expect.stringMatching(
        `no request was sent: .*${reason}\\. Run the command again, with a longer`,
      ),
    });
    expect(api.simulator.calls).toMatchObject([{ body: { name: "a" } }]);
  });
});

it("keeps to pauses and to the deadline if the system clock is set back by an hour", async () => {
  await using api = await startFailing(status(429, { retryAfter: "1" }).fault, status(500).fault);
  const failing = failureOf(update(api.clientWith({ deadlineSeconds: 4 })));
  await expect.poll(() => api.simulator.calls, { timeout: 120_000 }).not.toEqual([]);
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() - 3_600_000);
  const { message, seconds } = await failing;
  expect(message).toMatch(/ 500 .* It was tried \d times within webhooks:deadlineSeconds\./);
  expect(seconds).toBeLessThan(30);
});
