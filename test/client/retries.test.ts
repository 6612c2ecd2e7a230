import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.js";
import { DELETED, MockApi, UPDATED } from "./mock-api.js";
import { secondsOf } from "./seconds-of.js";

const RESET = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

describe.concurrent("a create", () => {
  it.each([
    ["429", 429, {}],
    ["429 with Retry-After", 429, { "retry-after": "0" }],
    ["503 with Retry-After", 503, { "retry-after": "0" }],
  ])("is sent again after %s: the API did nothing", async (_what, status, headers) => {
    await using api = new MockApi();
    api.expectCreate().reply(status, { message: "Later." }, headers);
    api.expectCreate().reply(201, { id: 7 });
    expect(await api.create()).toMatchObject({ id: "7" });
  });

  it.each([408, 500, 502, 503, 504])("is in doubt after %d, and not sent again", async (status) => {
    await using api = new MockApi();
    api.expectCreate().reply(status, { message: "Oops." });
    expect(await failureOf(api.create())).toMatchObject({ failure: "in doubt" });
  });

  it.each([301, 307, 400, 401, 403, 404, 405, 409, 410, 413, 422, 425])(
    "fails after %d, and is not sent again",
    async (status) => {
      await using api = new MockApi();
      const location = { location: "https://other.example.com/" };
      api.expectCreate().reply(status, { message: "No." }, location);
      expect(await failureOf(api.create())).toMatchObject({ failure: "failed" });
    },
  );

  it("is in doubt if the connection breaks after it was sent", async () => {
    await using api = new MockApi();
    api.expectCreate().replyWithError(RESET);
    const error = await failureOf(api.create());
    expect(error.failure).toBe("in doubt");
    expect(error.detail).toMatch(/^no response from POST \/webhooks: read ECONNRESET/);
  });
});

describe.concurrent.each([
  ["an update", (api: MockApi) => api.expectUpdate(), (api: MockApi) => api.update(), UPDATED],
  ["a delete", (api: MockApi) => api.expectDelete(), (api: MockApi) => api.delete(), DELETED],
])("%s", (_what, expectRequest, send, success) => {
  it.each([408, 425, 429, 500, 502, 503])("is sent again after %d", async (status) => {
    await using api = new MockApi();
    expectRequest(api).reply(status, "");
    expectRequest(api).reply(200, success);
    await send(api);
  });

  it.each(["<html>A login page</html>", "{", "null", "[]", ""])(
    "is sent again after a 200 whose body is not the API's: %j",
    async (text) => {
      await using api = new MockApi();
      expectRequest(api).reply(200, text);
      expectRequest(api).reply(200, success);
      await send(api);
    },
  );

  it("is sent again after a broken connection", async () => {
    await using api = new MockApi();
    expectRequest(api).replyWithError(RESET);
    expectRequest(api).reply(200, success);
    await send(api);
  });

  it.each([302, 400, 401, 403, 409, 422])("fails after %d, and is not sent again", async (status) => {
    await using api = new MockApi();
    expectRequest(api).reply(status, { message: "No." });
    expect(await failureOf(send(api))).toMatchObject({ failure: "failed" });
  });

  it.each([404, 410])("finds the webhook gone after the API's own %d", async (status) => {
    await using api = new MockApi();
    expectRequest(api).reply(status, { message: "No such webhook." });
    expect(await failureOf(send(api))).toMatchObject({ failure: "gone" });
  });

  it.each(["<html>nginx</html>", "", "null"])("fails after a 404 that is not the API's: %j", async (text) => {
    await using api = new MockApi();
    expectRequest(api).reply(404, text);
    const error = await failureOf(send(api));
    expect(error.failure).toBe("failed");
    expect(error.detail).toContain("webhooks:baseUrl");
  });
});

describe.concurrent("a refusal by the rate limit", () => {
  it.each([
    [429, { "retry-after": "0.001" }],
    [429, { "retry-after": "0" }],
    [429, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }],
    [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.001" }],
    [503, { "retry-after": "0.001" }],
  ])("is never retried faster than after the back-off: %d with %j", async (status, headers) => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectUpdate().reply(status, "", headers);
    api.expectUpdate().reply(200, UPDATED);
    expect(await secondsOf(api.update())).toBeGreaterThan(0.25 + 0.5 + 1 - 0.05);
  });

  it("without Retry-After is retried after the reset that its headers name", async () => {
    await using api = new MockApi();
    const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" };
    api.expectUpdate().reply(429, "", limit);
    api.expectUpdate().reply(200, UPDATED);
    expect(await secondsOf(api.update())).toBeGreaterThan(0.9);
  });

  it.each(["31536000", "soon"])("is retried long before a reset of %j", async (reset) => {
    await using api = new MockApi();
    const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    api.expectUpdate().reply(200, UPDATED, limit);
    api.expectUpdate().reply(429, "", limit);
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    await api.update();
  });
});

describe.concurrent("a reply whose headers say that no request remains", () => {
  it("makes the next request wait for the reset, and is reported", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, UPDATED, { ratelimit: '"default";r=0;t=5' });
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    expect(api.waits).toEqual(["The API's rate limit is reached. Continuing in 5 s."]);
    expect(await secondsOf(api.update())).toBeGreaterThan(4.9);
  });
});
