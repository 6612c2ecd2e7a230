import { existsSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { Journal } from "../../src/journal/journal.js";
import { createsFolder, noteOf } from "../../src/journal/place.js";
import { currentRun } from "../../src/program/program-run.js";
import { recorded, start, startEngine, urnOf, useProgram, warnings } from "./program.js";

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

it("reads the state once, and warns in one line of the creates during which a run was killed", async () => {
  const pending_operations = ["orders", "refunds"].map((name) => ({
    type: "creating",
    resource: recorded(name, { inputs: { name } }),
  }));
  await start({ deployment: { manifest: { time: "2026-01-01T12:00:00.123Z" }, pending_operations } });
  const run = currentRun();
  expect(await run?.stack()).toBe(await run?.stack());
  expect(warnings).toEqual([
    "An earlier run was killed while it was creating webhooks: refunds, orders. It is unknown whether the API created them, so nothing more is sent for them. Look for them in the dashboard, then run npx pulumi-webhooks resolve. Do not clear pending creates with pulumi refresh, as Pulumi itself advises: a later pulumi up could create them a second time.",
  ]);
});

describe("the journal of this machine", () => {
  const sentAt = "2026-01-01T12:00:00.000Z";
  const sent = { sentAt, account: "hash", secret: "digest" };
  const note = (name: string, organization = "organization") =>
    noteOf(createsFolder(process.cwd()), { urn: urnOf(name), organization });
  const journal = () => new Journal("unused");

  it("shows creates that the state does not list, and those whose webhooks only have to be recorded", async () => {
    await start({ preview: true });
    journal().create(note("orders"), sent).sent();
    const created = journal().create(note("refunds"), sent);
    created.sent();
    created.replied({ id: "42" });
    await startEngine(true);
    const stack = await currentRun()?.stack();
    expect(stack?.pastOf({ urn: urnOf("refunds") }).interrupted).toEqual({
      at: sentAt,
      noted: { account: "hash", secret: "digest", reply: { id: "42" } },
    });
    expect(warnings).toEqual([
      expect.stringContaining(
        "An earlier run was killed, or is still running, while it was creating webhooks: orders.",
      ),
      "An earlier run was killed, or is still running, after the API had created webhooks: refunds (42). A pulumi up sends each of them all fields, which proves that it exists, and records it.",
    ]);
  });

  it("is not that of another stack, project or organization", async () => {
    await start();
    journal().create(note("orders", "other"), sent).sent();
    for (const urn of ["urn:pulumi:prod::test::a::b", "urn:pulumi:dev::other::a::b"]) {
      const folder = createsFolder(process.cwd());
      journal()
        .create(noteOf(folder, { urn, organization: "organization" }), sent)
        .sent();
    }
    await startEngine();
    await currentRun()?.stack();
    expect(warnings).toEqual([]);
  });

  it("forgets what the state shows by now in an up, and not in a preview, beside which an up may run", async () => {
    await start({
      deployment: { resources: [recorded("orders", { id: "1", created: "2026-01-02T00:00:00Z" })] },
    });
    const { file } = note("orders");
    journal().create(note("orders"), sent).sent();
    await startEngine(true);
    await currentRun()?.stack();
    expect(existsSync(file)).toBe(true);
    await startEngine();
    await currentRun()?.stack();
    expect(existsSync(file)).toBe(false);
    expect(warnings).toEqual([]);
  });
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
