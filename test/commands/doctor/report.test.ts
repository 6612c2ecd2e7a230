import { describe, expect, it } from "vitest";
import { Api } from "./api.js";
import { runWithoutTerminal } from "./run-doctor.js";

const longestLine = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe.concurrent("the report", () => {
  it.for([60, 132])("fits into a terminal of %i columns, and lists each problem once", async (columns) => {
    await using api = await Api.start();
    const env = api.environment({ WEBHOOKS_API_KEY: "other-key" });
    const { out, err } = await runWithoutTerminal(env, { yes: true, columns });
    expect(out).toMatch(/^○ Does the API accept a create\? 401 Unauthorized,\s/);
    expect(out).not.toContain("not checked");
    expect(out).toContain("\n○ 10 other checks could not be done.\n");
    const verdict = `The API at ${api.simulator.url} could not be checked.\nThe doctor left no webhook behind.\n`;
    expect(out.endsWith(`\n\n${verdict}`)).toBe(true);
    expect(longestLine(out)).toBeLessThanOrEqual(columns);
    expect(err).toMatch(/^· Creating a throwaway webhook, disabled\.\n/);
  });

  it("contains nothing that controls the terminal, whatever the API replies", async () => {
    await using api = await Api.start();
    const hostile = "\u009b2J\u202eother";
    const raw = JSON.stringify({ data: { webhook: { id: 4, name: hostile } } });
    api.simulator.inject({ operation: "update", fault: { kind: "reply", raw } });
    const { out, err } = await runWithoutTerminal(api.environment());
    expect(out).toContain("returned webhook 4");
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
