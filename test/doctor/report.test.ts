import { describe, expect, it } from "vitest";
import { Api } from "./api.js";
import { DRIFT_PROBE, runWithoutTerminal } from "./run-doctor.js";

const longestLine = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe.concurrent("the report", { timeout: 20_000 }, () => {
  it("lists the checks with what they mean, a verdict and the recommended commands", async () => {
    await using api = await Api.start();
    const { code, out, err } = await runWithoutTerminal(api.environment());
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ Does the API accept a create\? 201 Created\n {2}Webhooks can be created\.\n/);
    expect(out).toMatch(
      /^✓ Where is the id in the reply to a create\? data\.webhook\.id, a number\n {2}This package finds/m,
    );
    expect(out).toMatch(
      /^! Does an empty update change updated_at\? yes\n {2}A probe cannot detect a changed/m,
    );
    expect(out).toContain(
      `pulumi-webhooks works with the API at ${api.simulator.url}.\nThe doctor left no webhook behind.\n`,
    );
    expect(out).toMatch(new RegExp(`\n {2}${DRIFT_PROBE}\n$`));
    expect(longestLine(out)).toBeLessThanOrEqual(120);
    expect(err).toMatch(/^· Creating a throwaway webhook, disabled\.\n/);
  });

  it.for([60, 132])(
    "fits into a terminal of %i columns, and shows only what was checked",
    async (columns) => {
      await using api = await Api.start();
      const env = api.environment({ WEBHOOKS_API_KEY: "other-key" });
      const { out } = await runWithoutTerminal(env, { yes: true, columns });
      expect(out).toMatch(/^✗ Does the API accept a create\? 401 Unauthorized,\s/);
      expect(out).not.toContain("not checked");
      expect(out).toContain(`There are problems with the API at ${api.simulator.url}:\n`);
      expect(longestLine(out)).toBeLessThanOrEqual(columns);
    },
  );
});
