import { describe, expect, it } from "vitest";
import { Api, KEY } from "./api.js";
import { diagnose, runWithoutTerminal } from "./run-doctor.js";

describe.concurrent("the checks of an API that the package cannot work with", () => {
  const enabled = JSON.stringify('{"data":{"webhook":{"id":3,"enabled":"true"}}}');
  const noRecord = /update of all fields\? 200 OK from POST .*, but the reply has no usable id/;

  it.for<[string, fault: string, string | RegExp]>([
    ["a webhook is created enabled", `create: reply raw=${enabled}`, "the reply says that it is enabled"],
    ["the reply to an update has no record", 'update: reply raw={"success":"true"}, always', noRecord],
  ])("report that %s", async ([, rule, problem]) => {
    await using api = await Api.start();
    api.simulator.inject(rule);
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(api.left).toEqual([]);
  });

  it("report that nothing listens at the URL of the API", async () => {
    // Not a port that was free a moment ago: another process may get it.
    const url = "http://127.0.0.1:1";
    const { code, out } = await runWithoutTerminal({ WEBHOOKS_BASE_URL: url, WEBHOOKS_API_KEY: KEY });
    expect(code).toBe(1);
    expect(out).toMatch(/^○ Does the API accept a create\?/);
    expect(out).toContain(`The API at ${url} could not be checked.`);
    expect(out).toContain("refused the connection");
    expect(out).toContain("Check WEBHOOKS_BASE_URL and the network.");
  });

  it.for([
    ["status 401", "failed", "The API key was refused. Set the right one: WEBHOOKS_API_KEY."],
    ["redirect to=https://other.example/v2", "failed", "The API redirects to other.example"],
    ["status 404 body=<p>", "failed", "Check that WEBHOOKS_BASE_URL, http://127.0.0.1:"],
    ['status 422 body={"message":"Full."}', "bad", "Full."],
  ] as const)("advise what to do if the reply to a create is %s", async ([fault, level, advice]) => {
    await using api = await Api.start();
    api.simulator.inject(`create: ${fault}`);
    const { code, problems, levels } = await diagnose(api);
    expect(code).toBe(1);
    expect(levels.create).toBe(level);
    expect(problems).toEqual([expect.stringContaining(advice)]);
    expect(api.requests).toHaveLength(1);
    expect(api.left).toEqual([]);
  });
});
