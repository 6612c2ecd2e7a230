import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/client/api.js";
import { parseReply } from "../../src/client/api.js";
import { parseCreated, parseDeleted, parseUpdated } from "../../src/client/replies.js";
import { failureOf } from "./failure-of.js";
import { CREATED_DATE, DELETED, MockApi, UPDATED } from "./mock-api.js";
import { ORDERS } from "./samples.js";

/** Parses a reply as it comes over the wire. */
const replied = (reply: unknown): Reply =>
  parseReply(typeof reply === "string" ? reply : JSON.stringify(reply)) ?? expect.fail("no JSON object");

/** The status, the Date of the reply, and the name that was sent. */
const created = (reply: unknown, { name = "Orders", status = 201, date = "" } = {}) =>
  parseCreated(replied(reply), { sent: { ...ORDERS, name }, response: { status, headers: { date } } });

const FAILED = "the reply says that the request failed";
const OTHER = "the reply is about another webhook";
const OTHER_ID = "the reply also names another webhook_id";
const NO_ID = "the reply has no usable id";

describe.each([
  ["create", UPDATED, (reply: Reply) => created(reply, { date: CREATED_DATE })],
  ["update", UPDATED, (reply: Reply) => parseUpdated(replied(reply), "42")],
  ["delete", DELETED, (reply: Reply) => parseDeleted(replied(reply), "42")],
])("a 2xx to a %s", (_operation, success, parse) => {
  it.each([
    { success: false, error: { code: 17 } },
    { ok: false, message: "No." },
    { errors: [{ title: "No." }] },
    { status: 404 },
    { statusCode: 500 },
    { code: "422" },
    { status: "fail" },
    { status: false },
    { success: 0 },
    { Success: "False" },
    { ok: "no" },
    { status_code: 403 },
    { StatusCode: "403" },
    { code: "PERMISSION_DENIED" },
    { result: "failure" },
    { error_code: 17 },
    { errorMessage: "No." },
  ])("is no success if the reply says that it failed: %j", (failure) => {
    expect(() => parse({ ...success, ...failure })).toThrow(FAILED);
    expect(() => parse({ data: { ...success.data, ...failure } })).toThrow(FAILED);
  });

  it.each([
    { success: true, error: null, errors: [], status: "success", code: 200 },
    { status: "active", code: 0, error_code: "0", errors: {}, error: "false" },
    { status: 200, status_code: "200", success: "true", ok: 1, failed: 0 },
  ])("is one if the reply denies a failure: %j", (more) => {
    expect(parse({ ...success, ...more })).toMatchObject({ id: "42" });
  });
});

describe("the reply to a create", () => {
  it.each([
    ["data.webhook.id", { data: { webhook: { id: 7 } } }],
    ["data.id", { data: { id: 7 } }],
    ["data.id, beside another id", { id: "req-1", data: { id: 7 } }],
    ["webhook.id", { webhook: { id: 7 } }],
    ["id", { id: 7, name: "Orders", more: { than: ["we", "need"] } }],
  ])("may hold the id at %s", (_place, reply) => {
    expect(created(reply)).toMatchObject({ id: "7" });
  });

  it.each([
    { id: 7, account_id: 1, user_id: 2, request_id: "req-1", external_id: 3, uuid: "u", guid: "g" },
    { id: 7, self: { id: "7" }, webhookId: 7, parent: { id: null }, webhook_id: null },
    { id: "req-1", data: { webhook: { id: 7, owner: { id: 3 }, webhook: {} } }, meta: { id: 4 } },
    { id: "req-1", webhook: { id: 7, events: [{ id: 3 }] } },
    { id: 7, name: "Orders", owner: { id: 3 }, events: [{ id: 4 }] },
    { data: { id: 7, name: "Orders", owner: { id: 3 } }, meta: { id: 5 } },
    { id: 7, more: Array(300_000).fill(0) },
    { id: 7, more: JSON.parse("[".repeat(1000) + "]".repeat(1000)) },
  ])("may contain ids of other things: %#", (reply) => {
    expect(created(reply)).toMatchObject({ id: "7" });
  });

  it("may repeat an id beyond 2^53 as webhook_id, to the last digit", () => {
    const id = "9007199254740993";
    expect(created(`{"id": ${id}, "webhook_id": ${id}}`)).toMatchObject({ id });
    expect(() => created(`{"id": ${id}, "webhook_id": 9007199254740992}`)).toThrow(OTHER_ID);
  });

  const MAY_NOT_BE = "the id in the reply may not be the webhook's";
  const NOT_CREATED = "the reply does not say that the webhook was created";

  it.each([
    [NO_ID, { id: "req_1", data: { webhook: { name: "Orders" } } }],
    [NO_ID, { data: null, id: "req" }],
    [NO_ID, { webhook: null, id: "req" }],
    [NO_ID, { data: { id: "req", webhook: null } }],
    [NO_ID, { data: { id: "req", data: { id: 5 } } }],
    [NO_ID, { data: { id: 5 }, webhook: { id: 7 } }],
    [NO_ID, { data: { webhook: { id: 0, name: "Orders" } } }],
    [NO_ID, { id: "null" }],
    [NO_ID, { id: "00000000-0000-0000-0000-000000000000" }],
    [OTHER_ID, { data: { webhook: { id: 7, webhook_id: 8 } } }],
    [OTHER_ID, { webhook_id: "8", data: { id: 7 } }],
    [OTHER_ID, { id: "req-1", webhookId: 108 }],
    [OTHER_ID, { id: "req-1", result: [{ made: { WebhookID: 108 } }] }],
    [OTHER_ID, { data: { webhook: { id: 7 } }, meta: { webhook_id: 8 } }],
    [OTHER_ID, { id: 7, webhook_id: { toString: 1, valueOf: 1 } }],
    [MAY_NOT_BE, { jsonrpc: "2.0", id: 900, result: { id: 108 } }],
    [MAY_NOT_BE, { id: "req-1", payload: { webhook: { uuid: "wh-108" } } }],
    [MAY_NOT_BE, { id: "req-1", Webhooks: [{ uuid: "wh-108" }] }],
    [MAY_NOT_BE, { id: "req-1", results: [{ ID: 108 }] }],
    [MAY_NOT_BE, { id: "req-1", result: { id: null, Id: { value: 108 } } }],
    [MAY_NOT_BE, { data: { id: "job-1", result: { id: 108 } } }],
    [MAY_NOT_BE, { data: { id: "job-1" }, result: { id: 108 } }],
    [NOT_CREATED, { created: false, data: { webhook: { id: 7, name: "Orders" } } }],
    [NOT_CREATED, { data: { id: 7, name: "Orders", created: "false" } }],
    [NOT_CREATED, { id: 7, message: "Webhook already exists." }],
    [
      NOT_CREATED,
      { data: { message: "A webhook with this URL was already registered.", webhook: { id: 7 } } },
    ],
    [OTHER, { data: { webhook: { id: 7, name: "Orders EU" } } }],
    [OTHER, { data: { webhook: { id: 7, name: "Order" } } }],
    [OTHER, { data: { webhook: { id: 7, name: "" } } }],
  ])("is doubtful: %s: %j", (problem, reply) => {
    expect(() => created(reply, { status: 200 })).toThrow(problem);
  });

  it.each([202, 203, 206, 207])("is doubtful if its status is %d", (status) => {
    expect(() => created({ id: 7 }, { status })).toThrow("this status does not mean");
  });

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const createdAt = (created_at: string) => ({ data: { webhook: { id: 7, name: "Orders", created_at } } });

  it.each([
    ["by the clock of the API", "2026-01-01T00:00:00.000000Z", "Fri, 02 Jan 2026 00:00:01 GMT"],
    ["by the clock of this machine", daysAgo(1.01), undefined],
    ["in another format", "2025-01-01 00:00:00 UTC", "Fri, 02 Jan 2026 00:00:01 GMT"],
  ])("is doubtful if the webhook existed more than a day before, %s", (_how, time, date) => {
    expect(() => created(createdAt(time), { date })).toThrow(
      `the reply shows a webhook that was created at ${new Date(time).toISOString()}, before this create`,
    );
  });

  it.each([
    ["a day ago", "2026-01-01T00:00:00.000000Z", "Fri, 02 Jan 2026 00:00:00 GMT"],
    ["almost a day ago by the clock of this machine", daysAgo(0.99), undefined],
    ["in the future", daysAgo(-400), undefined],
    ["not a time", "long ago", undefined],
    ["a number", "7", undefined],
    ["not set", "0001-01-01T00:00:00Z", undefined],
    ["zero", "1970-01-01T00:00:00Z", undefined],
  ])("may have a created_at that is %s", (_what, time, date) => {
    expect(created(createdAt(time), { date })).toMatchObject({ id: "7", createdAt: time });
  });

  it.each([
    ["trimmed", " Orders  & more ", "Orders & more"],
    ["escaped for HTML", `Orders & "more" <O'Neil>`, "Orders &amp; &quot;more&quot; &lt;O&#039;Neil&gt;"],
    ["escaped with hexadecimal numbers", "O'Neil", "O&#x27;Neil"],
    ["escaped with backslashes", `O'Neil "EU"`, `O\\'Neil \\"EU\\"`],
    ["in lower case", "Orders", "orders"],
    ["in another Unicode normal form", "Cafe\u0301", "Caf\u00e9"],
    ["not text", "Orders", null],
  ])("may have the name %s", (_how, sent, name) => {
    expect(created({ data: { webhook: { id: 7, name } } }, { name: sent })).toMatchObject({ id: "7" });
  });

  it("becomes well-formed text, whatever it contains", () => {
    const reply = String.raw`{"data":{"webhook":{"id":7,"created_at":"x\ud800","updated_at":"\udc00y"}}}`;
    expect(created(reply)).toMatchObject({ id: "7", createdAt: "x\ufffd", updatedAt: "\ufffdy" });
  });

  it.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    ["perhaps", undefined],
  ])("means with enabled %j that enabled is %j", (enabled, expected) => {
    expect(created({ id: 7, enabled }).enabled).toBe(expected);
  });

  it("leaves the create in doubt if it is nested too deeply to be read", async () => {
    await using api = new MockApi();
    const more = "[".repeat(100_000) + "]".repeat(100_000);
    api.expectCreate().reply(201, `{"data":{"webhook":{"id":7}},"more":${more}}`);
    expect(await failureOf(api.create())).toMatchObject({ failure: "in doubt" });
  });
});

describe("the reply to an update", () => {
  const record = (id: unknown) => ({ data: { webhook: { ...UPDATED.data.webhook, id } } });

  it.each([
    [OTHER, record(43)],
    [OTHER, record("042")],
    [OTHER, { id: 43 }],
    [OTHER_ID, { webhook_id: "43", ...UPDATED }],
    [FAILED, { id: 42, status: "error", message: "Locked." }],
    [FAILED, { data: { id: 42, code: 403 } }],
    ["the reply says that the webhook was not updated", { updated: false, ...UPDATED }],
    [NO_ID, record(undefined)],
    [NO_ID, record(42.5)],
    [NO_ID, { id: 42, data: [] }],
    [NO_ID, { message: "Updated." }],
    [NO_ID, {}],
  ])("is no success: %s: %j", (problem, reply) => {
    expect(() => parseUpdated(replied(reply), "42")).toThrow(problem);
  });

  it.each([
    { data: { id: 42 } },
    { webhook: { id: "42" } },
    { id: 42, error: null, errors: {}, status: "failing" },
    { data: { id: 42, name: "Orders", status: "failed", code: 403, deleted: false } },
    { id: 42, enabled: "false", status: false },
    { status: "success", code: 0, data: { webhook: { id: 42, status: "error", error: "last delivery" } } },
  ])("is a success with the record of the webhook, whose own status may be a failure: %j", (reply) => {
    expect(parseUpdated(replied(reply), "42")).toMatchObject({ id: "42" });
  });
});

describe("the reply to a delete", () => {
  it.each([
    ["the reply has no message", {}],
    ["the reply has no message", { data: { message: 7 } }],
    ["the reply has no message", { data: "deleted" }],
    ["the reply has no message", { id: 42 }],
    [OTHER, { message: "Deleted.", webhook: { id: 43 } }],
    [OTHER, { data: { message: "Deleted.", webhook: { id: 43 } } }],
    [OTHER_ID, { data: { message: "Deleted.", webhook_id: 43 } }],
    [OTHER_ID, { message: "Deleted.", result: [{ webhookId: 43 }] }],
  ])("is no success: %s: %j", (problem, reply) => {
    expect(() => parseDeleted(replied(reply), "42")).toThrow(problem);
  });

  it.each([
    ...[
      "You may not delete this webhook.",
      "The webhook is locked and was not deleted.",
      "The webhook couldn't be deleted.",
      "Only the owner's webhooks can be deleted.",
      "0 webhooks deleted",
      "Failed: deleted nothing.",
      "Too many requests: 5 webhooks deleted in the last minute. Try again later.",
      "All subscriptions of this webhook have to get removed first.",
      "Deleted: false",
      "OK",
      "",
    ].map((message) => ({ data: { message } })),
    { deleted: false, ...DELETED },
    { data: { deleted: "false", ...DELETED.data } },
  ])("is no success if it does not say that the webhook was deleted: %j", (reply) => {
    expect(() => parseDeleted(replied(reply), "42")).toThrow("does not say that the webhook was deleted");
  });

  it.each([
    { message: "Webhook deleted." },
    { message: "Webhook deleted.", id: "req-1", data: {} },
    { data: { message: "Webhook deleted.", status: "deleted", errors: [], error: "", success: null } },
    { data: { message: "webhook deleted successfully" } },
    { message: "The webhook 42 has been removed." },
    { message: "Successfully deleted webhook 42" },
    { message: "OK, removed!" },
    { data: { message: "Webhook deleted.", webhook: { id: 42 }, webhook_id: "42" } },
  ])("is a success if it says so: %j", (reply) => {
    expect(parseDeleted(replied(reply), "42")).toEqual({ id: "42" });
  });
});

describe.concurrent("a 2xx that is no success", () => {
  it("is requested three times, beside the failures of the API", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, {});
    api.expectUpdate().reply(500);
    for (let n = 0; n < 2; n++) api.expectUpdate().reply(200, {});
    const { failure, message } = await failureOf(api.update());
    expect(failure).toBe("unconfirmed");
    expect(message).toContain(
      "200 OK from POST /webhooks/update, but the reply has no usable id. It was tried 4 times.",
    );
  });

  it("to a probe is read as that to an update", async () => {
    await using api = new MockApi();
    api.expectPost("/v1/webhooks/update", { webhook_id: "42" }).reply(200, { id: 43 });
    api.expectPost("/v1/webhooks/update", { webhook_id: "42" }).reply(200, UPDATED);
    expect(await api.probe()).toMatchObject({ id: "42" });
  });
});
