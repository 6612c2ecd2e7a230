import { describe, expect, it } from "vitest";
import { formatReport } from "../../../src/commands/doctor/doctor-report.js";
import { Api, KEY } from "./checked-api.js";
import { createRun, diagnose, shownName } from "./run-doctor.js";

const ALWAYS = Number.POSITIVE_INFINITY;

describe.concurrent("the doctor", () => {
  it("creates a disabled webhook with a random secret and a clear name, and touches no others", async () => {
    await using api = await Api.start();
    await diagnose(api);
    const [create, update, deleted] = ["create -> 201", "update -> 200", "delete -> 200"];
    const afterwards = ["update -> 404", "delete -> 404", "update with a wrong key -> 401"];
    const updates = Array(6).fill(update);
    expect(api.requests).toEqual([create, ...updates, deleted, ...afterwards]);
    expect(api.simulator.calls[0]?.body).toEqual({
      url: expect.stringMatching(/^https:\/\/example.com\/pulumi-webhooks-doctor\/[0-9a-f]{6}$/),
      name: expect.stringMatching(/^webhooks doctor [0-9a-f]{6} \(safe to delete\)$/),
      secret: "[secret]",
      enabled: "false",
    });
    expect([...api.secrets]).toEqual([expect.stringMatching(/^[\w-]{32}$/)]);
    expect(api.left).toEqual([]);
  });

  it.for<[string, fault: string, update?: string | undefined, probe?: string]>([
    ["an update gets a 500", "update: status 500"],
    ["no probe gets a reply", "update: reset after commit, always, after 2", undefined, "no response from"],
    ["a delete takes effect and its connection breaks", "delete: reset after commit, 2 times"],
    ["the reply to a delete has no message", "delete: reply raw={}, 2 times"],
    ["no update succeeds", "update: status 500, always", "500 Internal Server Error"],
    ["updates must pause beyond the deadline", "update: status 429 retryAfter=9999, after 1", "429 Too Many"],
  ])("deletes its webhook, and reports only what is a problem, if %s", async ([, fault, update, probe]) => {
    await using api = await Api.start();
    api.simulator.inject(fault);
    const { code, bad, leftover, answers, err } = await diagnose(api);
    if (fault.includes("500"))
      expect(err).toContain("500 Internal Server Error from POST /webhooks/update. Retrying in ");
    expect({ code, leftover }).toEqual({ code: update === undefined ? 0 : 1 });
    expect(bad).toEqual(update === undefined ? [] : ["update"]);
    if (update !== undefined) expect(answers.update).toContain(update);
    if (probe !== undefined) expect(answers.omittedFields).toContain(probe);
    expect(api.left).toEqual([]);
  });

  it("warns of a webhook that it could not delete, with id and name, and of probes of such an API", async () => {
    await using api = await Api.start();
    const body = `{"message":"Bearer ${KEY} may not"}`;
    const fault = { kind: "status", status: 403, body } as const;
    api.simulator.inject({ operation: "delete", times: ALWAYS, fault });
    const { code, leftover, commands } = await diagnose(api, { WEBHOOKS_DRIFT: "probe" });
    expect(code).toBe(1);
    expect(leftover).toBe(
      `✗ Webhook 3, named "${shownName(api)}", could not be deleted: 403 Forbidden, Bearer … may not. Delete it in the dashboard.`,
    );
    expect(commands).toEqual(["pulumi config set webhooks:drift off --stack <name>"]);
  });

  it("warns of a webhook if the API never knows it at a delete", async () => {
    await using api = await Api.start();
    api.simulator.inject("delete: status 404, always");
    const { code, leftover, commands } = await diagnose(api, { WEBHOOKS_DEADLINE_SECONDS: "5" });
    expect({ code, commands }).toEqual({ code: 1, commands: [] });
    expect(leftover).toMatch(/^✗ Webhook 3, .* could not be deleted: 404 Not Found/);
    expect(api.requests.at(-1)).toBe("delete -> 404");
    expect(api.left).toHaveLength(1);
  });

  it("warns of a webhook that exists after its delete was confirmed", async () => {
    await using api = await Api.start();
    api.simulator.inject(`delete: status 200 body=${JSON.stringify('{"message":"deleted"}')}`);
    const { code, leftover, answers } = await diagnose(api);
    expect(code).toBe(1);
    expect(leftover).toMatch(/^✗ Webhook 3, .* still returns it/);
    expect(answers).not.toHaveProperty("wrongKey");
  });

  it.for<[string, fault: string, RegExp, string?]>([
    ["no response", "hang after commit", /no complete response within 0.2 s/, "0.2"],
    ["a reset", "reset after commit", /no response from POST/],
    ["a 500", "status 500 after commit", /500 Internal Server Error/],
    ["a reply without an id", "reply raw={}", /201 Created .* has no usable id/],
  ])("warns of a webhook whose create got %s, and sends nothing more", async ([, fault, reason, seconds]) => {
    await using api = await Api.start();
    api.simulator.inject(`create: ${fault}`);
    const environment = seconds === undefined ? {} : { WEBHOOKS_TIMEOUT_SECONDS: seconds };
    const { code, leftover } = await diagnose(api, environment);
    expect(code).toBe(1);
    expect(leftover).toMatch(reason);
    expect(leftover).toContain(`✗ A webhook named "${shownName(api)}" may be left at the API: `);
    expect(leftover).toContain("Look for it in the dashboard");
    expect(api.requests).toHaveLength(1);
  });

  it("ends at once if it is interrupted and the reply to its create asks to wait", async () => {
    await using api = await Api.start();
    const controller = new AbortController();
    const fault = { kind: "status", status: 429, retryAfter: "100" } as const;
    const match = () => {
      controller.abort();
      return true;
    };
    api.simulator.inject({ match, fault });
    const run = createRun(api, controller.signal);
    await run.run();
    expect(api.requests).toEqual(["create -> 429"]);
    expect(run.leftover).toBe(undefined);
  });

  it("deletes its webhook if it is interrupted before the API finds it", async () => {
    await using api = await Api.start({ findableAfterSeconds: 1000 });
    const controller = new AbortController();
    const match = () => {
      if (controller.signal.aborted) api.simulator.behavior.findableAfterSeconds = 0;
      controller.abort();
      return false;
    };
    api.simulator.inject({
      match: (call) => call.operation !== "create" && match(),
      fault: { kind: "close" },
    });
    const run = createRun(api, controller.signal);
    await run.run();
    expect(run.leftover).toBe(undefined);
    expect(api.left).toEqual([]);
    expect(formatReport(run, {}, process.stdout)).toMatchObject({
      code: 1,
      text: expect.not.stringContaining("There are problems with the API"),
    });
  });

  it("shows neither the key nor the secret if the API echoes them", async () => {
    await using api = await Api.start();
    const fault = {
      kind: "status" as const,
      status: 422,
      get body() {
        return JSON.stringify({ message: `Bearer ${KEY} ${[...api.secrets]}`, again: JSON.stringify(KEY) });
      },
    };
    api.simulator.inject({ operation: "update", times: ALWAYS, fault });
    const { code, answers } = await diagnose(api, { WEBHOOKS_DEADLINE_SECONDS: "2" });
    expect(code).toBe(1);
    expect(answers.update).toContain("422 Unprocessable Entity, Bearer …");
  });
});
