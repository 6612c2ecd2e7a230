import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Behavior } from "../../src/simulator/index.js";
import { RateLimiter } from "../../src/simulator/rate-limiter.js";
import { MICROSECONDS, ORDERS, STORED, send, sendForRecord, sendForText } from "./send.js";
import { start } from "./start.js";

describe("a behavior option", () => {
  it.each<[Behavior["idPlace"], unknown]>([
    ["data.webhook.id", { data: { webhook: { id: 1, name: "Orders", enabled: "true" } } }],
    ["data.id", { data: { id: 1, name: "Orders", enabled: "true" } }],
    ["webhook.id", { webhook: { id: 1, name: "Orders", enabled: "true" } }],
    ["id", { id: 1, name: "Orders", enabled: "true" }],
    ["none", { data: { webhook: { name: "Orders", enabled: "true" } } }],
  ])("places the id at %s, without timestamps", async (idPlace, reply) => {
    const simulator = await start({ behavior: { idPlace, timestampsInCreateReply: false } });
    expect(JSON.parse(await sendForText(simulator, "create", ORDERS))).toEqual(reply);
  });

  it("writes ids beyond 2^53 exactly, as numbers or as strings", async () => {
    const simulator = await start({ behavior: { firstId: "90071992547409931234" } });
    const name = 'A "id":"90071992547409931234"';
    expect(await sendForText(simulator, "create", { ...ORDERS, name })).toContain(
      '"id":90071992547409931234,',
    );
    expect(simulator.webhooks).toMatchObject([{ id: "90071992547409931234", name }]);
    simulator.behavior.idType = "string";
    expect(await sendForText(simulator, "create", ORDERS)).toContain('"id":"90071992547409931235",');
  });

  it("uses the id of a deleted webhook never again, or for the next one", async () => {
    const simulator = await start();
    const createAfterDelete = async (deleted: string) => {
      await send(simulator, "delete", { webhook_id: deleted });
      await send(simulator, "create", ORDERS);
      return simulator.webhooks.map(({ id }) => id).toSorted();
    };
    for (const _thrice of [1, 2, 3]) await send(simulator, "create", ORDERS);
    expect(await createAfterDelete("2")).toEqual(["1", "3", "4"]);
    simulator.behavior.deletedIds = "used again";
    expect(await createAfterDelete("1")).toEqual(["1", "3", "4"]);
    simulator.behavior.deletedIds = "never used again";
    expect(await createAfterDelete("1")).toEqual(["3", "4", "5"]);
  });

  it("writes enabled as a boolean", async () => {
    const simulator = await start({ behavior: { enabledType: "boolean" } });
    const reply = await sendForRecord(simulator, "create", { ...ORDERS, enabled: "false" });
    expect(reply).toMatchObject({ enabled: false });
  });

  it.each([
    ["milliseconds", /T\d\d:\d\d:\d\d\.\d{3}Z$/],
    ["seconds", /T\d\d:\d\d:\d\dZ$/],
  ] as const)("writes timestamps in %s and keeps microseconds", async (timestampPrecision, pattern) => {
    const simulator = await start({ behavior: { timestampPrecision } });
    const reply = await sendForRecord(simulator, "create", ORDERS);
    expect(reply.updated_at).toMatch(pattern);
    expect(simulator.webhooks[0]?.updatedAt).toMatch(MICROSECONDS);
  });

  it("keeps or clears the fields that an update omits", async () => {
    const simulator = await start();
    simulator.dashboard.create(STORED);
    await send(simulator, "update", { webhook_id: "1", name: "Kept" });
    expect(simulator.webhooks).toMatchObject([{ ...STORED, name: "Kept" }]);
    simulator.behavior.omittedFields = "cleared";
    await send(simulator, "update", { webhook_id: "1", name: "Cleared" });
    expect(simulator.webhooks).toMatchObject([
      { name: "Cleared", url: "", enabled: false, secret: ORDERS.secret },
    ]);
  });

  it("makes an empty update set or leave updated_at", async () => {
    const simulator = await start({ behavior: { emptyUpdate: "sets updated_at" } });
    const created = simulator.dashboard.create(STORED).updatedAt;
    const touched = await sendForRecord(simulator, "update", { webhook_id: "1" });
    expect(touched.updated_at > created).toBe(true);
    simulator.behavior = { ...simulator.behavior, emptyUpdate: "leaves updated_at" };
    const left = await sendForRecord(simulator, "update", { webhook_id: "1" });
    expect(left).toEqual(touched);
    const same = await sendForRecord(simulator, "update", { webhook_id: "1", name: "Orders" });
    expect(same.updated_at > touched.updated_at).toBe(true);
  });

  it("sets the shape of errors", async () => {
    const simulator = await start();
    const errorText = async (errorShape: Behavior["errorShape"], body: unknown) => {
      simulator.behavior.errorShape = errorShape;
      const reply = await send(simulator, "update", body);
      return [reply.headers.get("content-type"), await reply.text()];
    };
    const gone = { webhook_id: "7" };
    const json = "application/json";
    expect(await errorText("message", gone)).toEqual([json, '{"message":"Webhook not found."}']);
    expect(await errorText("errors", { webhook_id: "7", name: 1 })).toEqual([
      json,
      '{"message":"The name field must be a string.","errors":{"name":["The name field must be a string."]}}',
    ]);
    expect(await errorText("nested", gone)).toEqual([
      json,
      '{"error":{"code":"not_found","message":"Webhook not found."}}',
    ]);
    expect(await errorText("html", gone)).toEqual([
      "text/html; charset=utf-8",
      expect.stringContaining("<h1>Not Found</h1>"),
    ]);
    expect(await errorText("empty", gone)).toEqual([null, ""]);
  });

  it("sets the API's clock ahead, in timestamps and in the Date header", async () => {
    const simulator = await start({ behavior: { clockSkewSeconds: 3600 } });
    const reply = await send(simulator, "create", ORDERS);
    const ahead = (text: string | null | undefined) => (Date.parse(text ?? "") - Date.now()) / 1000;
    expect(ahead(reply.headers.get("date"))).toBeCloseTo(3600, -1);
    expect(ahead(simulator.webhooks[0]?.createdAt)).toBeCloseTo(3600, -1);
  });

  it("ignores or honours an Idempotency-Key", async () => {
    const simulator = await start();
    const keyed = { headers: { "idempotency-key": "one" } };
    await send(simulator, "create", ORDERS, keyed);
    await send(simulator, "create", ORDERS, keyed);
    expect(simulator.webhooks).toHaveLength(2);

    simulator.behavior.idempotencyKey = "honoured";
    const first = await sendForText(simulator, "create", ORDERS, keyed);
    expect(await sendForText(simulator, "create", ORDERS, keyed)).toBe(first);
    expect(simulator.webhooks).toHaveLength(3);
    expect(simulator.calls.map(({ committed }) => committed)).toEqual([true, true, true, false]);
    expect((await send(simulator, "create", { ...ORDERS, name: "Other" }, keyed)).status).toBe(422);
  });

  it("limits the rate, and says when to retry", async () => {
    const simulator = await start({ behavior: { rateLimit: { perSecond: 1e-6, burst: 2, headers: true } } });
    const replies = [];
    for (let count = 0; count < 3; count += 1) replies.push(await send(simulator, "create", ORDERS));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(replies[0]?.headers.get("ratelimit-limit")).toBe("2");
    expect(replies[0]?.headers.get("ratelimit-remaining")).toBe("1");
    expect(replies[2]?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("the rate limiter", () => {
  it("accepts the burst at once, then as many as come in time, and says when the next one may", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const limiter = new RateLimiter();
    const limit = { perSecond: 0.5, burst: 2, headers: true };
    const take = () => limiter.take(limit);
    expect([take().allowed, take().allowed]).toEqual([true, true]);
    expect(take()).toEqual({
      allowed: false,
      headers: {
        "retry-after": "2",
        "ratelimit-limit": "2",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "4",
      },
    });
    vi.advanceTimersByTime(1999);
    expect(take()).toMatchObject({ allowed: false, headers: { "retry-after": "1" } });
    vi.advanceTimersByTime(1);
    expect(take().allowed).toBe(true);
  });
});
