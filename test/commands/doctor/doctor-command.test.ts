import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runDoctor } from "../../../src/commands/doctor/doctor-command.js";
import { Api } from "./checked-api.js";
import { runWithoutTerminal, writtenTo } from "./run-doctor.js";

describe.concurrent("the doctor command", () => {
  it.for([
    ["--yes, a terminal", {}, ["without a terminal it cannot ask for confirmation. To confirm, add --yes."]],
    ["settings", { yes: true }, ["WEBHOOKS_API_KEY is missing. Set the", "WEBHOOKS_BASE_URL is missing."]],
  ] as const)("names what is wrong, and sends nothing, without %s", async ([, flags, problems]) => {
    await using api = await Api.start();
    const { code, out, err } = await runWithoutTerminal("yes" in flags ? {} : api.environment(), flags);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    for (const problem of problems) expect(err).toMatch(new RegExp(`^error: .*${problem}`, "m"));
    expect(api.requests).toEqual([]);
  });

  it.for([
    ["y\n", 0],
    ["no\n", 1],
    ["\n", 1],
    ["", 1],
  ] as const)("asks for confirmation at a terminal, and obeys the answer %j", async ([answer, expected]) => {
    await using api = await Api.start();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(answer);
    const code = await runDoctor({}, { env: api.environment(), stdin, stdout: new PassThrough(), stderr });
    expect(code).toBe(expected);
    const [prompt = ""] = writtenTo(stderr).split("[y/N]");
    expect(prompt).toContain(`at this API, and deletes it:\n  ${api.simulator.url}\n`);
    expect(prompt).toContain("except for a moment, when its URL is one that cannot exist.");
    for (const line of prompt.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(api.requests.length > 0).toBe(expected === 0);
    expect(api.left).toEqual([]);
  });

  it("lists each problem once", async () => {
    await using api = await Api.start();
    const { out, err } = await runWithoutTerminal(api.environment({ WEBHOOKS_API_KEY: "other-key" }));
    const report = `✗ Does a create return the id of the webhook? 401 Unauthorized from POST /webhooks, The API key is missing or wrong
  The API key was refused. Set the right one: WEBHOOKS_API_KEY.

✗ There are problems with the API at ${api.simulator.url}.
  The doctor left no webhook behind.
`;
    expect(out).toBe(report);
    expect(err).toMatch(/^· Creating a throwaway webhook, disabled\.\n/);
  });

  it("says how many replies were failures, and recommends nothing that is set", async () => {
    await using api = await Api.start({ emptyUpdate: "leaves updated_at" });
    api.simulator.inject("update: status 502, 2 times");
    const { out } = await runWithoutTerminal(api.environment({ WEBHOOKS_DRIFT: "probe" }));
    expect(out).toContain("! 2 of 11 replies were 502.\n  A create that gets one is unresolved.");
    expect(out).toMatch(/\n\nThe settings are as recommended\.\n$/);
  });

  it("contains nothing that controls the terminal, whatever the API replies", async () => {
    await using api = await Api.start();
    const body = JSON.stringify({ message: "The url\u009b2J\u202e is wrong." });
    api.simulator.inject({ operation: "update", times: 9, fault: { kind: "status", status: 422, body } });
    const { out, err } = await runWithoutTerminal(api.environment(), { yes: true, verbose: true });
    expect(out).toContain("from POST /webhooks/update, The url");
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
