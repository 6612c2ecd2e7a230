import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runDrift } from "../../src/cli/drift.js";
import { inState, refreshed, said } from "../drift/refresh.js";

// test/engine/drift-command.slow.test.ts runs the real CLI. Here a script prints what it may print.

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));
  mkdirSync(join(folder, "tmp"));
  vi.stubEnv("PATH", folder);
  vi.stubEnv("TMPDIR", join(folder, "tmp"));
  printed = [];
  vi.spyOn(console, "log").mockImplementation((text) => printed.push(text));
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Compares with a pulumi whose refresh writes these events, and whose state has a webhook. */
async function drift(events: readonly object[], refreshCode = 0) {
  const log = [...events, { summaryEvent: {} }].map((event) => JSON.stringify(event)).join("\n");
  const state = JSON.stringify({ deployment: { resources: [inState("orders")] } });
  writeFileSync(join(folder, "log"), log);
  writeFileSync(join(folder, "state"), state);
  const script = `#!/bin/sh
case "$1 $2" in
  "refresh "*) for arg; do case $arg in --event-log=*) /bin/cat '${folder}/log' > "\${arg#*=}";; esac; done; exit ${refreshCode};;
  "stack export") /bin/cat '${folder}/state';;
esac
`;
  writeFileSync(join(folder, "pulumi"), script, { mode: 0o755 });
  const code = await runDrift({ stack: "dev", json: true });
  return { code, ...JSON.parse(printed.join("\n")) };
}

it.each([
  ["no drift", 0, [refreshed("orders", inState("orders").outputs)], 0],
  ["drift", 7, [refreshed("orders")], 0],
  ["not compared", 3, [], 0],
  ["failed", 1, [said("error", "No reply.")], 255],
] as const)(
  "exits with its own code for the result %s, and removes the engine's log",
  async (result, code, events, refreshCode) => {
    expect(await drift(events, refreshCode)).toMatchObject({ result, code });
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  },
);

it("reports a missing temporary folder like any other failure, and says how to correct it", async () => {
  const missing = join(folder, "missing");
  vi.stubEnv("TMPDIR", missing);
  expect(await drift([])).toMatchObject({
    code: 1,
    result: "failed",
    errors: [
      expect.stringMatching(
        /^The temporary folder cannot be used: ENOENT.*\. Set TMPDIR to a folder that you can write to\.$/,
      ),
    ],
  });
});
