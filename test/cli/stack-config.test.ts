import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Api, KEY } from "../doctor/api.js";
import { DRIFT_PROBE, runWithoutTerminal } from "../doctor/run-doctor.js";

// test/engine/doctor.slow.test.ts runs the real CLI. Here a script prints what it may print besides.
describe.concurrent("the config of a stack", () => {
  async function runWithPulumi(api: Api, script: string, more: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));
    try {
      writeFileSync(join(folder, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const { WEBHOOKS_BASE_URL: _, ...env } = api.environment({ ...more, PATH: folder });
      const result = await runWithoutTerminal(env, { yes: true, stack: "dev" });
      api.expectNoSecretIn(result.out + result.err);
      return result;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const print = (config: unknown) => `echo '${JSON.stringify(config)}'`;

  it("comes before the environment, and the recommended commands name the stack", async () => {
    await using api = await Api.start();
    const config = {
      "webhooks:baseUrl": { value: api.simulator.url, secret: false },
      "webhooks:timeoutSeconds": { value: "5" },
      "other:thing": { value: '{"a":1}', objectValue: { a: 1 }, secret: false },
      "other:secret": { secret: true },
    };
    const { code, out } = await runWithPulumi(api, print(config), { WEBHOOKS_TIMEOUT_SECONDS: "soon" });
    expect(code).toBe(0);
    expect(out).toContain(`${DRIFT_PROBE} --stack dev\n`);
  });

  it.for([
    [
      "contains the key in plain text",
      print({ "webhooks:apiKey": { value: KEY, secret: false } }),
      "plain text",
    ],
    ["is not JSON", `echo 'Config: ${KEY}'`, "the output of pulumi config is not a config"],
    ["is other JSON", print({ "webhooks:apiKey": KEY }), "the output of pulumi config is not a config"],
    [
      "cannot be read",
      `echo '${KEY}'; echo 'error: locked' >&2; exit 1`,
      "Reading the config of stack dev failed: error: locked",
    ],
    [
      "cannot be read, for no reason",
      "exit 255",
      "Reading the config of stack dev failed: it printed no reason.",
    ],
  ] as const)("is not used if it %s", async ([, script, message]) => {
    await using api = await Api.start();
    const { code, out, err } = await runWithPulumi(api, script);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(api.requests).toEqual([]);
  });

  it("cannot be read without the Pulumi CLI", async () => {
    const { code, err } = await runWithoutTerminal({ PATH: "" }, { yes: true, stack: "dev" });
    expect(code).toBe(2);
    expect(err).toContain("Reading the config of stack dev failed. There is no pulumi on the PATH.");
  });
});
