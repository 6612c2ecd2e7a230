import { describe, expect, it } from "vitest";
import { Api } from "./checked-api.js";
import { diagnose } from "./run-doctor.js";

describe.concurrent("the checks of an API that the package cannot work with", () => {
  it.for([
    ["create: status 404 body=<p>", "create", "Check that WEBHOOKS_BASE_URL, http://127.0.0.1:"],
    [
      'create: status 422 body={"message":"Full."}',
      "create",
      "Correct what its message or the dashboard reports. If the API asks a receiver before it accepts",
    ],
    [
      'update: reply raw={"success":"true"}, always',
      "update",
      "Check the API's reply, and that WEBHOOKS_BASE_URL",
    ],
    ["update: status 500, always", "update", "The API is temporarily unavailable."],
    [
      "update: status 429 retryAfter=9999, always, after 1",
      "update",
      "with a longer WEBHOOKS_DEADLINE_SECONDS",
    ],
  ] as const)("advise what to do if the fault is %s", async ([fault, check, advice]) => {
    await using api = await Api.start();
    api.simulator.inject(fault);
    const { code, bad, meanings, commands, leftover } = await diagnose(api);
    expect({ code, bad, commands, leftover }).toEqual({ code: 1, bad: [check], commands: [] });
    expect(meanings[check]).toContain(advice);
    if (check === "create") expect(api.requests).toHaveLength(1);
    expect(api.left).toEqual([]);
  });
});
