import { describe, expect, it } from "vitest";
import { Api, KEY } from "./api.js";
import { diagnose, runWithoutTerminal } from "./run-doctor.js";

describe.concurrent("the checks of an API that the package cannot work with", { timeout: 20_000 }, () => {
  it("report that an API enables what was created disabled", async () => {
    await using api = await Api.start();
    api.replyTo({ operation: "create", times: 1 }, ({ name }) => ({
      data: { webhook: { id: 3, name, enabled: "true" } },
    }));
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([expect.stringContaining("the reply says that it is enabled")]);
    expect(api.left).toEqual([]);
  });

  it("report that the API does not know the id that it returned for the create", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "update", skip: 2, fault: { kind: "status", status: 404 } });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringContaining("does not know the id that its reply to the create contained"),
    ]);
    expect(api.left).toEqual([]);
  });

  it("report that the reply to an update is not the documented record", async () => {
    await using api = await Api.start();
    const fault = { kind: "reply", raw: '{"success":true}' } as const;
    api.simulator.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
    const { code, problems } = await diagnose(api);
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(/update of all fields\? 200 OK from POST .*, but the reply has no usable id/),
    ]);
    expect(api.left).toEqual([]);
  });

  it("report that nothing listens at the URL of the API", async () => {
    // Not a port that was free a moment ago: another process may get it.
    const port = 1;
    const { code, out } = await runWithoutTerminal({
      WEBHOOKS_BASE_URL: `http://127.0.0.1:${port}`,
      WEBHOOKS_API_KEY: KEY,
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^○ Does the API accept a create\?/);
    expect(out).toContain(`The API at http://127.0.0.1:${port} could not be checked.`);
    expect(out).toContain("refused the connection");
    expect(out).toContain("Check WEBHOOKS_BASE_URL and the network.");
  });

  it("report a refused key, and nothing more is sent", async () => {
    await using api = await Api.start();
    const { code, problems, levels } = await diagnose(api, { WEBHOOKS_API_KEY: "other-key" });
    expect(code).toBe(1);
    expect(levels.create).toBe("failed");
    expect(problems).toEqual([
      expect.stringMatching(
        /401 Unauthorized.*The API key was refused\. Set the right one: WEBHOOKS_API_KEY\.$/,
      ),
    ]);
    expect(api.requests).toEqual(["create with a wrong key -> 401"]);
  });

  it.for([
    [{ kind: "status", status: 403 }, "failed", "The API key lacks the permission"],
    [
      { kind: "redirect", to: "https://elsewhere.example/v2" },
      "failed",
      "The API redirects to elsewhere.example",
    ],
    [
      { kind: "status", status: 404, body: "<p>nothing here</p>" },
      "failed",
      "Check that WEBHOOKS_BASE_URL, http://127.0.0.1:",
    ],
    [{ kind: "status", status: 422, body: '{"message":"No more webhooks."}' }, "bad", "No more webhooks."],
    [{ kind: "status", status: 429, retryAfter: "9999" }, "failed", "The API's rate limit is exhausted"],
    [{ kind: "status", status: 500 }, "failed", "The API is temporarily unavailable"],
  ] as const)("advise what to do if the reply to a create is %j", async ([fault, level, advice]) => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "create", fault });
    const { code, problems, levels } = await diagnose(api);
    expect(code).toBe(1);
    expect(levels.create).toBe(level);
    expect(problems[0]).toContain(advice);
    expect(api.left).toEqual([]);
  });
});
