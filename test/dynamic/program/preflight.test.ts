import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { runPreflight } from "../../../src/dynamic/program/preflight.js";
import { startEngine, useProgram } from "./program.js";

useProgram();

it("refuses a key in plain text and unknown settings together, in each run until they are corrected", async () => {
  await startEngine();
  const config = { "webhooks:apiKey": "key-canary", "webhooks:drifft": "probe" };
  pulumi.runtime.setAllConfig(config, ["webhooks:apiKey"]);
  expect(runPreflight).toThrow(
    /^The stack's config has unknown .*: drifft\. .* webhooks:drifft --stack acme\/test\/dev\)/,
  );
  pulumi.runtime.setAllConfig(config);
  for (const _twice of [1, 2])
    expect(runPreflight).toThrow(
      /^webhooks:apiKey is in the stack's config in plain text.* --stack acme\/test\/dev\.\nThe stack's config/,
    );
  expect(runPreflight).not.toThrow("canary");
  pulumi.runtime.setAllConfig({ "webhooks:apiKey": "key-canary" }, ["webhooks:apiKey"]);
  runPreflight();
});
