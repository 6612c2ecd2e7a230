import { describe, expect, it } from "vitest";
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

  const SENT = "This package sends Authorization: Bearer and JSON with texts, and nothing else";
  const FORM = `The API rejected the form of the request. ${SENT}`;
  it.each([
    [
      401,
      "",
      { "www-authenticate": 'Basic realm="API"' },
      "asks for another scheme than Bearer. This package sends Authorization: Bearer",
    ],
    [403, "", { "www-authenticate": "Token" }, "asks for another scheme than Bearer"],
    [401, { message: "No API key found in request" }, {}, FORM],
    [
      401,
      "",
      { "www-authenticate": 'Basic, Bearer error_description="It has expired"' },
      "The API's message: It has expired. The API key was refused.",
    ],
    [415, { message: "Use a form." }, {}, FORM],
    [406, "", {}, FORM],
    [400, { message: "The header X-Account-Id is required" }, {}, FORM],
    [422, { errors: { enabled: ["must be a boolean"] } }, {}, `enabled: must be a boolean. ${FORM}`],
    [400, { message: "The JSON value could not be converted to System.Boolean." }, {}, FORM],
    [400, { message: "cannot unmarshal string into field enabled of type bool" }, {}, FORM],
    [422, { errors: { enabled: ["Must be true or false"] } }, {}, FORM],
    [400, { message: "Missing required param: url." }, {}, FORM],
    [400, { detail: "Say which account is meant by X-Account-Id." }, {}, FORM],
    [
      403,
      { message: "Webhook URL does not meet the requirements." },
      {},
      "The API rejected the request. Correct",
    ],
    [308, "", { location: "/webhooks/" }, "It requires a slash at the end of paths, which is not supported"],
    [308, "", { location: "/v2/webhooks" }, "Set webhooks:baseUrl to the URL to which it redirects."],
    [401, { detail: "Authentication credentials were not provided." }, {}, `<name>. ${SENT}`],
    [403, { message: "Missing Authentication Token" }, {}, `is the API's URL. ${SENT}`],
    [
      401,
      "",
      { "www-authenticate": 'OAuth2 realm="API", error="invalid_token"' },
      "webhooks. The API key was refused.",
    ],
    [
      400,
      { message: "The value of eventTypes is bad" },
      {},
      "The API's message: The value of … is bad. The API rejected the request. Correct what its message or the dashboard reports. To see all of its reply to a webhook of the doctor's own, run npx pulumi-webhooks doctor --verbose",
    ],
    [
      200,
      { ok: false },
      {},
      "no usable id. A create must reply 201 with an id (docs/fit.md). Its reply: npx pulumi-webhooks doctor --verbose",
    ],
    [200, "", {}, "the reply is empty. A create must reply 201 with an id"],
    [422, { errors: { enabled: ["is bad"] } }, {}, "enabled: is bad. The API rejected the request. Correct"],
  ])(
    "that gets a %i with %j and %j says what this package sends, if that is the cause",
    async (status, body, headers, text) => {
      await using api = new MockApi();
      api.expectCreate().reply(status, body, headers);
      expect((await api.create().catch((error) => error)).message).toContain(text);
    },
  );

  it("deletes: the setting for unknown ids is named, even if the API names a field", async () => {
    await using api = new MockApi();
    api.expectDelete().reply(422, { errors: { url: ["is required"] } });
    expect((await api.delete().catch((error) => error)).message).toContain(
      "run pulumi config set webhooks:unknownIdStatus 422",
    );
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
