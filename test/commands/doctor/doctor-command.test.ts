import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runDoctor } from "../../../src/commands/doctor/doctor-command.js";
import { Api } from "./checked-api.js";
import { runWithoutTerminal, Sink } from "./run-doctor.js";

describe.concurrent("the doctor command", () => {
  it("sends nothing without --yes and without a terminal", async () => {
    await using api = await Api.start();
    const { code, out, err } = await runWithoutTerminal(api.environment(), {});
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("without a terminal it cannot ask for confirmation. To confirm, add --yes.");
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
    const [stdout, stderr] = [new Sink(), Object.assign(new Sink(), { isTTY: true })];
    stdin.end(answer);
    const code = await runDoctor({}, { env: api.environment(), stdin, stdout, stderr });
    expect(code).toBe(expected);
    expect(stderr.text).toContain(`at this API, and deletes it:\n  ${api.simulator.url}\n`);
    expect(stderr.text).toContain(
      "It stays disabled, except for a moment, when its URL is one that cannot exist.",
    );
    const [prompt = ""] = stderr.text.split("[y/N]");
    for (const line of prompt.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(api.requests.length > 0).toBe(expected === 0);
    expect(api.left).toEqual([]);
  });

  it("names every missing setting", async () => {
    const { code, out, err } = await runWithoutTerminal({});
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("error: WEBHOOKS_API_KEY is missing. Set the environment variable, or add --stack");
    expect(err).toContain("error: WEBHOOKS_BASE_URL is missing.");
  });
});
