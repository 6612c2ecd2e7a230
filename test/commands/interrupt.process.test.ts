import { globSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { exported, webhook } from "../stack/exported.js";
import { startCommand } from "./built-command.js";
import { Api, isEmptyUpdate } from "./doctor/checked-api.js";
import { FakePulumi } from "./fake-pulumi.js";

describe.concurrent("an interrupted doctor", () => {
  it.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)("deletes its webhook on %s", async (signal) => {
    await using api = await Api.start();
    api.simulator.inject({ match: isEmptyUpdate, fault: { kind: "hang", commit: true } });
    // What was sent is waited for, until its time-out.
    const environment = api.environment({ WEBHOOKS_TIMEOUT_SECONDS: "3" });
    const { child, ended } = startCommand(["doctor", "--yes"], environment);
    await api.injected(1);
    child.kill(signal);
    const { code, out, err } = await ended;
    expect(code).toBe(1);
    expect(err).toContain("Interrupted. Cleaning up; press Ctrl-C again to quit now.");
    expect(out).toContain("✗ The run was interrupted before all checks were done.");
    expect(out).toContain("The doctor left no webhook behind.");
    expect(out).not.toContain("pulumi config set");
    api.expectNoSecretIn(out + err);
    expect(api.left).toEqual([]);
    expect(api.requests.at(-1)).toBe("delete -> 200");
  });

  it("quits on a second Ctrl-C, but not on one that npx forwards, and warns of the webhook that is left", async () => {
    await using api = await Api.start();
    api.simulator.inject({ operation: "delete", fault: { kind: "hang", commit: false } });
    const { child, ended, printed } = startCommand(["doctor", "--yes"], api.environment());
    await api.injected(1);
    // Within a second, two count as one.
    for (const signal of ["SIGINT", "SIGTERM"] as const) child.kill(signal);
    await printed("Interrupted.");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(child.exitCode).toBe(null);
    child.kill("SIGINT");
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^Webhook 3, named .*: the run ended before its delete was confirmed\./m);
    expect(api.left).toHaveLength(1);
  });
});

describe.concurrent("an interrupted drift", () => {
  it.for(["SIGINT", "SIGTERM"] as const)(
    "shows its progress, ends the engine on %s, and removes its findings",
    async (signal) => {
      using pulumi = new FakePulumi();
      pulumi.write("stack.json", exported([webhook("orders")]));
      using drift = pulumi.start(["drift", "--json", "-s", "dev"]);
      const temporary = join(pulumi.folder, "tmp");
      const find = () =>
        globSync(join(temporary, "*/*")).find((path) => statSync(path).size > 0) ?? expect.fail();
      const file = await vi.waitFor(find, { timeout: 120_000 });
      expect([file, dirname(file)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
      await drift.printed("0 of 1 webhooks read so far …");
      drift.child.kill(signal);
      const { code, out, err } = await drift.ended;
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("error: The comparison was interrupted.");
      expect(pulumi.read("signal.txt")).toBe("SIGTERM");
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
