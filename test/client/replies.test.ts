import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseReply, type Reply } from "../../src/client/api.js";
import { createRequest, deleteRequest, updateRequest } from "../../src/client/replies.js";
import { failureOf } from "./failure-of.js";
import { MockApi, UPDATED } from "./mock-api.js";
import { KEY, ORDERS } from "./samples.js";

/** Parses a reply as it comes over the wire. */
const replied = (reply: unknown): Reply =>
  parseReply(typeof reply === "string" ? reply : JSON.stringify(reply)) ?? expect.fail("no JSON object");

/** The status, the Date of the reply, and the name that was sent. */
const created = (reply: unknown, { name = "Orders", status = 201, date = "" } = {}) =>
  createRequest({ ...ORDERS, name }).parse(replied(reply), { status, headers: { date } });

const updated = (reply: unknown) => updateRequest("42").parse(replied(reply), { status: 200, headers: {} });

const deleted = (reply: unknown) => deleteRequest("42").parse(replied(reply), { status: 200, headers: {} });

const OTHER = "the reply is about another webhook";
const NO_ID = "the reply has no usable id";

it.each<[string, (bytes: Buffer) => Buffer]>([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["zstd", zstdCompressSync],
])("a reply in %s is unpacked, although no encoding is accepted (%#)", async (encoding, pack) => {
  await using api = new MockApi();
  const body = pack(Buffer.from(JSON.stringify(UPDATED)));
  api.expectUpdate().reply(200, body, { "content-encoding": encoding });
  expect(await api.update()).toMatchObject({ id: "42" });
});

describe("the reply to a create", () => {
  const others = { id: "req-1", meta: [{ webhook_id: 4 }] };
  it.each([
    ["data.webhook", { data: { webhook: { id: 7 } } }],
    ["data", { data: { id: 7 } }],
    ["webhook", { webhook: { id: 7 } }],
    ["the reply", { id: 7, more: { than: ["we", "need"] } }],
    ["data.webhook, beside other ids", { ...others, data: { webhook: { id: 7, owner: { id: 3 } } } }],
    ["data, beside the name that was sent and other ids", { ...others, data: { id: 7, name: "Orders" } }],
    ["webhook, beside the same", { ...others, webhook: { id: 7, name: "Orders" } }],
    ["the reply, beside the same", { id: 7, name: "Orders", owner: { id: 3 } }],
  ])("may hold the id in %s", (_place, reply) => {
    expect(created(reply)).toMatchObject({ id: "7" });
  });

  it.each([
    { id: 7, account_id: 1, user_id: 2, request_id: "req-1", external_id: 3, uuid: "u", guid: "g" },
    { id: 7, self: { id: "7" }, webhookId: 7, parent: { id: null }, webhook_id: null },
    { id: 7, more: Array(300_000).fill(0) },
    { id: 7, more: JSON.parse("[".repeat(1000) + "]".repeat(1000)) },
  ])("may be of any size, and repeat its id: %#", (reply) => {
    expect(created(reply)).toMatchObject({ id: "7" });
  });

  const MAY_NOT_BE = "the id in the reply may not be the webhook's";

  it("may repeat an id beyond 2^53 as webhook_id, to the last digit", () => {
    const id = "9007199254740993";
    expect(created(`{"id": ${id}, "webhook_id": ${id}}`)).toMatchObject({ id });
    expect(() => created(`{"id": ${id}, "webhook_id": 9007199254740992}`)).toThrow(NO_ID);
    expect(() => created(`{"id": ${id}, "of": {"id": 9007199254740992}}`)).toThrow(MAY_NOT_BE);
  });

  it.each([
    [NO_ID, { data: null, id: "req" }],
    [NO_ID, { webhook: null, id: "req" }],
    [NO_ID, { data: { id: "req", webhook: null } }],
    [NO_ID, { data: { id: "req", data: { id: 5 } } }],
    [NO_ID, { data: { id: 5 }, webhook: { id: 7 } }],
    [NO_ID, { data: { webhook: { id: 7, webhook_id: 8 } } }],
    [NO_ID, { id: 7, webhook_id: { toString: 1, valueOf: 1 } }],
    [MAY_NOT_BE, { id: "req-1", data: { id: 7 } }],
    [MAY_NOT_BE, { webhook_id: "8", data: { id: 7 } }],
    [MAY_NOT_BE, { id: "req-1", webhookId: 108 }],
    [MAY_NOT_BE, { id: "req-1", result: [{ made: { WebhookID: 108 } }] }],
    [MAY_NOT_BE, { id: "req-1", results: [{ ID: 108 }] }],
    [MAY_NOT_BE, { id: "req-1", result: { id: null, Id: { value: 108 } } }],
    [MAY_NOT_BE, { data: { id: "job-1", result: { id: 108 } } }],
    [MAY_NOT_BE, { id: "req-1", webhook: { id: 7, events: [{ id: 3 }] } }],
    [MAY_NOT_BE, { id: "req-1", data: { webhook: { id: 7 } } }],
    [MAY_NOT_BE, { id: 7, success: false, reason: "The plan includes no webhooks." }],
    [MAY_NOT_BE, { data: { id: 7 }, errors: [{ message: "No." }] }],
    [OTHER, { data: { webhook: { id: 7, name: "Orders EU" } } }],
    [OTHER, { data: { id: 7, name: "Order" } }],
    [OTHER, { data: { id: 7, name: "🎉" } }],
  ])("is doubtful with the status 200: %s: %j", (problem, reply) => {
    expect(() => created(reply, { status: 200 })).toThrow(problem);
  });

  it.each([{ data: { webhook: { id: 7 } } }, { webhook: { id: 7 } }, { data: { id: 7, name: "Orders" } }])(
    "may be a 200 with the webhook: %j",
    (reply) => {
      expect(created(reply, { status: 200 })).toMatchObject({ id: "7" });
    },
  );

  it.each(["Order", "orders_eu", ""])("may have another name in a 201: %j", (name) => {
    const reply = { ...others, data: { webhook: { id: 7, name, created_at: new Date().toISOString() } } };
    expect(created(reply)).toMatchObject({ id: "7", name });
    expect(created({ data: { id: 7, name } })).toMatchObject({ id: "7", name });
    expect(() => created({ ...others, data: { id: 7, name } })).toThrow(MAY_NOT_BE);
  });

  const NOW = Date.UTC(2026, 0, 1);
  const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

  it.each<[what: string, isOld: boolean, created_at: string, date?: string, name?: string]>([
    ["an hour and a minute old", true, "2026-01-01T00:00:00Z", "Thu, 01 Jan 2026 01:01:00 GMT"],
    ["a day old, too long for a zone", true, "2026-01-01T00:00:00.0Z", "Fri, 02 Jan 2026 00:00:00 GMT"],
    ["a day old by the clock of this machine", true, daysAgo(1.01)],
    ["of another name, and a minute old", true, "2026-01-01T00:00:00Z", "Thu, 01 Jan 2026 00:01:02 GMT", "A"],
    ["of another name, and new", false, "2026-01-01T00:00:00Z", "Thu, 01 Jan 2026 00:01:00 GMT", "A"],
    ["of another zone", false, "2026-01-01T00:00:00.000000Z", "Thu, 01 Jan 2026 05:45:02 GMT"],
    ["of another zone, by the clock of this machine", false, daysAgo(0.5)],
    ["in the future", false, daysAgo(-400)],
  ])("is doubtful if the webhook existed before: one %s: %j", (_, isOld, time, date, name = "Orders") => {
    vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const parse = () => created({ data: { webhook: { id: 7, name, created_at: time } } }, { date });
    if (!isOld) expect(parse()).toMatchObject({ id: "7", createdAt: time });
    else expect(parse).toThrow(`shows a webhook that was created at ${time}, before this create`);
  });

  it("keeps no time that is none", () => {
    const times = { created_at: KEY, updated_at: 1_767_225_600 };
    expect(created({ id: 7, ...times })).toEqual({ id: "7" });
    const unset = { created_at: "0001-01-01T00:00:00Z", updated_at: "1970-01-01T00:00:00Z" };
    expect(created({ id: 7, ...unset })).toEqual({ id: "7" });
  });

  it.each([
    ["trimmed", " Orders  & more ", "Orders & more"],
    ["escaped for HTML", `Orders & "more" <O'Neil>`, "Orders &amp; &quot;more&quot; &lt;O&#039;Neil&gt;"],
    ["escaped with hexadecimal numbers", "O'Neil", "O&#x27;Neil"],
    ["escaped with backslashes", `O'Neil "EU"`, `O\\'Neil \\"EU\\"`],
    ["in lower case", "Orders", "orders"],
    ["in another Unicode normal form", "Cafe\u0301", "Caf\u00e9"],
    ["without its emoji", "Orders 🎉", "Orders"],
    ["not text", "Orders", null],
  ])("may have the name %s", (_how, sent, name) => {
    expect(created({ data: { id: 7, name } }, { name: sent })).toMatchObject({ id: "7" });
  });

  it.each(["12345678901234567890123", '"wh_7"', `"${"x".repeat(255)}"`])("may have the id %s", (id) => {
    expect(created(`{"data":{"webhook":{"id":${id}}}}`)).toMatchObject({ id: id.replaceAll('"', "") });
  });

  const NO_IDS = ["1.5", "-1", "1e3", "null", "true", "[1]", "[]", "{}", '""', '"wh 7"', '"in-doubt:x"'];
  const ODD_IDS = [String.raw`"wh\n7"`, String.raw`"wh-\ud83d"`, `"${"x".repeat(256)}"`];
  it.each([...NO_IDS, ...ODD_IDS])("has no usable id if that is %s", (id) => {
    expect(() => created(`{"data":{"webhook":{"id":${id}}}}`)).toThrow(NO_ID);
  });

  it("becomes well-formed text, whatever it contains", () => {
    const reply = String.raw`{"data":{"webhook":{"id":7,"name":"x\ud800","secret":"\udc00y"}}}`;
    expect(created(reply)).toMatchObject({ id: "7", name: "x\ufffd", generatedSecret: "\ufffdy" });
  });

  it.each([
    [true, [true, "True", 1, "1"]],
    [false, [false, "FALSE", 0, "0"]],
    [undefined, [undefined, "perhaps", 2, null, ["true"], { toString: 1 }]],
  ])("may say that enabled is %j by one of %j", (expected, values) => {
    for (const enabled of values) {
      const otherEnabled = expected === undefined ? JSON.stringify(enabled) : undefined;
      expect(created({ id: 7, enabled })).toEqual({ id: "7", enabled: expected, otherEnabled });
    }
  });

  it("leaves the create in doubt if it is nested too deeply to be read", async () => {
    await using api = new MockApi();
    const more = "[".repeat(100_000) + "]".repeat(100_000);
    api.expectCreate().reply(201, `{"data":{"webhook":{"id":7}},"more":${more}}`);
    expect(await failureOf(api.create())).toMatchObject({ failure: "unresolved" });
  });
});

const record = (id: unknown) => ({ data: { webhook: { ...UPDATED.data.webhook, id } } });

it.each([
  [OTHER, record(43)],
  [OTHER, record("042")],
  [OTHER, { id: 43 }],
  [NO_ID, { data: { webhook: { id: 42, webhook_id: "43" } } }],
  [NO_ID, record(undefined)],
  [NO_ID, record(42.5)],
  [NO_ID, { id: 42, data: [] }],
  [NO_ID, { success: true, webhook_id: 42 }],
  [NO_ID, { message: "Updated." }],
])("the reply to an update is no success: %s: %j", (problem, reply) => {
  expect(() => updated(reply)).toThrow(problem);
});

it.each([
  { data: { id: 42 } },
  { webhook: { id: "42" } },
  { id: 42, status: "failing" },
  { request: { id: 7 }, data: { id: 42, name: "Orders", status: "failed", code: 403, deleted: false } },
])("an update succeeds with the record of the webhook, whatever else its reply says: %j", (reply) => {
  expect(updated(reply)).toMatchObject({ id: "42" });
});

const NOT_DELETED = "the reply does not say that the webhook was deleted";

it.each([
  { deleted: true },
  { data: { message: 7 } },
  { data: "deleted" },
  { id: 42 },
  { data: { message: "You may not delete this webhook." } },
  { data: { message: "The webhook was removed." } },
  { data: { message: "OK" } },
  { message: "" },
])("the reply to a delete is no success without a message that has the documented word: %j", (reply) => {
  expect(() => deleted(reply)).toThrow(NOT_DELETED);
});

it.each([
  { data: { message: "Webhook deleted." } },
  { data: { message: "webhook 42 DELETED", status: "deleted", errors: [] } },
  { message: "Successfully deleted webhook 42" },
])("the reply to a delete is a success with it: %j", (reply) => {
  expect(deleted(reply)).toEqual({});
});
