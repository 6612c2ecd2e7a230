import { describe, expect, it } from "vitest";
import { DELETED, MockApi, UPDATED } from "./mock-api.js";

// What follows each status and each fault of the connection is in faults/rows.

describe.concurrent("a refusal by the rate limit", () => {
  it.each([
    [429, { "retry-after": "0" }],
    [429, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }],
    [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.001" }],
    [503, { "retry-after": "0.001" }],
  ])("is never retried faster than after the back-off: %d with %j", async (status, headers) => {
    await using api = new MockApi();
    for (let n = 0; n < 3; n++) api.expectUpdate().reply(status, "", headers);
    api.expectUpdate().reply(200, UPDATED);
    const started = performance.now();
    await api.update();
    expect(performance.now() - started).toBeGreaterThan(250 + 500 + 1000 - 50);
  });

  it.each([{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2" }, { "retry-after": "2" }])(
    "is retried after the wait that its headers name: %j",
    async (headers) => {
      await using api = new MockApi();
      api.expectUpdate().reply(429, "", headers);
      api.expectUpdate().reply(200, UPDATED);
      const started = performance.now();
      await api.update();
      expect(performance.now() - started).toBeGreaterThan(1900);
    },
  );

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

describe.concurrent("a wait", () => {
  it("for a retry is reported in one line, with its reason", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(429, "", { "retry-after": "6" });
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    expect(api.waits).toEqual([
      "Updating webhook 42 (Orders): 429 Too Many Requests from POST /webhooks/update. Retrying in 6 s.",
    ]);
  });

  it("for the reset follows a reply after which no request remains, and is reported", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, UPDATED, { ratelimit: '"default";r=0;t=5' });
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    expect(api.waits).toEqual(["The API's rate limit is reached. Continuing in 5 s."]);
    const started = performance.now();
    await api.update();
    expect(performance.now() - started).toBeGreaterThan(4500);
  });

  it("of several requests at once is reported once", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(429, "", { "retry-after": "6" });
    api.expectDelete().reply(429, "", { "retry-after": "6" });
    api.expectUpdate().reply(200, UPDATED);
    api.expectDelete().reply(200, DELETED);
    await Promise.all([api.update(), api.delete()]);
    expect(api.waits).toEqual([expect.stringContaining("Retrying in 6 s.")]);
  });

  it("of less than five seconds is not reported", async () => {
    await using api = new MockApi();
    api.expectUpdate().reply(429, "", { "retry-after": "2" });
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    expect(api.waits).toEqual([]);
  });
});
