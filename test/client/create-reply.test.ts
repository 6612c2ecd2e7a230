import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";
import { ORDERS } from "./samples.js";

describe("the reply to a create", () => {
  it.each([
    ["data.webhook.id", { data: { webhook: { id: 7 } } }],
    ["data.id", { data: { id: 7 } }],
    ["webhook.id", { webhook: { id: 7 } }],
    ["id", { id: 7, name: "Orders", more: { than: ["we", "need"] } }],
  ])("may hold the id at %s", async (_place, reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    expect(await api.create()).toMatchObject({ id: "7" });
  });

  it.each([
    ["a number beyond 2^53, with every digit", '{"id": 12345678901234567890123}', "12345678901234567890123"],
    ["a string", '{"id": "wh_7"}', "wh_7"],
    ["a number after a byte order mark", '\uFEFF{"id": 7}', "7"],
  ])("may hold an id that is %s", async (_what, reply, id) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    expect(await api.create()).toMatchObject({ id });
  });

  it.each([
    ["beside a record without one", { id: "req_1", data: { webhook: { name: "Orders" } } }],
    [
      "beside a record with webhook_id",
      { id: "req-8f3a", status: "created", data: { webhook_id: 108, name: "Orders", enabled: true } },
    ],
    ["beside a list", { data: [{ id: 5 }], id: "req" }],
    ["beside data that is null", { data: null, id: "req" }],
    ["beside a webhook that is null", { webhook: null, id: "req" }],
    ["in data, beside a webhook that is null", { data: { id: "req", webhook: null } }],
    ["in data, beside further data", { data: { id: "req", data: { id: 5 } } }],
    ["in data and in webhook, with different values", { data: { id: 5 }, webhook: { id: 7 } }],
  ])("leaves the create in doubt if its id is %s: it may be the request's", async (_where, reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("201 Created from POST /webhooks, but the reply has no usable id.");
    expect(error.message).toContain(`The API's reply: ${JSON.stringify(reply)}`);
  });

  it.each([
    ["in the record", { data: { webhook: { id: 7, webhook_id: 8 } } }],
    ["in data", { data: { webhook: { id: 7 }, webhook_id: "8" } }],
    ["beside the record", { id: 7, name: "Orders", webhook_id: 1001 }],
    ["outside of the record", { webhook_id: "8", data: { id: 7 } }],
  ])("leaves the create in doubt if it has another webhook_id %s", async (_where, reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("but the reply also names another webhook_id.");
  });

  it.each([
    ["the same", '{"id": 7, "webhook_id": "7"}', "7"],
    ["the same, beyond 2^53", '{"id": 9007199254740993, "webhook_id": 9007199254740993}', "9007199254740993"],
    ["null", '{"id": 7, "webhook_id": null}', "7"],
  ])("may have a webhook_id that is %s", async (_what, reply, id) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    expect(await api.create()).toMatchObject({ id });
  });

  it.each(["Invoices", "Orders EU", "Order", ""])(
    "leaves the create in doubt if it is the record of a webhook with another name: %j",
    async (name) => {
      await using api = new MockApi();
      api.expectCreate().reply(201, { data: { webhook: { id: 7, name } } });
      const error = await failureOf(api.create());
      expect(error.failure).toBe("in doubt");
      expect(error.message).toContain("but the reply is the record of another webhook.");
    },
  );

  it.each([
    ["trimmed", " Orders  & more ", "Orders & more"],
    ["escaped for HTML", `Orders & "more" <O'Neil>`, "Orders &amp; &quot;more&quot; &lt;O&#039;Neil&gt;"],
    ["escaped with hexadecimal numbers", "O'Neil", "O&#x27;Neil"],
    ["escaped with backslashes", `O'Neil "EU"`, `O\\'Neil \\"EU\\"`],
    ["in lower case", "Orders", "orders"],
    ["in another Unicode normal form", "Cafe\u0301", "Caf\u00e9"],
    ["not text", "Orders", null],
  ])("may have the name %s", async (_how, sent, name) => {
    await using api = new MockApi();
    const webhook = { ...ORDERS, name: sent };
    api
      .expectPost("/v1/webhooks", { url: ORDERS.url, name: sent, enabled: "true" })
      .reply(201, { data: { webhook: { id: 7, name } } });
    const creating = api.client.create(webhook, { action: "Creating webhook Orders" });
    expect(await creating).toMatchObject({ id: "7" });
  });

  it.each([
    { success: false, data: { webhook: { id: 7 } } },
    { id: 7, error: { code: "quota" } },
    { status: "error", data: { id: 7 } },
  ])("leaves the create in doubt if it says that the create failed: %j", async (reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("but the reply says that the request failed.");
  });

  it.each([
    '{"id": 1.5}',
    '{"id": -1}',
    '{"id": 1e3}',
    '{"id": null}',
    '{"id": ""}',
    '{"id": "in-doubt:1"}',
    '{"id": [1]}',
    "[]",
    "null",
    "",
    "<html>",
    '{"id": 1',
  ])("leaves the create in doubt if it has no usable id: %s", async (reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toMatch(/^Creating webhook Orders failed: 201 Created from POST \/webhooks, /);
  });

  it.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    ["perhaps", undefined],
  ])("means with enabled %j that enabled is %j", async (enabled, expected) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, { id: 7, enabled });
    expect((await api.create()).enabled).toBe(expected);
  });
});
