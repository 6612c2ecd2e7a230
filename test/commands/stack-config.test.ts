import { describe, expect, it } from "vitest";
import { Api, KEY } from "./doctor/checked-api.js";
import { DRIFT_PROBE, runWithoutTerminal } from "./doctor/run-doctor.js";
import { FakePulumi } from "./fake-pulumi.js";

// test/e2e/drift.slow.test.ts runs the real CLI. Here a script prints what it may print besides.
describe.concurrent("the config of a stack", () => {
  async function runWithPulumi(api: Api, script: string, more: Record<string, string> = {}, flags = {}) {
    using pulumi = new FakePulumi(`#!/bin/sh\n${script}\n`);
    const { WEBHOOKS_BASE_URL: _, ...env } = api.environment({ ...more, ...pulumi.environment });
    const result = await runWithoutTerminal(env, { yes: true, stack: "dev", ...flags });
    api.expectNoSecretIn(result.out + result.err);
    return result;
  }
  const print = (config: unknown) => `echo '${JSON.stringify(config)}'`;

  it("is read with the config file that the command names, comes before the environment, and is named by recommended commands", async () => {
    await using api = await Api.start();
    const own = {
      "webhooks:baseUrl": { value: api.simulator.url },
      "webhooks:timeoutSeconds": { value: "5" },
    };
    const other = { value: '{"a":1}', objectValue: { a: 1 }, secret: false };
    const config = print({ ...own, "other:thing": other, "other:secret": { secret: true } });
    const script = `case "$*" in *"--config-file=ci/pr.yaml"*) ${config};; *) exit 1;; esac`;
    const environment = { WEBHOOKS_TIMEOUT_SECONDS: "soon" };
    const { code, out } = await runWithPulumi(api, script, environment, { configFile: "ci/pr.yaml" });
    expect(code).toBe(0);
    expect(out).toContain(`${DRIFT_PROBE.replace("<name>", "dev")} --config-file ci/pr.yaml\n`);
  });

  it.for([
    ["the report", {}],
    ["the error after a wrong key", { "webhooks:apiKey": { value: "wrong-key", secret: true } }],
    ["the error if the API does not answer", {}, "http://127.0.0.1:1"],
    ["the error if its host is unknown", {}, "https://canary.invalid:8443"],
  ] as const)("shows no base URL that is stored as a secret in %s", async ([, more, other]) => {
    await using api = await Api.start();
    const baseUrl = other ?? api.simulator.url;
    const config = { "webhooks:baseUrl": { value: baseUrl, secret: true }, ...more };
    const { out, err } = await runWithPulumi(api, print(config));
    expect(out).toContain("API at [secret]");
    expect(out + err).not.toContain(new URL(baseUrl).hostname);
  });

  const secret = (name: string) => print({ [`webhooks:${name}`]: { value: "sk.canary", secret: true } });
  const wrongDrift =
    "webhooks:drift must be off, probe or enforce. Correct it: pulumi config set webhooks:drift <value> --stack dev";
  const plain = print({ "webhooks:apiKey": { value: KEY, secret: false } });
  const locked = `echo '${KEY}'; echo 'error: locked' >&2; exit 1`;

  it.for([
    ["has no account", print({ "webhooks:drift": { value: "probe" } }), "run the doctor without --stack", 2],
    ["has a wrong value that is a secret", secret("drift"), wrongDrift, 2],
    ["has a wrong URL that is a secret", secret("baseUrl"), "webhooks:baseUrl must be an https URL", 2],
    ["has the key in plain text", plain, "plain text", 2],
    ["is not JSON", `echo 'Config: ${KEY}'`, "pulumi config --json printed no config of stack dev.", 1],
    ["cannot be read", locked, "error: pulumi config failed: locked", 1],
  ] as const)("is not used if it %s", async ([, script, message, exitCode]) => {
    await using api = await Api.start();
    const { code, out, err } = await runWithPulumi(api, script);
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    expect(err).toContain(message);
    expect(err).not.toContain("canary");
    expect(api.requests).toEqual([]);
  });
});
