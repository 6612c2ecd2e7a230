import { describe, expect, it } from "vitest";
import { Api } from "./checked-api.js";
import { runWithoutTerminal } from "./run-doctor.js";

describe.concurrent("the report", () => {
  it("lists each problem once", async () => {
    await using api = await Api.start();
    const { out, err } = await runWithoutTerminal(api.environment({ WEBHOOKS_API_KEY: "other-key" }));
    expect(
      out,
    ).toBe(`✗ Does a create return the id of the webhook? 401 Unauthorized from POST /webhooks, The API key is missing or wrong
  The API key was refused. Set the right one: WEBHOOKS_API_KEY.

✗ There are problems with the API at ${api.simulator.url}.
  The doctor left no webhook behind.
`);
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
    api.replyTo({ operation: "update", times: 9 }, ({ id, name, enabled }) => ({
      data: { webhook: { id, name, enabled: `\u009b2J\u202e${enabled}` } },
    }));
    const { out, err } = await runWithoutTerminal(api.environment());
    expect(out).toContain("yes, but enabled is");
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
