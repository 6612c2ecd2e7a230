import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { CREATED_DATE, MockApi, UPDATED } from "./mock-api.js";
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
    ["in another spelling", { id: "req-1", webhookId: 108 }],
    ["in another spelling, deep inside", { id: "req-1", result: [{ made: { WebhookID: 108 } }] }],
    ["beside the record", { data: { webhook: { id: 7 } }, meta: { webhook_id: 8 } }],
  ])("leaves the create in doubt if it has another webhook_id %s", async (_where, reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("but the reply also names another webhook_id.");
  });

  it.each([
    { id: "req-1", result: { id: 108, name: "Orders" } },
    { jsonrpc: "2.0", id: 900, result: { id: 108 } },
    { id: "req-1", payload: { webhook: { uuid: "wh-108" } } },
    { id: "req-1", Webhooks: [{ uuid: "wh-108" }] },
    { id: "req-1", results: [{ ID: 108 }] },
    { id: "req-1", result: { id: null, Id: { value: 108 } } },
    { data: { id: "job-1", result: { id: 108 } } },
    { data: { id: "job-1" }, result: { id: 108 } },
  ])("leaves the create in doubt if its id may be another's: %j", async (reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("but the id in the reply may not be the webhook's.");
  });

  it.each([
    { id: 7, account_id: 1, user_id: 2, request_id: "req-1", external_id: 3, uuid: "u", guid: "g" },
    { id: 7, self: { id: "7" }, webhookId: 7, parent: { id: null } },
    { id: "req-1", data: { id: 7 } },
    { id: "req-1", data: { webhook: { id: 7, owner: { id: 3 }, webhook: {} } }, meta: { id: 4 } },
    { id: "req-1", webhook: { id: 7, events: [{ id: 3 }] } },
    { id: 7, name: "Orders", owner: { id: 3 }, events: [{ id: 4 }] },
    { data: { id: 7, name: "Orders", owner: { id: 3 } }, meta: { id: 5 } },
  ])("may contain ids of other things: %j", async (reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, reply);
    expect(await api.create()).toMatchObject({ id: "7" });
  });

  it.each([202, 203, 206, 207])("leaves the create in doubt if its status is %d", async (status) => {
    await using api = new MockApi();
    api.expectCreate().reply(status, UPDATED, { date: CREATED_DATE });
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain(
      " from POST /webhooks, but this status does not mean that the webhook was created.",
    );
  });

  it.each([
    { created: false, data: { webhook: { id: 7, name: "Orders" } } },
    { data: { id: 7, name: "Orders", created: "false" } },
    { id: 7, message: "Webhook already exists." },
    { data: { message: "A webhook with this URL was already registered.", webhook: { id: 7 } } },
  ])("leaves the create in doubt if it says that nothing was created: %j", async (reply) => {
    await using api = new MockApi();
    api.expectCreate().reply(200, reply);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toContain("but the reply does not say that the webhook was created");
  });

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const created = (created_at: string) => ({ data: { webhook: { id: 7, name: "Orders", created_at } } });

  it.each([
    ["by the clock of the API", 201, "2026-01-01T00:00:00.000000Z", "Fri, 02 Jan 2026 00:00:01 GMT"],
    ["by the clock of this machine", 200, daysAgo(1.01), undefined],
    ["in another format", 200, "2025-01-01 00:00:00 UTC", "Fri, 02 Jan 2026 00:00:01 GMT"],
  ])(
    "leaves the create in doubt if the webhook existed more than a day before, %s",
    async (_how, status, createdAt, date) => {
      await using api = new MockApi();
      api.expectCreate().reply(status, created(createdAt), date === undefined ? {} : { date });
      const error = await failureOf(api.create());
      expect(error.failure).toBe("in doubt");
      expect(error.message).toContain(
        `but the reply shows a webhook that was created at ${new Date(createdAt).toISOString()}, before this create.`,
      );
    },
  );

  it.each([
    ["a day ago", "2026-01-01T00:00:00.000000Z", "Fri, 02 Jan 2026 00:00:00 GMT"],
    ["almost a day ago by the clock of this machine", daysAgo(0.99), undefined],
    ["in the future", daysAgo(-400), undefined],
    ["not a time", "long ago", undefined],
    ["a number", "7", undefined],
    ["not set", "0001-01-01T00:00:00Z", undefined],
    ["zero", "1970-01-01T00:00:00Z", undefined],
  ])("may have a created_at that is %s", async (_what, createdAt, date) => {
    await using api = new MockApi();
    api.expectCreate().reply(201, created(createdAt), date === undefined ? {} : { date });
    expect(await api.create()).toMatchObject({ id: "7", createdAt });
  });

  it("becomes well-formed text, whatever it contains", async () => {
    await using api = new MockApi();
    const reply = String.raw`{"data":{"webhook":{"id":7,"created_at":"x\ud800","updated_at":"\udc00y"}}}`;
    api.expectCreate().reply(201, reply);
    expect(await api.create()).toMatchObject({ id: "7", createdAt: "x\ufffd", updatedAt: "\ufffdy" });
  });

  it.each([
    [1000, { id: "7" }],
    [100_000, { failure: "in doubt" }],
  ])("may be nested %d times, or leaves the create in doubt", async (depth, outcome) => {
    await using api = new MockApi();
    const more = "[".repeat(depth) + "]".repeat(depth);
    api.expectCreate().reply(201, `{"data":{"webhook":{"id":7}},"more":${more}}`);
    expect(await api.create().catch((error) => error)).toMatchObject(outcome);
  });

  it("may contain a list of very many values", async () => {
    await using api = new MockApi();
    api.expectCreate().reply(201, { id: 7, more: Array(300_000).fill(0) });
    expect(await api.create()).toMatchObject({ id: "7" });
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

  it("leaves the create in doubt if a webhook_id in it is an object, even one that is no text", async () => {
    await using api = new MockApi();
    api.expectCreate().reply(201, { id: 7, webhook_id: { toString: 1, valueOf: 1 } });
    expect(await failureOf(api.create())).toMatchObject({ failure: "in doubt" });
  });

  it.each(["Invoices", "Orders EU", "Order", ""])(
    "leaves the create in doubt if it is the record of a webhook with another name: %j",
    async (name) => {
      await using api = new MockApi();
      api.expectCreate().reply(201, { data: { webhook: { id: 7, name } } });
      const error = await failureOf(api.create());
      expect(error.failure).toBe("in doubt");
      expect(error.message).toContain("but the reply is about another webhook.");
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
    String.raw`{"id": "wh-\ud800"}`,
    '{"id": [1]}',
    "[]",
    "null",
    "",
    "<html>",
    '{"id": 1',
    '{"data": {"webhook": {"id": 0, "name": "Orders"}}}',
    '{"id": "null"}',
    '{"id": "00000000-0000-0000-0000-000000000000"}',
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
