import { describe, expect, it } from "vitest";
import { type Operation, ORDERS, STORED, send } from "./send.js";
import { start } from "./start.js";

describe("the API", () => {
  it("creates, updates and deletes a webhook as the API docs show", async () => {
    const simulator = await start();

    const created = await send(simulator, "create", ORDERS);
    expect(created.status).toBe(201);
    expect(created.headers.get("content-type")).toBe("application/json");
    const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const webhook = { id: 1, name: "Orders", enabled: "true", created_at: time, updated_at: time };
    expect(await created.json()).toEqual({ data: { webhook } });
    expect(simulator.webhooks).toMatchObject([{ ...STORED, id: "1" }]);

    const updated = await send(simulator, "update", { webhook_id: "1", name: "Orders v2", enabled: "false" });
    expect(updated.status).toBe(200);
    const changed = { ...webhook, name: "Orders v2", enabled: "false" };
    expect(await updated.json()).toEqual({ data: { webhook: changed } });
    expect(simulator.webhooks).toMatchObject([{ ...ORDERS, name: "Orders v2", enabled: false }]);

    const deleted = await send(simulator, "delete", { webhook_id: "1" });
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toEqual({ data: { message: "Webhook deleted." } });
    expect(simulator.webhooks).toEqual([]);
  });

  it("sets a later updated_at with each change, however fast the changes are", async () => {
    const simulator = await start();
    simulator.dashboard.create(STORED);
    const times = Array.from({ length: 1000 }, (_, index) => {
      return simulator.dashboard.edit("1", { name: `Orders ${index}` }).updatedAt;
    });
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  it.each<[string, number, Operation, unknown, RequestInit?]>([
    ["a missing key", 401, "create", ORDERS, { headers: { authorization: "" } }],
    ["a wrong key", 401, "create", ORDERS, { headers: { authorization: "Bearer wrong" } }],
    ["no bearer credential", 401, "create", ORDERS, { headers: { authorization: "Basic simulator-key" } }],
    ["another method", 405, "update", ORDERS, { method: "PUT" }],
    ["another content type", 415, "create", ORDERS, { headers: { "content-type": "text/plain" } }],
    ["malformed JSON", 400, "create", ORDERS, { body: '{"url":' }],
    ["a body that is not UTF-8", 400, "create", ORDERS, { body: Buffer.from('{"name":"\xff"}', "latin1") }],
    ["an array", 400, "create", [ORDERS]],
    ["null", 400, "delete", null],
    ["a create without url", 422, "create", { name: "Orders" }],
    ["a create without name", 422, "create", { url: ORDERS.url }],
    ["an empty name", 422, "create", { ...ORDERS, name: "" }],
    ["a url that is not a string", 422, "create", { ...ORDERS, url: 1 }],
    ["a secret that is not a string", 422, "create", { ...ORDERS, secret: null }],
    ["enabled as a boolean", 422, "create", { ...ORDERS, enabled: true }],
    ["an invalid enabled", 422, "update", { webhook_id: "1", enabled: "yes" }],
    ["an update without webhook_id", 422, "update", { name: "Orders" }],
    ["a numeric webhook_id", 422, "delete", { webhook_id: 1 }],
    ["an update of an unknown webhook", 404, "update", { webhook_id: "2" }],
    ["a delete of an unknown webhook", 404, "delete", { webhook_id: "2" }],
  ])("refuses %s with %i", async (_, status, operation, body, init) => {
    const simulator = await start();
    const before = simulator.dashboard.create(STORED);
    const reply = await send(simulator, operation, body, init);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toEqual({ message: expect.stringMatching(/./) });
    expect(simulator.webhooks).toEqual([before]);
    expect(simulator.calls).toMatchObject([{ committed: false, status }]);
  });
});
