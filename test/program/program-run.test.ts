import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { currentRun } from "../../src/program/program-run.js";
import { recorded, start, startEngine, useProgram, warnings } from "./program.js";

useProgram();

it("is shared by two copies of the package, which a library may bring along", async () => {
  await start();
  const run = currentRun();
  vi.resetModules();
  const copy = await import("../../src/program/program-run.js");
  expect(copy.currentRun).not.toBe(currentRun);
  expect(copy.currentRun()).toBe(run);
  expect(currentRun()).toBe(run);
});

it("refuses a copy of another version, which shares nothing with this one", async () => {
  await start();
  Reflect.set(Object(pulumi.runtime.getEngine()), Symbol.for("pulumi-webhooks.run"), { shape: 2 });
  expect(currentRun).toThrow(pulumi.RunError);
  expect(currentRun).toThrow(
    "This program uses two versions of pulumi-webhooks, which do not know of each other's webhooks. Install one version: npm ls pulumi-webhooks shows where they come from.",
  );
});

it("starts again with each engine, as in inline programs of the Automation API", async () => {
  await start();
  const first = currentRun();
  await startEngine();
  expect(currentRun()).not.toBe(first);
});

it("does not exist without an engine, as under mocks", () => {
  expect(pulumi.runtime.getEngine()).toBeUndefined();
  expect(currentRun()).toBeUndefined();
});

it("reads the state once, and warns of each create during which a run was killed", async () => {
  const pending_operations = [{ type: "creating", resource: recorded("orders") }];
  await start({ deployment: { manifest: { time: "2026-01-01T12:00:00.123Z" }, pending_operations } });
  const run = currentRun();
  expect(await run?.stack()).toBe(await run?.stack());
  expect(warnings).toEqual([
    "An earlier run was killed while it was creating webhook Orders. The create was sent at about 2026-01-01T12:00:00Z or earlier. It is unknown whether the API created the webhook, so nothing more is sent for it. Look for it in the dashboard, then run npx pulumi-webhooks resolve.",
  ]);
});

it.each([
  [
    "there is no pulumi on the PATH",
    () => vi.stubEnv("PATH", ""),
    "There is no pulumi on the PATH. Install the Pulumi CLI, or add its folder to the PATH.",
  ],
  [
    "it is that of another stack",
    () => start({ deployment: { resources: [recorded("orders", { urn: "urn:pulumi:prod::test::a::b" })] } }),
    "pulumi stack export printed another stack than test/dev.",
  ],
])("warns once, and goes on without the state, if %s", async (_, prepare, reason) => {
  await start();
  await prepare();
  const run = currentRun();
  expect(await run?.stack()).toBeUndefined();
  expect(await run?.stack()).toBeUndefined();
  expect(warnings).toEqual([
    `The state of this stack could not be read. ${reason} If an earlier run was killed, this run may create webhooks a second time: look for them in the dashboard. An import of a webhook that another resource manages is not noticed either.`,
  ]);
});

it("knows the other resources that import the same webhook", async () => {
  await start();
  const run = currentRun();
  const [first, second] = ["urn:first", "urn:second"].map((urn) => ({ urn, provider: undefined }));
  if (run === undefined || first === undefined || second === undefined) return expect.unreachable();
  expect(run.addImport("1", first)).toEqual([]);
  expect(run.addImport("2", second)).toEqual([]);
  expect(run.addImport("1", second)).toEqual([first]);
  expect(run.addImport("1", first)).toEqual([second]);
});
