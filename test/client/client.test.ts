import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import {
  CREATE_BODY,
  CREATED_DATE,
  DELETE_BODY,
  DELETED,
  MockApi,
  UPDATE_BODY,
  UPDATED,
} from "./mock-api.js";
import { ORDERS } from "./samples.js";

const SENT = "This package sends Authorization: Bearer and JSON with texts, and nothing else";
/** Each line is the status of a refused create, its headers and body, and what the error says. */
const ADVICE = readFileSync(join(import.meta.dirname, "advice.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" | ") as [status: string, headers: string, body: string, says: string]);

/** The webhook of UPDATED. */
const WEBHOOK = {
  id: "42",
  name: "Orders",
  enabled: true,
  createdAt: "2026-01-01T00:00:00.000000Z",
  updatedAt: "2026-02-02T00:00:00.000000Z",
};

describe("a request", () => {
  it("creates a webhook with url, name, secret and enabled, all of them strings", async () => {
    await using api = new MockApi();
    api.expectPost("/v1/webhooks", CREATE_BODY).reply(201, UPDATED, { date: CREATED_DATE });
    expect(await api.create()).toEqual({ ...WEBHOOK, repliedAt: Date.parse(CREATED_DATE) / 1000 });
  });

  it("creates a webhook without a secret if none is declared", async () => {
    await using api = new MockApi();
    const { secret: _, ...body } = CREATE_BODY;
    api.expectPost("/v1/webhooks", { ...body, enabled: "false" }).reply(201, { id: 1 });
    const creating = api.client.create({ ...ORDERS, enabled: false }, { action: "Creating webhook Orders" });
    expect(await creating).toMatchObject({ id: "1" });
  });

  it("probes a webhook by an update that sends only the id", async () => {
    await using api = new MockApi();
    const date = "Mon, 02 Feb 2026 00:00:10 GMT";
    api.expectPost("/v1/webhooks/update", { webhook_id: "42" }).reply(200, UPDATED, { date });
    const { tookSeconds, ...probed } = await api.probe();
    expect(probed).toEqual({ ...WEBHOOK, repliedAt: Date.parse(date) / 1000 });
    expect(tookSeconds).toBeGreaterThan(0);
  });

  it("deletes a webhook with only the id", async () => {
    await using api = new MockApi();
    api.expectPost("/v1/webhooks/delete", DELETE_BODY).reply(200, DELETED);
    await api.delete();
  });

  it.each(["", "/v1", "/a/b"])("updates every field but the secret, below the path %j", async (path) => {
    await using api = new MockApi({ path });
    api.expectPost(`${path}/webhooks/update`, UPDATE_BODY).reply(200, UPDATED);
    expect(await api.update()).toEqual(WEBHOOK);
  });

  it.each(ADVICE)("that gets a %s with %s and %s says what to do", async (status, headers, body, says) => {
    await using api = new MockApi();
    api.expectCreate().reply(Number(status), body === "–" ? "" : body, JSON.parse(headers));
    const text = says.replace("{form}", `The API rejected the form of the request. ${SENT}`);
    expect((await failureOf(api.create())).message).toContain(text.replace("{sent}", SENT));
  });

  it("deletes: the setting for unknown ids is named, even if the API names a field", async () => {
    await using api = new MockApi();
    api.expectDelete().reply(422, { errors: { url: ["is required"] } });
    const { message } = await failureOf(api.delete());
    expect(message).toContain("run pulumi config set webhooks:unknownIdStatus 422");
  });
});

it("reports the wait of several requests for a retry in one line", async () => {
  await using api = new MockApi();
  for (const expectPost of [api.expectUpdate, api.expectDelete]) {
    expectPost().reply(429, { message: "No." }, { "retry-after": "6" });
  }
  api.expectUpdate().reply(200, UPDATED);
  api.expectDelete().reply(200, DELETED);
  await Promise.all([api.update(), api.delete()]);
  expect(api.waits).toEqual([
    "Updating webhook 42 (Orders): 429 Too Many Requests from POST /webhooks/update. The API's message: No. Retrying in 6 s.",
  ]);
});
