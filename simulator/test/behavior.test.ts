import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Behavior } from "../src/index.js";
import { RateLimiter } from "../src/rate-limiter.js";
import { type Operation, ORDERS, STORED, send, sendForText } from "./send.js";
import { start } from "./start.js";

// commands/doctor/checks.test.ts has what a client sees of most behaviors.
describe("a behavior option", () => {
  const record = { id: 1, name: "Orders", enabled: "true" };
  it.each<[Partial<Behavior>, unknown]>([
    [{ idPlace: "data.webhook.id" }, { data: { webhook: record } }],
    [{ idPlace: "data.id" }, { data: record }],
    [{ idPlace: "webhook.id" }, { webhook: record }],
    [{ idPlace: "id" }, record],
    [{ idPlace: "none" }, { data: { webhook: { name: "Orders", enabled: "true" } } }],
    [{ enabledType: "boolean" }, { data: { webhook: { ...record, enabled: true } } }],
    [{ enabledType: "number" }, { data: { webhook: { ...record, enabled: 1 } } }],
    [{ enabledType: "digit" }, { data: { webhook: { ...record, enabled: "1" } } }],
    [{ enabledType: "capitals" }, { data: { webhook: { ...record, enabled: "TRUE" } } }],
    [{ enabledType: "on or off" }, { data: { webhook: { ...record, enabled: "on" } } }],
    [{ shownSecret: "whsec_****4f2a" }, { data: { webhook: { ...record, secret: "whsec_****4f2a" } } }],
  ])("%j sets the reply to a create, here without timestamps", async (behavior, reply) => {
    const simulator = await start({ behavior: { ...behavior, timestampsInCreateReply: false } });
    expect(JSON.parse(await sendForText(simulator, "create", ORDERS))).toEqual(reply);
  });

  const LONG = "Orders of all warehouses in Europe 🚚 and Asia";
  const made = { secret: expect.stringMatching(/^whsec_[\w-]{32}$/) };
  it.each<[Partial<Behavior>, Operation, sent: object, shown: object, kept?: object]>([
    [{ storedNames: "first 40 characters" }, "create", { name: LONG }, { name: LONG.slice(0, 41) }],
    [{ storedNames: "slug" }, "create", { name: "🚚 Orders (EU)" }, { name: "orders-eu" }],
    [{ storedNames: "url without scheme" }, "create", {}, { name: "example.com/hooks/orders" }],
    [{ storedNames: "first 40 characters of url" }, "create", {}, { name: ORDERS.url }],
    [{ storedNames: "without emoji" }, "update", { name: "🚚 Orders (EU)" }, { name: "Orders (EU)" }],
    [{ ignoredByCreate: "name" }, "create", {}, { name: "Webhook" }],
    [{ ignoredByCreate: "enabled" }, "create", { enabled: "false" }, { enabled: true }],
    [
      { ignoredByUpdate: "name" },
      "update",
      { name: "EU", enabled: "true" },
      { name: "Orders", enabled: true },
    ],
    [
      { ignoredByUpdate: "enabled" },
      "update",
      { name: "EU", enabled: "true" },
      { name: "EU", enabled: false },
    ],
    [{ updateReply: "old" }, "update", { name: "EU" }, { name: "Orders" }, { name: "EU" }],
    [{ generatedSecret: "if none is sent" }, "create", { secret: undefined }, made],
    [{ verification: "by hand" }, "create", { enabled: "true" }, { enabled: false }],
    [{ verification: "by hand" }, "update", { enabled: "true" }, { enabled: false }],
    [{ duplicateUrls: "returned" }, "create", { name: "EU" }, { id: 1, name: "Orders" }, { id: "1" }],
    [
      { duplicateUrls: "taken over" },
      "create",
      { name: "EU", secret: "other", enabled: "true" },
      { id: 1, name: "EU", enabled: true },
      { id: "1", secret: "other" },
    ],
    [{ updatedIds: "new" }, "update", { name: "EU" }, { id: 2, name: "EU" }, { id: "2" }],
    [
      { updatedIds: "new", updateReply: "old" },
      "update",
      { name: "EU" },
      { id: 2, name: "Orders" },
      { id: "2" },
    ],
    [{ idType: "changing case" }, "create", {}, { id: "WH_2" }, { id: "2" }],
    [{ idType: "changing case" }, "update", { webhook_id: "WH_1" }, { id: "wh_1" }, { id: "1" }],
  ])("%j shows after a %s of %j the record %j", async (behavior, operation, sent, shown, kept = shown) => {
    const simulator = await start({ behavior: { ...behavior, enabledType: "boolean" } });
    simulator.dashboard.create({ ...STORED, enabled: false });
    const body = operation === "create" ? ORDERS : { webhook_id: "1" };
    const reply = await (await send(simulator, operation, { ...body, ...sent })).json();
    expect(reply.data.webhook).toMatchObject(shown);
    expect(simulator.webhooks.at(-1)).toMatchObject(kept);
    expect(JSON.stringify(reply)).not.toContain(STORED.secret);
  });

  const noAgent = { headers: { "user-agent": "" } };
  const PAGE = "<h1>Forbidden</h1>";
  const KEY = "key-canary-4711";
  it.each<[Partial<Behavior>, Operation, status: number, message: string, init?: RequestInit]>([
    [{ maxWebhooks: 1 }, "create", 422, '{"message":"The limit of 1 webhooks is reached."}'],
    [{ userAgent: "required" }, "create", 201, '"name":"Orders"'],
    [{ userAgent: "required" }, "create", 403, PAGE, noAgent],
    [{ unknownIdStatus: 410 }, "update", 410, "Webhook not found."],
    [{ unknownIdStatus: 400 }, "update", 400, "The selected webhook_id is invalid."],
    [{ unknownIdStatus: 422 }, "delete", 422, "The selected webhook_id is invalid."],
    [{ deletes: "refused", firstId: "7" }, "delete", 422, "The webhook is in use by an integration."],
    [{ updateReply: "none", firstId: "7" }, "update", 204, ""],
    [{ credentials: "Token" }, "create", 401, "The API key is missing or wrong."],
    [{ credentials: "Token" }, "create", 201, '"id":2', { headers: { authorization: `Token ${KEY}` } }],
    [
      { credentials: "X-Api-Key" },
      "create",
      201,
      '"id":2',
      { headers: { authorization: "", "x-api-key": KEY } },
    ],
    [{ requiredHeader: "X-Account-Id" }, "create", 400, "The header X-Account-Id is required."],
    [{ requiredHeader: "X-Account-Id" }, "create", 201, '"id":2', { headers: { "x-account-id": "1" } }],
    [{ requestBody: "form" }, "create", 415, "The Content-Type must be application/x-www-form-urlencoded."],
    [
      { requestBody: "form" },
      "create",
      201,
      '"name":"Shop"',
      {
        body: new URLSearchParams({ url: ORDERS.url, name: "Shop" }),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
    ],
    [{ sentEnabled: "boolean" }, "create", 422, "The enabled field must be a boolean."],
    [
      { sentEnabled: "boolean" },
      "create",
      201,
      '"enabled":"false"',
      { body: JSON.stringify({ ...ORDERS, enabled: false }) },
    ],
    [{ acceptedKeys: "any" }, "create", 201, '"id":2', { headers: { authorization: "Bearer another" } }],
  ])("%j answers a %s with %i %s", async (behavior, operation, status, message, init) => {
    const simulator = await start({ behavior, apiKey: KEY });
    simulator.dashboard.create(STORED);
    const reply = await send(simulator, operation, { ...ORDERS, webhook_id: "7" }, init);
    expect([reply.status, await reply.text()]).toEqual([status, expect.stringContaining(message)]);
  });

  it("writes ids beyond 2^53 exactly, as numbers or as strings", async () => {
    const simulator = await start({ behavior: { firstId: "90071992547409931234" } });
    const name = 'A "id":"90071992547409931234"';
    const reply = await sendForText(simulator, "create", { ...ORDERS, name });
    expect(reply).toContain('"id":90071992547409931234,');
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

  it("clears the fields that an update omits, but not the secret", async () => {
    const simulator = await start({ behavior: { omittedFields: "cleared" } });
    simulator.dashboard.create(STORED);
    await send(simulator, "update", { webhook_id: "1", name: "Cleared" });
    const cleared = { name: "Cleared", url: "", enabled: false, secret: ORDERS.secret };
    expect(simulator.webhooks).toMatchObject([cleared]);
  });

  it("finds a new webhook after some seconds, and truncates its times to milliseconds", async () => {
    const behavior = { findableAfterSeconds: 60, timestampPrecision: "milliseconds" } as const;
    const simulator = await start({ behavior });
    await send(simulator, "create", ORDERS);
    expect((await send(simulator, "update", { webhook_id: "1" })).status).toBe(404);
    simulator.behavior.clockSkewSeconds = 61;
    expect(await sendForText(simulator, "update", { webhook_id: "1" })).toMatch(/:\d\d\.\d{3}Z"\}\}\}$/);
  });

  it("deletes some seconds after it has accepted to, and finds the webhook until then", async () => {
    const simulator = await start({ behavior: { deletedAfterSeconds: 60 } });
    await send(simulator, "create", ORDERS);
    const statusOf = async (operation: Operation) =>
      (await send(simulator, operation, { webhook_id: "1" })).status;
    expect([await statusOf("delete"), await statusOf("update"), await statusOf("delete")]).toEqual([
      202, 200, 202,
    ]);
    expect(simulator.webhooks).toHaveLength(1);
    simulator.behavior.clockSkewSeconds = 61;
    expect([await statusOf("update"), await statusOf("delete"), simulator.webhooks]).toEqual([404, 404, []]);
  });

  it("sets updated_at at each delivery to an enabled webhook", async () => {
    const simulator = await start({ behavior: { deliveryEverySeconds: 10 } });
    const { updatedAt } = simulator.dashboard.create(STORED);
    simulator.dashboard.create({ ...STORED, enabled: false });
    const later = () => simulator.webhooks.map((one) => Date.parse(one.updatedAt) - Date.parse(updatedAt));
    expect(later()[0]).toBe(0);
    simulator.behavior.clockSkewSeconds = 25;
    expect(later()[0]).toBe(20_000);
    expect(later()[1]).toBeLessThan(10_000);
    const reply = await sendForText(simulator, "update", { webhook_id: "1" });
    expect(reply).toContain(`"updated_at":"${simulator.webhooks[0]?.updatedAt}"`);
  });

  it("disables a webhook some seconds after its last change, until an update enables it", async () => {
    const simulator = await start({ behavior: { disabledAfterSeconds: 60, enabledType: "boolean" } });
    const { updatedAt } = simulator.dashboard.create(STORED);
    simulator.behavior.clockSkewSeconds = 61;
    const [disabled] = simulator.webhooks;
    expect(disabled?.enabled).toBe(false);
    expect(Date.parse(disabled?.updatedAt ?? "") - Date.parse(updatedAt)).toBe(60_000);
    expect(await sendForText(simulator, "update", { webhook_id: "1" })).toContain('"enabled":false');
    expect(await sendForText(simulator, "update", { webhook_id: "1", enabled: "true" })).toContain(
      '"enabled":true',
    );
  });

  const json = "application/json";
  const errors = { name: ["The name field must be a string."] };
  it.each<[Behavior["errorShape"], string | null, unknown, object?]>([
    ["message", json, '{"message":"Webhook not found."}'],
    ["errors", json, JSON.stringify({ message: errors.name[0], errors }), { name: 1 }],
    ["nested", json, '{"error":{"code":"not_found","message":"Webhook not found."}}'],
    [
      "problem",
      "application/problem+json",
      expect.stringContaining('"invalid-params":[{"name":"name","reason":"The'),
      { name: 1 },
    ],
    ["list", json, '[{"code":"not_found","msg":"Webhook not found."}]'],
    [
      "google.rpc",
      json,
      expect.stringContaining('[{"fieldViolations":[{"field":"name","description":"The'),
      { name: 1 },
    ],
    ["json:api", json, expect.stringContaining('"source":{"pointer":"/data/attributes/name"}'), { name: 1 }],
    ["languages", json, '{"reason":{"en":"Webhook not found.","de":"Abgelehnt."}}'],
    [
      "json in message",
      json,
      JSON.stringify({ message: JSON.stringify({ name: errors.name }) }),
      { name: 1 },
    ],
    ["xml", "application/xml", expect.stringContaining("<field>name</field><message>The name"), { name: 1 }],
    ["html", "text/html; charset=utf-8", expect.stringContaining("<h1>Not Found</h1>")],
    ["empty", null, ""],
  ])("sets the shape of errors: %s", async (errorShape, type, text, fields) => {
    const simulator = await start({ behavior: { errorShape } });
    const reply = await send(simulator, "update", { webhook_id: "7", ...fields });
    expect([reply.headers.get("content-type"), await reply.text()]).toEqual([type, text]);
  });

  it("sets the API's clock ahead, in timestamps and in the Date header", async () => {
    const simulator = await start({ behavior: { clockSkewSeconds: 3600 } });
    const reply = await send(simulator, "create", ORDERS);
    const ahead = (text: string | null | undefined) => (Date.parse(text ?? "") - Date.now()) / 1000;
    expect(ahead(reply.headers.get("date"))).toBeCloseTo(3600, -1);
    expect(ahead(simulator.webhooks[0]?.createdAt)).toBeCloseTo(3600, -1);
  });

  it.each([409, 423] as const)("answers %i during another change", async (simultaneousChanges) => {
    const simulator = await start({ behavior: { simultaneousChanges } });
    const create = async () => (await send(simulator, "create", ORDERS)).status;
    const wrongKey = { headers: { authorization: "Bearer wrong" } };
    expect((await send(simulator, "create", ORDERS, wrongKey)).status).toBe(401);
    const statuses = await Promise.all([create(), create(), create()]);
    expect(statuses.toSorted()).toEqual([201, simultaneousChanges, simultaneousChanges]);
    expect([await create(), simulator.webhooks.length]).toEqual([201, 2]);
  });

  it("refuses a URL that another webhook has, in a create and in an update", async () => {
    const simulator = await start({ behavior: { duplicateUrls: "refused", errorShape: "errors" } });
    await send(simulator, "create", ORDERS);
    const url = ["The url has already been taken."];
    const refused = await send(simulator, "create", ORDERS);
    expect([refused.status, await refused.json()]).toEqual([422, { message: url[0], errors: { url } }]);
    await send(simulator, "create", { ...ORDERS, url: "https://example.com/other" });
    simulator.behavior.duplicateUrls = "returned";
    expect((await send(simulator, "update", { webhook_id: "2", url: ORDERS.url })).status).toBe(422);
    expect((await send(simulator, "update", { webhook_id: "1", url: ORDERS.url })).status).toBe(200);
  });

  it("finds only the webhooks that were created with the same key, and those of the dashboard", async () => {
    const simulator = await start({ behavior: { keysFind: "their own webhooks" } });
    await send(simulator, "create", ORDERS);
    simulator.dashboard.create(STORED);
    simulator.apiKey = "narrow-key";
    await send(simulator, "create", ORDERS);
    const status = async (id: string) => (await send(simulator, "update", { webhook_id: id })).status;
    expect([await status("1"), await status("2"), await status("3")]).toEqual([404, 200, 200]);
    simulator.behavior.keysFind = "all webhooks";
    expect(await status("1")).toBe(200);
  });

  it("gives each key an account of its own, whose ids count alike", async () => {
    const behavior = { keysFind: "their own account", acceptedKeys: "any" } as const;
    const simulator = await start({ apiKey: "first", behavior });
    for (const name of ["first", "second"]) {
      simulator.apiKey = name;
      await send(simulator, "create", { ...ORDERS, name });
      expect(simulator.webhooks).toMatchObject([{ id: "1", name }]);
    }
    await send(simulator, "delete", { webhook_id: "1" }, { headers: { authorization: "Bearer first" } });
    expect(simulator.webhooks).toMatchObject([{ name: "second" }]);
    simulator.apiKey = "first";
    expect(simulator.webhooks).toEqual([]);
  });

  it("limits the rate, and says when to retry", async () => {
    const rateLimit = { perSecond: 1e-6, burst: 1 };
    const silent = await start({ behavior: { rateLimit } });
    expect((await send(silent, "create", ORDERS)).headers.has("ratelimit-remaining")).toBe(false);
    const simulator = await start({ behavior: { rateLimit: { ...rateLimit, headers: true } } });
    expect((await send(simulator, "create", ORDERS)).headers.get("ratelimit-remaining")).toBe("0");
    const refused = await send(simulator, "create", ORDERS);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

it("the rate limiter accepts the burst at once, then as many as come in time, and says when the next one may", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const limiter = new RateLimiter();
  const limit = { perSecond: 0.5, burst: 2, headers: true };
  const take = () => limiter.take(limit);
  expect([take().allowed, take().allowed]).toEqual([true, true]);
  const left = { "ratelimit-limit": "2", "ratelimit-remaining": "0", "ratelimit-reset": "4" };
  expect(take()).toEqual({ allowed: false, headers: { "retry-after": "2", ...left } });
  vi.advanceTimersByTime(1999);
  expect(take()).toMatchObject({ allowed: false, headers: { "retry-after": "1" } });
  vi.advanceTimersByTime(1);
  expect(take().allowed).toBe(true);
});
