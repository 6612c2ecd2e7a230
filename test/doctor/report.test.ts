import { describe, expect, it } from "vitest";
import { Api } from "./api.js";
import { DRIFT_ENFORCE, runWithoutTerminal } from "./run-doctor.js";

const longestLine = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe.concurrent("the report", { timeout: 20_000 }, () => {
  it("lists the checks with what they mean, a verdict and the recommended commands", async () => {
    await using api = await Api.start({ emptyUpdate: "sets updated_at" });
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
    expect(out).toMatch(new RegExp(`\n {2}${DRIFT_ENFORCE}\n$`));
    expect(longestLine(out)).toBeLessThanOrEqual(120);
    expect(err).toMatch(/^· Creating a throwaway webhook, disabled\.\n/);
  });

  it.for([60, 132])("fits into a terminal of %i columns, and lists what was not checked", async (columns) => {
    await using api = await Api.start();
    const env = api.environment({ WEBHOOKS_API_KEY: "other-key" });
    const { out } = await runWithoutTerminal(env, { yes: true, columns });
    expect(out).toMatch(/^○ Does the API accept a create\? 401 Unauthorized,\s/);
    expect(out).not.toContain("not checked");
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "○ Not checked: Where is the id in the reply to a create? Does the reply to a create contain",
    );
    expect(out).toContain(`The API at ${api.simulator.url} could not be checked:\n`);
    expect(longestLine(out)).toBeLessThanOrEqual(columns);
  });

  it("keeps the sign of an API that the package cannot work with", async () => {
    await using api = await Api.start({ idPlace: "none" });
    const { out } = await runWithoutTerminal(api.environment());
    expect(out).toMatch(/^✗ Where is the id in the reply to a create\? there is no usable id/m);
    expect(out).toContain(`There are problems with the API at ${api.simulator.url}:\n`);
  });

  it("contains nothing that controls the terminal, whatever the API replies", async () => {
    await using api = await Api.start();
    const hostile = "\u009b2J\u202eother";
    api.replyTo({ operation: "create" }, ({ id, name }) => ({ id: Number(id), name, enabled: hostile }));
    const raw = JSON.stringify({ data: { webhook: { id: 4, name: hostile } } });
    api.simulator.inject({ operation: "update", fault: { kind: "reply", raw } });
    const { out, err } = await runWithoutTerminal(api.environment());
    expect(out).toContain("returned webhook 4");
    expect(out).toContain("How do replies write enabled?");
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
