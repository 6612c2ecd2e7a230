import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { DELETED, MockApi, UPDATED } from "./mock-api.js";

const FAILED: [string, object][] = [
  ["but the reply says that the request failed", { success: false, error: { code: 17 } }],
  ["but the reply says that the request failed", { ok: false, message: "No." }],
  ["but the reply says that the request failed", { error: "No such webhook.", ...UPDATED }],
  ["but the reply says that the request failed", { errors: [{ title: "No." }], ...DELETED }],
  ["but the reply says that the request failed", { status: 404, message: "Not found" }],
  ["but the reply says that the request failed", { statusCode: 500, ...UPDATED }],
  ["but the reply says that the request failed", { code: "422", message: "Invalid" }],
  ["but the reply says that the request failed", { status: "fail", ...DELETED }],
  ["but the reply says that the request failed", { data: { error: "No.", message: "No." } }],
  ["but the reply says that the request failed", { status: false, message: "The webhook was not deleted." }],
  ...[
    { success: 0 },
    { success: "0" },
    { Success: "False" },
    { ok: "no" },
    { status_code: 403 },
    { StatusCode: "403" },
    { code: 403 },
    { code: "PERMISSION_DENIED" },
    { status: "denied" },
    { status: "error" },
    { status: "Failed" },
    { status: "false" },
    { result: "failure" },
    { error_code: 17 },
    { errorMessage: "No." },
  ].flatMap((signal): [string, object][] => [
    ["but the reply says that the request failed", { ...signal, ...DELETED }],
    ["but the reply says that the request failed", { data: { ...DELETED.data, ...signal } }],
  ]),
];

const record = (id: unknown) => ({ data: { webhook: { ...UPDATED.data.webhook, id } } });

const NO_UPDATE: [string, object | string][] = [
  ...FAILED,
  ["but the reply is about another webhook", record(43)],
  ["but the reply is about another webhook", record("042")],
  ["but the reply is about another webhook", { id: 43 }],
  ["but the reply also names another webhook_id", { webhook_id: "43", ...UPDATED }],
  ["but the reply says that the request failed", { id: 42, status: "error", message: "Locked." }],
  ["but the reply says that the request failed", { data: { id: 42, code: 403 } }],
  ["but the reply says that the webhook was not updated", { updated: false, ...UPDATED }],
  ["but the reply has no usable id", record(undefined)],
  ["but the reply has no usable id", record(42.5)],
  ["but the reply has no usable id", { id: 42, data: [] }],
  ["but the reply has no usable id", { message: "Updated." }],
  ["but the reply has no usable id", {}],
  ["but the reply is empty", ""],
  ["but the reply is not a JSON object", "[]"],
  ["with a web page instead of the API's JSON", "<html>"],
];

const NO_DELETE: [string, object | string][] = [
  ...FAILED,
  ["but the reply has no message", {}],
  ["but the reply has no message", { data: { message: 7 } }],
  ["but the reply has no message", { data: "deleted" }],
  ["but the reply has no message", { id: 42 }],
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
  ].map((message): [string, object] => [
    "but the reply does not say that the webhook was deleted",
    { data: { message } },
  ]),
  ["but the reply does not say that the webhook was deleted", { deleted: false, ...DELETED }],
  [
    "but the reply does not say that the webhook was deleted",
    { data: { deleted: "false", ...DELETED.data } },
  ],
  ["but the reply is about another webhook", { message: "Deleted.", webhook: { id: 43 } }],
  ["but the reply is about another webhook", { data: { message: "Deleted.", webhook: { id: 43 } } }],
  ["but the reply also names another webhook_id", { data: { message: "Deleted.", webhook_id: 43 } }],
  ["but the reply also names another webhook_id", { message: "Deleted.", result: [{ webhookId: 43 }] }],
  ["but the reply is empty", ""],
  ["but the reply is not a JSON object", "[]"],
];

describe.concurrent("an update whose 2xx is no success", () => {
  it.each(NO_UPDATE)("is sent three times, and is unconfirmed then: %s: %j", async (problem, reply) => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectUpdate().reply(200, reply);
    const error = await failureOf(api.update());
    expect(error.failure).toBe("unconfirmed");
    expect(error.message).toContain(`200 OK from POST /webhooks/update, ${problem}. It was tried 3 times.`);
    const quote = `The API's reply: ${JSON.stringify(reply)}`;
    if (typeof reply === "object" && !("message" in reply)) expect(error.message).toContain(quote);
  });

  it.each(NO_UPDATE)("succeeds if a retry does: %s: %j", async (_problem, reply) => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, reply);
    api.expectUpdate().reply(200, UPDATED);
    expect(await api.update()).toMatchObject({ id: "42" });
  });

  it("is sent a few times more if the API failed in between", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, {});
    api.expectUpdate().reply(500);
    api.expectUpdate().reply(200, {});
    api.expectUpdate().reply(200, UPDATED);
    expect(await api.update()).toMatchObject({ id: "42" });
  });
});

describe.concurrent("a probe whose 2xx is no success", () => {
  it.each(NO_UPDATE)("is sent three times, and fails then: %s: %j", async (_problem, reply) => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectPost("/v1/webhooks/update", { webhook_id: "42" }).reply(200, reply);
    expect(await failureOf(api.probe())).toMatchObject({ failure: "unconfirmed" });
  });
});

describe.concurrent("a delete whose 2xx is no success", () => {
  it.each(NO_DELETE)("is sent three times, and is unconfirmed then: %s: %j", async (problem, reply) => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectDelete().reply(200, reply);
    const error = await failureOf(api.delete());
    expect(error.failure).toBe("unconfirmed");
    expect(error.message).toContain(`200 OK from POST /webhooks/delete, ${problem}. It was tried 3 times.`);
  });

  it.each(NO_DELETE)("finds the webhook gone if a retry gets a 404: %s: %j", async (_problem, reply) => {
    await using api = new MockApi();
    api.expectDelete().reply(200, reply);
    api.expectDelete().reply(404, { message: "Webhook not found." });
    expect(await failureOf(api.delete())).toMatchObject({ failure: "gone" });
  });

  it("is sent again after a 204", async () => {
    await using api = new MockApi();
    api.expectDelete().reply(204);
    api.expectDelete().reply(410, { message: "Gone." });
    expect(await failureOf(api.delete())).toMatchObject({ failure: "gone" });
  });
});

describe("a delete", () => {
  it.each([
    { data: { message: "Webhook deleted." } },
    { message: "Webhook deleted." },
    { message: "Webhook deleted.", success: true, error: null, errors: [], status: "success", code: 200 },
    { message: "Webhook deleted.", id: "req-1", data: {} },
    { ...DELETED, status: "active", code: 0, error_code: "0", errors: {}, error: "false", deleted: true },
    { ...DELETED, status: 200, status_code: "200", result: { id: 1 }, success: "true", ok: 1, failed: 0 },
    { data: { message: "Webhook deleted.", status: "deleted", errors: [], error: "", success: null } },
    { data: { message: "webhook deleted successfully" } },
    { message: "The webhook 42 has been removed." },
    { message: "Successfully deleted webhook 42" },
    { message: "OK, removed!" },
    { data: { message: "Webhook deleted.", webhook: { id: 42 }, webhook_id: "42" } },
  ])("succeeds with a message: %j", async (reply) => {
    await using api = new MockApi();
    api.expectDelete().reply(200, reply);
    await api.delete();
  });
});

describe("an update", () => {
  it.each([
    { data: { id: 42 } },
    { webhook: { id: "42" } },
    { id: 42, error: null, errors: {}, status: "failing" },
    { data: { id: 42, name: "Orders", status: "failed", code: 403, deleted: false } },
    { id: 42, enabled: "false", status: false },
    { status: "success", code: 0, data: { webhook: { id: 42, status: "error", error: "last delivery" } } },
  ])("succeeds with the record of the webhook: %j", async (reply) => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, reply);
    expect(await api.update()).toMatchObject({ id: "42" });
  });
});
