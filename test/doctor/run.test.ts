import { expect, it } from "vitest";
import { parseSettings } from "../../src/config.js";
import { DoctorRun } from "../../src/doctor/run.js";
import { Api } from "./api.js";

it("ends at once if it is interrupted and the reply to its create asks to wait", async () => {
  await using api = await Api.start();
  const parsed = parseSettings(() => undefined, api.environment());
  if ("problems" in parsed) return expect.fail(parsed.problems.join("\n"));
  const controller = new AbortController();
  api.simulator.inject({
    match: () => {
      controller.abort();
      return true;
    },
    fault: { kind: "status", status: 429, retryAfter: "100" },
  });
  const run = new DoctorRun({ ...parsed, signal: controller.signal, logStep: () => {} });
  await run.run();
  expect(api.requests).toEqual(["create -> 429"]);
  expect(run.leftovers).toEqual([]);
});
