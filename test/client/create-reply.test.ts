import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { MockApi } from "./mock-api.js";

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

  it("leaves the create in doubt if the id is outside the webhook's record: it may be the request's", async () => {
    await using api = new MockApi();
    api.expectCreate().reply(201, { id: "req_1", data: { webhook: { name: "Orders" } } });
    expect(await failureOf(api.create())).toMatchObject({ failure: "in doubt" });
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
