import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { runPreflight } from "../../../src/dynamic/program/preflight.js";
import { startEngine, useProgram, warnings } from "./program.js";

useProgram();

const own = { "webhooks:apiKey": "key-canary", "webhooks:team": "blue" };
const misspelled = { ...own, "webhooks:drifft": "probe" };

it("refuses a key in plain text and a misspelled setting together, in each run until they are corrected", async () => {
  await startEngine();
  pulumi.runtime.setAllConfig(misspelled, ["webhooks:apiKey"]);
  expect(runPreflight).toThrow(/^webhooks:drifft is not a setting/);
  pulumi.runtime.setAllConfig(misspelled);
  for (const _twice of [1, 2])
    expect(runPreflight).toThrow(
      /^webhooks:apiKey is in the stack's config in plain text.* --stack acme\/test\/dev\.\nwebhooks:drifft/,
    );
  expect(runPreflight).not.toThrow("canary");
  expect(warnings).toEqual([]);
  pulumi.runtime.setAllConfig(own, ["webhooks:apiKey"]);
  for (const _twice of [1, 2]) runPreflight();
  expect(warnings).toEqual([expect.stringContaining("ignores them: webhooks:team. If")]);
});
