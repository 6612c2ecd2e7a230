import { expect, it } from "vitest";
import { Api } from "./api.js";
import { createRun } from "./run-doctor.js";

it("ends at once if it is interrupted and the reply to its create asks to wait", async () => {
  await using api = await Api.start();
  const controller = new AbortController();
  api.simulator.inject({
    match: () => {
      controller.abort();
      return true;
    },
    fault: { kind: "status", status: 429, retryAfter: "100" },
  });
  const run = createRun(api, controller.signal);
  await run.run();
  expect(api.requests).toEqual(["create -> 429"]);
  expect(run.webhooks.leftovers).toEqual([]);
});
