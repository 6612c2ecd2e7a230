import { describe, expect, it } from "vitest";
import { Api } from "./checked-api.js";
import { runWithoutTerminal } from "./run-doctor.js";

describe.concurrent("the report", () => {
  it("lists each problem once", async () => {
    await using api = await Api.start();
    const { out, err } = await runWithoutTerminal(api.environment({ WEBHOOKS_API_KEY: "other-key" }));
    expect(out).toMatch(/^✗ Does the API accept a create\? 401 Unauthorized,/);
    expect(out).not.toContain("not checked");
    expect(out).toContain("\n? 10 other checks could not be done.\n");
    const verdict = `✗ There are problems with the API at ${api.simulator.url}.\n  The doctor left no webhook behind.\n`;
    expect(out.endsWith(`\n\n${verdict}`)).toBe(true);
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
