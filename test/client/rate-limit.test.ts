import { describe, expect, it, vi } from "vitest";
import type { WebhookClient } from "../../src/client/client.js";
import { failureOf } from "./failure-of.js";
import { secondsOf } from "./seconds-of.js";
import { create, SimulatedApi } from "./simulated-api.js";

// Each test waits most of its time.
vi.setConfig({ maxConcurrency: 32, testTimeout: 30_000 });

describe.concurrent("a refusal by the rate limit", () => {
  it("makes all requests of the account wait", async () => {
    await using api = await SimulatedApi.start();
    const { simulator } = api;
    const client = api.clientWith();
    simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "1" } });
    const first = create(client, "first");
    await expect.poll(() => simulator.calls[0]?.status).toBe(429);
    const seconds = await secondsOf(Promise.all([first, create(client, "second")]));
    expect(seconds).toBeGreaterThan(0.8);
    expect(simulator.calls.map(({ status }) => status)).toEqual([429, 201, 201]);
  });

  it("is reported with the wait, in one line", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "6" } });
    const creating = create(api.clientWith());
    await expect
      .poll(() => api.waits)
      .toEqual(["Creating webhook Orders: 429 Too Many Requests from POST /webhooks. Retrying in 6 s."]);
    await creating;
  });

  it("beyond the deadline fails all waiting requests at once, and sends none of them", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.inject({ fault: { kind: "status", status: 429, retryAfter: "3600" } });
    const client = api.clientWith({ maxConnections: 1 });
    const [first, second] = await Promise.all([
      failureOf(create(client, "first")),
      failureOf(create(client, "second")),
    ]);
    expect(first.message).toContain("The API asks to wait 3600 s, longer than webhooks:deadlineSeconds.");
    expect(second).toMatchObject({
      failure: "failed",
      message:
        "Creating webhook second failed: no request was sent: the API's rate limit lets no request through for another 3600 s. Run the command again, with a smaller --parallel or a longer webhooks:deadlineSeconds.",
    });
    expect(second.seconds).toBeLessThan(1);
    expect(api.simulator.calls).toHaveLength(1);
  });
});

describe.concurrent("a Retry-After that is a date", () => {
  it("is read by the API's own clock", async () => {
    await using api = await SimulatedApi.start();
    api.simulator.behaviour.clockSkewSeconds = 3600;
    const retryAfter = new Date(Date.now() + 3_602_000).toUTCString();
    api.simulator.inject({ fault: { kind: "status", status: 503, retryAfter } });
    const seconds = await secondsOf(create(api.clientWith()));
    expect(seconds).toBeGreaterThan(0.5);
    expect(seconds).toBeLessThan(4);
  });
});

describe.concurrent("a rate limit of 20 requests a second", () => {
  const createMany = (client: WebhookClient) =>
    Promise.all(Array.from({ length: 200 }, (_, n) => create(client, `hook ${n}`)));

  it.each([
    ["at most 20 requests if its replies do not mention it", false, 20],
    ["no request if its replies say how many remain", true, 0],
  ])("lets 200 creates succeed, and refuses %s", async (_what, headers, refusals) => {
    await using api = await SimulatedApi.start();
    const { simulator } = api;
    simulator.behaviour.rateLimit = { perSecond: 20, burst: 20, headers };
    await createMany(api.clientWith({ deadlineSeconds: 60, maxConnections: 64 }));
    expect(simulator.webhooks).toHaveLength(200);
    const refused = simulator.calls.filter(({ status }) => status === 429);
    expect(refused.length).toBeLessThanOrEqual(refusals);
  });
});

describe.concurrent("hung requests behind a rate limit", () => {
  it("do not prevent the creates of all other webhooks if the API hangs for five of thirty, and refuses ten at first", async () => {
    await using api = await SimulatedApi.start();
    const { simulator } = api;
    const nameOf = (body: unknown) => String(Object(body).name);
    simulator.inject({
      times: Number.POSITIVE_INFINITY,
      match: ({ body }) => nameOf(body).startsWith("hung"),
      fault: { kind: "hang", commit: false },
    });
    const refused = new Set<string>();
    simulator.inject({
      times: 10,
      match: ({ body }) => !refused.has(nameOf(body)) && refused.add(nameOf(body)) !== undefined,
      fault: { kind: "status", status: 429 },
    });

    const client = api.clientWith({ timeoutSeconds: 5, deadlineSeconds: 20, maxConnections: 64 });
    const names = Array.from({ length: 30 }, (_, n) => (n % 6 === 3 ? `hung ${n}` : `hook ${n}`));
    const results = await Promise.allSettled(names.map((name) => create(client, name)));
    const succeeded = names.filter((_name, n) => results[n]?.status === "fulfilled");
    expect(succeeded).toEqual(names.filter((name) => name.startsWith("hook")));
    expect(simulator.webhooks.map(({ name }) => name).toSorted()).toEqual(succeeded.toSorted());
  });
});
