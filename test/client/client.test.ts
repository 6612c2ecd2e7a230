import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebhookClient } from "../../src/client/client.js";
import type { WebhookError } from "../../src/errors.js";

const API = "https://api.example.com";
const KEY = "key-canary-4711";
const SECRET = "whsec-canary-0815";
const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };
const updated = {
  data: {
    webhook: {
      id: 42,
      name: "Orders",
      enabled: "true",
      created_at: "2026-01-01T00:00:00.000000Z",
      updated_at: "2026-02-02T00:00:00.000000Z",
    },
  },
};

const waits: string[] = [];
const clients: WebhookClient[] = [];

function clientOf(
  settings: { baseUrl?: string; timeoutSeconds?: number; deadlineSeconds?: number } = {},
): WebhookClient {
  const client = new WebhookClient({
    apiKey: KEY,
    baseUrl: `${API}/v1`,
    timeoutSeconds: 5,
    deadlineSeconds: 10,
    maxConnections: 4,
    onWait: (line) => waits.push(line),
    ...settings,
  });
  clients.push(client);
  return client;
}

/** The whole request that the API must see: anything else does not match, and nock lets nothing else out. */
function expectPost(path: string, body: Record<string, string>): nock.Interceptor {
  return nock(API, {
    reqheaders: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    badheaders: ["cookie", "idempotency-key"],
  }).post(path, (sent) => {
    expect(sent).toStrictEqual(body);
    return true;
  });
}

const failureOf = (promise: Promise<unknown>): Promise<WebhookError> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

beforeAll(() => {
  nock.disableNetConnect();
});

afterEach(async () => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
  waits.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => {
  nock.restore();
});

const createBody = { url: orders.url, name: "Orders", secret: SECRET, enabled: "true" };
const updateBody = { webhook_id: "42", url: orders.url, name: "Orders", enabled: "true" };
const create = (client = clientOf()) =>
  client.create({ ...orders, secret: SECRET }, { action: "Creating webhook Orders", secret: SECRET });
const update = (client = clientOf()) =>
  client.update("42", orders, { action: "Updating webhook 42 (Orders)", secret: SECRET });
const remove = (client = clientOf()) =>
  client.delete("42", { action: "Deleting webhook 42 (Orders)", secret: SECRET });

describe("the three requests", () => {
  it("creates with url, name, secret and enabled, all strings", async () => {
    expectPost("/v1/webhooks", createBody).reply(201, updated);
    expect(await create()).toEqual({
      id: "42",
      name: "Orders",
      enabled: true,
      createdAt: "2026-01-01T00:00:00.000000Z",
      updatedAt: "2026-02-02T00:00:00.000000Z",
    });
  });

  it("creates without a secret where none is declared", async () => {
    const { secret: _, ...body } = createBody;
    expectPost("/v1/webhooks", { ...body, enabled: "false" }).reply(201, { id: 1 });
    expect(
      await clientOf().create({ ...orders, enabled: false }, { action: "Creating webhook Orders" }),
    ).toMatchObject({ id: "1" });
  });

  it("updates with the id as a string and every field, and never the secret", async () => {
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated);
    expect(await update()).toMatchObject({ updatedAt: "2026-02-02T00:00:00.000000Z" });
  });

  it("deletes with the id alone", async () => {
    expectPost("/v1/webhooks/delete", { webhook_id: "42" }).reply(200, {
      data: { message: "Webhook deleted." },
    });
    await remove();
  });

  it.each(["", "/v1", "/a/b"])("posts below a base URL with the path %j", async (path) => {
    expectPost(`${path}/webhooks/update`, updateBody).reply(200, updated);
    await update(clientOf({ baseUrl: `${API}${path}` }));
  });
});

describe("the reply to a create", () => {
  it.each([
    ["data.webhook.id", { data: { webhook: { id: 7 } } }],
    ["data.id", { data: { id: 7 } }],
    ["webhook.id", { webhook: { id: 7 } }],
    ["id", { id: 7, name: "Orders", more: { than: ["we", "need"] } }],
  ])("gives the id at %s", async (_place, reply) => {
    expectPost("/v1/webhooks", createBody).reply(201, reply);
    expect(await create()).toMatchObject({ id: "7" });
  });

  it.each([
    ["a number beyond 2^53, to the last digit", '{"id": 12345678901234567890123}', "12345678901234567890123"],
    ["a string", '{"id": "wh_7"}', "wh_7"],
    ["a number behind a byte order mark", '\uFEFF{"id": 7}', "7"],
  ])("gives an id that is %s", async (_what, reply, id) => {
    expectPost("/v1/webhooks", createBody).reply(201, reply);
    expect(await create()).toMatchObject({ id });
  });

  it("is not looked for further out than the webhook's own record, since that id may be a request's", async () => {
    expectPost("/v1/webhooks", createBody).reply(201, { id: "req_1", data: { webhook: { name: "Orders" } } });
    expect(await failureOf(create())).toMatchObject({ failure: "in doubt" });
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
  ])("leaves the create in doubt where it holds no usable id: %s", async (reply) => {
    expectPost("/v1/webhooks", createBody).reply(201, reply);
    const error = await failureOf(create());
    expect(error.failure).toBe("in doubt");
    expect(error.message).toMatch(/^Creating webhook Orders failed: 201 Created from POST \/webhooks, /);
  });

  it.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    ["perhaps", undefined],
  ])("reads enabled %j as %j", async (enabled, expected) => {
    expectPost("/v1/webhooks", createBody).reply(201, { id: 7, enabled });
    expect((await create()).enabled).toBe(expected);
  });
});

describe("a create", () => {
  it.each([
    ["429", 429, {}],
    ["429 with Retry-After", 429, { "retry-after": "0" }],
    ["503 with Retry-After", 503, { "retry-after": "0" }],
  ])("is sent again after %s: the API says that it did nothing", async (_what, status, headers) => {
    expectPost("/v1/webhooks", createBody).reply(status, { message: "Later." }, headers);
    expectPost("/v1/webhooks", createBody).reply(201, { id: 7 });
    expect(await create()).toMatchObject({ id: "7" });
  });

  it.each([408, 500, 502, 503, 504])("is in doubt after %d, and sent once", async (status) => {
    expectPost("/v1/webhooks", createBody).reply(status, { message: "Oops." });
    expect(await failureOf(create())).toMatchObject({ failure: "in doubt" });
  });

  it.each([301, 307, 400, 401, 403, 404, 405, 409, 410, 413, 422, 425])(
    "has failed for sure after %d, and is sent once",
    async (status) => {
      expectPost("/v1/webhooks", createBody).reply(
        status,
        { message: "No." },
        { location: "https://other.example.com/" },
      );
      expect(await failureOf(create())).toMatchObject({ failure: "failed" });
    },
  );

  it("is in doubt when the connection breaks after it was sent", async () => {
    expectPost("/v1/webhooks", createBody).replyWithError(
      Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
    );
    const error = await failureOf(create());
    expect(error.failure).toBe("in doubt");
    expect(error.detail).toMatch(/^no answer from POST \/webhooks: read ECONNRESET/);
  });
});

describe.each([
  ["an update", "/v1/webhooks/update", updateBody, update, updated],
  [
    "a delete",
    "/v1/webhooks/delete",
    { webhook_id: "42" },
    remove,
    { data: { message: "Webhook deleted." } },
  ],
] as const)("%s", (_what, path, body, call, success) => {
  it.each([408, 425, 429, 500, 502, 503])("is sent again after %d", async (status) => {
    expectPost(path, body).reply(status, "");
    expectPost(path, body).reply(200, success);
    await call();
  });

  it.each(["<html>A login page</html>", "{", "null", "[]", ""])(
    "is sent again after a 200 whose body is not the API's: %j",
    async (text) => {
      expectPost(path, body).reply(200, text);
      expectPost(path, body).reply(200, success);
      await call();
    },
  );

  it("is sent again after a broken connection", async () => {
    expectPost(path, body).replyWithError(
      Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
    );
    expectPost(path, body).reply(200, success);
    await call();
  });

  it.each([302, 400, 401, 403, 409, 422])("has failed after %d, and is sent once", async (status) => {
    expectPost(path, body).reply(status, { message: "No." });
    expect(await failureOf(call(clientOf()))).toMatchObject({ failure: "failed" });
  });

  it.each([404, 410])("finds the webhook gone after the API's own %d", async (status) => {
    expectPost(path, body).reply(status, { message: "No such webhook." });
    expect(await failureOf(call(clientOf()))).toMatchObject({ failure: "gone" });
  });

  it.each(["<html>nginx</html>", "", "null"])(
    "does not take a 404 of something else for the API's: %j",
    async (text) => {
      expectPost(path, body).reply(404, text);
      const error = await failureOf(call(clientOf()));
      expect(error.failure).toBe("failed");
      expect(error.detail).toContain("webhooks:baseUrl");
    },
  );
});

describe("a rate limit", () => {
  it("is waited for until its reset where a refusal has no Retry-After", async () => {
    const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" };
    expectPost("/v1/webhooks/update", updateBody).reply(429, "", limit);
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated);
    const started = performance.now();
    await update();
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  it("that a reply tells to be used up is waited for before a refusal, and reported", async () => {
    const limit = { ratelimit: '"default";r=0;t=5' };
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated, limit);
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated);
    const client = clientOf();
    await update(client);
    expect(waits).toEqual(["The API's rate limit has nothing left. Going on in 5 s."]);
    const started = performance.now();
    await update(client);
    expect(performance.now() - started).toBeGreaterThan(4900);
  }, 10_000);

  it.each(["31536000", "soon"])("is not waited for until a reset of %j", async (reset) => {
    const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated, limit);
    expectPost("/v1/webhooks/update", updateBody).reply(429, "", limit);
    expectPost("/v1/webhooks/update", updateBody).reply(200, updated);
    const client = clientOf();
    await update(client);
    await update(client);
  });
});

describe("what the user reads", () => {
  it.each([
    [
      401,
      { message: "Unauthenticated." },
      "401 Unauthorized from POST /webhooks/update. The API key was refused: set the right one with pulumi config set --secret webhooks:apiKey. (A refresh or a destroy uses the key of the last up, unless it gets --run-program.) The API said: Unauthenticated.",
    ],
    [
      403,
      { error: { code: "forbidden" } },
      '403 Forbidden from POST /webhooks/update. The API key may not do this: use a key that may manage webhooks. The API said: {"error":{"code":"forbidden"}}',
    ],
    [
      404,
      "<html>",
      "404 Not Found from POST /webhooks/update, with a web page in place of the API's JSON. Check that webhooks:baseUrl is the API's address.",
    ],
    [
      410,
      { message: "Gone." },
      "410 Gone from POST /webhooks/update. The API has no webhook with this id: it was deleted outside Pulumi. To create it anew run pulumi up --replace '<urn>'; pulumi stack --show-urns lists the urns. The API said: Gone.",
    ],
    [
      422,
      { message: "Invalid.", errors: { url: ["The url is taken."] } },
      '422 Unprocessable Entity from POST /webhooks/update. Correct what the API names, and run pulumi up again. The API said: {"message":"Invalid.","errors":{"url":["The url is taken."]}}',
    ],
    [
      308,
      "",
      "308 Permanent Redirect from POST /webhooks/update. The API redirects to elsewhere.example.com, and no redirect is followed: set webhooks:baseUrl to the API's own address.",
    ],
  ])("of a %d says what came back and what to do", async (status, body, detail) => {
    const location = { location: "https://elsewhere.example.com/webhooks" };
    expectPost("/v1/webhooks/update", updateBody).reply(status, body, location);
    expect((await failureOf(update())).message).toBe(`Updating webhook 42 (Orders) failed: ${detail}`);
  });

  it("never holds the key or the secret, wherever the API puts them", async () => {
    const echo = { [KEY]: SECRET, message: `${KEY} ${Buffer.from(`x:${SECRET}`).toString("base64")}` };
    expectPost("/v1/webhooks/update", updateBody).reply(301, echo, {
      location: `https://${KEY}.example.com/${SECRET}`,
    });
    const error = await failureOf(update());
    const everything = [error.message, error.stack, String(error), JSON.stringify(error)].join();
    expect(everything).toContain("[secret]");
    expect(everything).not.toMatch(/canary|Y2FuYX|NhbmFye|jYW5hcn/i);
    expect(error.cause).toBeUndefined();
  });
});
