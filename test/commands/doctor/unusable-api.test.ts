import { describe, expect, it } from "vitest";
import { Api } from "./checked-api.js";
import { diagnose } from "./run-doctor.js";

describe.concurrent("the checks of an API that the package cannot work with", () => {
  it("report that the reply to an update has no record", async () => {
    await using api = await Api.start();
    api.simulator.inject('update: reply raw={"success":"true"}, always');
    const { code, bad, answers } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["update"] });
    expect(answers.update).toMatch(/^200 OK from POST .*, but the reply has no usable id/);
    expect(api.left).toEqual([]);
  });

  it("report that a webhook is always enabled", async () => {
    await using api = await Api.start();
    for (const operation of ["create", "update"] as const)
      api.replyTo({ operation, times: 9 }, ({ id, name }) => ({
        data: { webhook: { id: Number(id), name, enabled: "true" } },
      }));
    const { code, bad, meanings } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["create"] });
    expect(meanings.create).toContain("says that it is enabled");
    expect(api.left).toEqual([]);
  });

  it.for([
    ["status 401", "The API key was refused. Set the right one: WEBHOOKS_API_KEY."],
    [
      'status 307 headers={"location":"https://other.example/v2"}',
      "The API redirects, and redirects are not followed.",
    ],
    ["status 404 body=<p>", "Check that WEBHOOKS_BASE_URL, http://127.0.0.1:"],
    [
      'status 422 body={"message":"Full."}',
      "Correct what its message or the dashboard reports. If the API asks a receiver before it accepts",
    ],
  ] as const)("advise what to do if the reply to a create is %s", async ([fault, advice]) => {
    await using api = await Api.start();
    api.simulator.inject(`create: ${fault}`);
    const { code, bad, meanings } = await diagnose(api);
    expect({ code, bad }).toEqual({ code: 1, bad: ["create"] });
    expect(meanings.create).toContain(advice);
    expect(api.requests).toHaveLength(1);
    expect(api.left).toEqual([]);
  });
});
