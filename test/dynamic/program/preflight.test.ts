import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { runPreflight } from "../../../src/dynamic/program/preflight.js";
import { makeFolder } from "../../temporary-folder.js";
import { startEngine, useProgram, warnings } from "./program.js";

useProgram();

const own = { "webhooks:apiKey": "key-canary", "webhooks:team": "blue" };
const config = { ...own, "webhooks:drifft": "probe" };

/** Writes the files of a project, whose folder the language host passes. */
function writeProject(): void {
  const folder = makeFolder();
  vi.stubEnv("PULUMI_NODEJS_ROOT_DIRECTORY", folder);
  writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nconfig:\n  webhooks:team: { value: blue }\n");
  writeFileSync(join(folder, "Pulumi.dev.yaml"), "config:\n  webhooks:drifft: probe\n");
}

it("refuses a key in plain text and a misspelled setting together, in each run until they are corrected", async () => {
  writeProject();
  await startEngine();
  pulumi.runtime.setAllConfig(config, ["webhooks:apiKey"]);
  expect(runPreflight).toThrow(/^webhooks:drifft is not a setting/);
  pulumi.runtime.setAllConfig(config);
  for (const _twice of [1, 2])
    expect(runPreflight).toThrow(
      /^webhooks:apiKey is in the stack's config in plain text.* --stack acme\/test\/dev\.\nwebhooks:drifft/,
    );
  expect(runPreflight).not.toThrow("canary");
  expect(warnings).toEqual([]);
});

it("warns once of the program's own keys", async () => {
  writeProject();
  await startEngine();
  pulumi.runtime.setAllConfig(own, ["webhooks:apiKey"]);
  for (const _twice of [1, 2]) runPreflight();
  expect(warnings).toEqual([expect.stringContaining("ignores them: webhooks:team. If")]);
});
