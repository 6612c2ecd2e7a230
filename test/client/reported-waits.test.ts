import { describe, expect, it } from "vitest";
import { DELETED, MockApi, UPDATED } from "./mock-api.js";

// What follows each status and each fault of the connection is in faults/rows.

describe.concurrent("a wait", () => {
  it("of several requests for a retry is reported in one line, with its reason", async () => {
    await using api = new MockApi();
    for (const expectPost of [api.expectUpdate, api.expectDelete]) {
      expectPost().reply(429, "", { "retry-after": "6" });
    }
    api.expectUpdate().reply(200, UPDATED);
    api.expectDelete().reply(200, DELETED);
    await Promise.all([api.update(), api.delete()]);
    expect(api.waits).toEqual([
      "Updating webhook 42 (Orders): 429 Too Many Requests from POST /webhooks/update. Retrying in 6 s.",
    ]);
  });

  it.each([
    [5, ["The API's rate limit is reached. Continuing in 5 s."]],
    [2, []],
  ])("of %d s until the reset if no request remains is reported from 5 s on", async (seconds, lines) => {
    await using api = new MockApi();
    api.expectUpdate().reply(200, UPDATED, { ratelimit: `"default";r=0;t=${seconds}` });
    api.expectUpdate().reply(200, UPDATED);
    await api.update();
    expect(api.waits).toEqual(lines);
    const started = performance.now();
    await api.update();
    expect((performance.now() - started) / 1000).toBeGreaterThan(seconds - 0.5);
  });
});
