import { describe, expect, it } from "vitest";
import type { Fault } from "../../../src/simulator/index.js";
import { failureOf } from "../failure-of.js";
import { ORDERS } from "../samples.js";
import { create, SimulatedApi, update } from "../simulated-api.js";
import { status } from "./causes.js";

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
  it("ends operations that wait for a response, for a connection, or for the next attempt", async () => {
    await using api = await startFailing(HANG, status(500).fault);
    const client = api.clientWith({ timeoutSeconds: 60, deadlineSeconds: 2, maxConnections: 64 });
    const updates = await Promise.all(Array.from({ length: 100 }, () => failureOf(update(client))));
    expect(Math.max(...updates.map(({ seconds }) => seconds))).toBeLessThan(20);
  });

  it("is named with the last result if it cuts off a retry", async () => {
    await using api = await startFailing(status(500).fault, HANG);
    const client = api.clientWith({ timeoutSeconds: 60, deadlineSeconds: 6 });
    expect(await failureOf(update(client))).toMatchObject({
      failure: "unclear",
      message: expect.stringContaining(
        "failed: 500 Internal Server Error from POST /webhooks/update. It was tried 2 times within webhooks:deadlineSeconds. The API is temporarily unavailable.",
      ),
    });
  });

  it("is named if it cuts off the only attempt", async () => {
    await using api = await startFailing(HANG, HANG);
    const client = api.clientWith({ timeoutSeconds: 60, deadlineSeconds: 5 });
    expect((await failureOf(update(client))).message).toMatch(
      /no complete response before the deadline\. Check that the API is up, or raise webhooks:deadlineSeconds\.$/,
    );
  });

  it("leaves the outcome of a delete unknown if it cuts off a retry after a refusal", async () => {
    await using api = await startFailing(status(429).fault, HANG);
    const client = api.clientWith({ timeoutSeconds: 60, deadlineSeconds: 6 });
    const failure = await failureOf(client.delete("1", { action: "Deleting webhook 1 (Orders)" }));
    expect(failure).toMatchObject({ failure: "unclear" });
  });

  it("prevents a create that it would cut off", async () => {
    // After this wait, the time for a reply would end after the deadline.
    await using api = await startFailing(status(429, { retryAfter: "3" }).fault, HANG);
    const failure = await failureOf(create(api.clientWith({ timeoutSeconds: 30, deadlineSeconds: 5 })));
    expect(failure.failure).toBe("failed");
    expect(api.simulator.calls).toHaveLength(1);
  });
});
