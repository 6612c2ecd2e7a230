import { describe, expect, it } from "vitest";
import type { StoredWebhook } from "../../../simulator/src/index.js";
import { formatReport } from "../../../src/commands/doctor/doctor-report.js";
import { Api, KEY } from "./checked-api.js";
import { createInterrupted, diagnose, shownName } from "./run-doctor.js";

describe.concurrent("the doctor", () => {
  it("creates a disabled webhook with a random secret and a clear name, and touches no others", async () => {
    await using api = await Api.start();
    await diagnose(api);
    const updates = Array(6).fill("update -> 200");
    expect(api.requests).toEqual(["create -> 201", ...updates, "delete -> 200", "update -> 404"]);
    expect(api.simulator.calls[0]?.body).toEqual({
      url: expect.stringMatching(/^https:\/\/example.com\/pulumi-webhooks-doctor\/[0-9a-f]{6}$/),
      name: expect.stringMatching(/^webhooks doctor [0-9a-f]{6} \(safe to delete\)$/),
      secret: "[secret]",
      enabled: "false",
    });
    expect([...api.secrets]).toEqual([expect.stringMatching(/^[\w-]{32}$/)]);
    expect(api.left).toEqual([]);
  });

  it.for([
    ["an update gets a 500", "update: status 500"],
    ["no probe gets a reply", "update: reset after commit, always, after 2"],
    ["a delete takes effect and its connection breaks", "delete: reset after commit, 2 times"],
    ["the reply to a delete has no message", "delete: reply raw={}, 2 times"],
  ] as const)("deletes its webhook if %s", async ([, fault]) => {
    await using api = await Api.start();
    api.simulator.inject(fault);
    const { code, leftover, err } = await diagnose(api);
    expect({ code, leftover }).toEqual({ code: 0 });
    expect(err).toMatch(/ from POST \/webhooks.*\. Retrying in \d/);
    expect(api.left).toEqual([]);
  });

  const forbidden = `status 403 body=${JSON.stringify(`{"message":"Bearer ${KEY} may not."}`)}, always`;
  const FAULT = "A fault requested this";
  const deleted = `status 200 body=${JSON.stringify('{"message":"deleted"}')}`;

  it.for([
    ["refuses a delete", forbidden, "403 Forbidden from POST /webhooks/delete, Bearer … may not"],
    ["no delete knows it", "status 404, always", `404 Not Found from POST /webhooks/delete, ${FAULT}`],
    ["knows it after its delete", deleted, "the API confirmed its delete, and still returns it"],
  ] as const)("warns of its webhook, disabled again, if the API %s", async ([, fault, reason]) => {
    await using api = await Api.start();
    api.simulator.inject(`delete: ${fault}`);
    const { code, leftover, commands } = await diagnose(api, { WEBHOOKS_DEADLINE_SECONDS: "5" });
    expect({ code, commands }).toEqual({ code: 1, commands: [] });
    const named = `Webhook 3, named "${shownName(api)}"`;
    expect(leftover).toBe(`✗ ${named}, could not be deleted: ${reason}. Delete it in the dashboard.`);
    expect(api.left).toMatchObject([{ enabled: false }]);
  });

  it.for([
    ["no response", "hang after commit", "no complete response within 0.2 s", "0.2"],
    ["a reset", "reset after commit", "no response from POST"],
    ["a 500", "status 500 after commit", "500 Internal Server Error"],
    ["a reply without an id", "reply raw={}", "the reply has no usable id"],
  ] as const)("warns of a webhook whose create got %s, and sends nothing more", async (row) => {
    const [, fault, reason, seconds = "30"] = row;
    await using api = await Api.start();
    api.simulator.inject(`create: ${fault}`);
    const { code, leftover } = await diagnose(api, { WEBHOOKS_TIMEOUT_SECONDS: seconds });
    expect(code).toBe(1);
    expect(leftover).toContain(`✗ A webhook named "${shownName(api)}" may be left at the API: `);
    expect(leftover).toMatch(new RegExp(`${reason}.*Look for it in the dashboard`));
    expect(api.requests).toHaveLength(1);
  });

  it("ends at once if it is interrupted and the reply to its create asks to wait", async () => {
    await using api = await Api.start();
    const run = createInterrupted("create", api);
    api.simulator.inject("create: status 429 retryAfter=100");
    await run.run();
    expect(run.leftover).toBe(undefined);
    expect(api.requests).toEqual(["create -> 429"]);
  });

  it.for(["create", "update"] as const)("deletes its webhook if interrupted in a %s", async (operation) => {
    await using api = await Api.start({ findableAfterSeconds: 1 });
    const run = createInterrupted(operation, api);
    await run.run();
    expect(run.leftover).toBe(undefined);
    expect(api.left).toEqual([]);
    expect(api.requests.filter((request) => request.startsWith("create"))).toEqual(["create -> 201"]);
    const text = expect.not.stringContaining("There are problems with the API");
    expect(formatReport(run, {}, process.stdout)).toMatchObject({ code: 1, text });
  });

  it("shows what the API echoes without the key and the secret, with --verbose each request and its reply", async () => {
    await using api = await Api.start();
    const echo = ({ secret }: StoredWebhook) => ({ message: `Bearer ${KEY} ${secret}` });
    api.replyTo({ operation: "update", times: 9 }, echo);
    const { code, answers, err } = await diagnose(api, {}, { verbose: true });
    expect(code).toBe(1);
    expect(answers.update).toMatch(/^200 OK from POST \/webhooks\/update, but .*, Bearer (… ?)*$/);
    expect(err).toContain("> POST /webhooks\n> authorization: Bearer [secret]\n> content-type: ");
    expect(err).toMatch(/> \{"url":"https:.*"secret":"\[secret\]","enabled":"false"\}\n< 201 Created\n/);
    expect(err).toContain('< {"message":"Bearer [secret] [secret]"}\n');
  });

  it("shows a reply without an id with --verbose, and what is wrong with it", async () => {
    await using api = await Api.start();
    api.simulator.inject('create: reply raw={"ok":false,"why":"Plan X-7"}');
    const { err } = await diagnose(api, {}, { verbose: true });
    expect(err).toContain('< {"ok":false,"why":"Plan X-7"}\n< (the reply has no usable id)\n');
  });
});
