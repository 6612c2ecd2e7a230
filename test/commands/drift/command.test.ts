import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runDrift } from "../../../src/commands/drift/command.js";
import { FakePulumi } from "../fake-pulumi.js";
import { inState, refreshed } from "./refresh.js";

// test/e2e/drift-command.slow.test.ts runs the real CLI. Here a script prints what it may print.

const SCRIPT = `#!/bin/sh
folder=\${0%/*}/..
case "$1 $2" in
  "refresh "*)
    for arg; do case $arg in --event-log=*) /bin/cat "$folder/log" > "\${arg#*=}";; esac; done
    exit;;
  "stack export") /bin/cat "$folder/stack.json";;
esac
`;

let pulumi: FakePulumi;
let printed: string[];
beforeEach(() => {
  pulumi = new FakePulumi(SCRIPT);
  for (const [name, value] of Object.entries(pulumi.environment)) vi.stubEnv(name, value);
  printed = [];
  vi.spyOn(console, "log").mockImplementation((text) => printed.push(text));
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  pulumi[Symbol.dispose]();
});

/** Compares with a pulumi whose refresh writes these events, and whose state has a webhook. */
async function drift(events: readonly object[]) {
  const log = [...events, { summaryEvent: {} }].map((event) => JSON.stringify(event)).join("\n");
  pulumi.write("log", log);
  pulumi.write("stack.json", { deployment: { resources: [inState("orders")] } });
  const code = await runDrift({ stack: "dev", json: true });
  return { code, ...JSON.parse(printed.join("\n")) };
}

it("reports what the engine's log shows, and removes that", async () => {
  expect(await drift([refreshed("orders")])).toMatchObject({ result: "drift", code: 7 });
  expect(readdirSync(join(pulumi.folder, "tmp"))).toEqual([]);
});

it("reports a missing temporary folder like any other failure, and says how to correct it", async () => {
  const missing = join(pulumi.folder, "missing");
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
