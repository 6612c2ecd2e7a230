import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Cloud, startCloud } from "../../scripts/backends/cloud.mts";
import { signalAll, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { FACES, KEY, SECRET, Stack, type StackOptions } from "../support/stack.js";

// What differs on an HTTP backend, as Pulumi Cloud is one: stacks of several organizations, leases, journals, and a service that keeps
// secrets. The organization acme is the default one.

const HANG = { kind: "hang", commit: true } as const;

describe.each([
  { face: "dynamic", name: "other/test/dev", namesake: "acme/test/dev", exportsRunning: true },
  { face: "dynamic", name: "acme/test/dev", namesake: "acme/shop/dev", exportsRunning: false },
  { face: "plugin", name: "other/test/dev", namesake: "acme/test/dev", exportsRunning: false },
  { face: "plugin", name: "acme/test/dev", namesake: "other/test/dev", exportsRunning: true },
] as const)("with $face in $name, beside $namesake", ({ face, name, namesake, ...settings }) => {
  it("a killed run is resolved, and the stack of the same name is left alone", async () => {
    await using cloud = await startCloud(settings);
    await using stack = await createStack(cloud, name, { face, program: webhook("orders") });
    await using other = await createStack(cloud, namesake, { face, program: webhook("orders") });
    for (const one of [stack, other]) {
      await one.up();
      await one.expectNoChanges();
    }
    await stack.declare(webhook("orders") + webhook("killed"));
    stack.takeCalls();
    const run = await upInFlight(stack, { fault: HANG });
    await signalAll(run.child, "SIGKILL");
    await run.ended;

    expect(await stack.upFails()).toContain("[409] Another update is currently in progress");
    const locked = await stack.resolve("--none");
    expect(locked.output).toContain(`Stack ${name} is locked.`);
    expect(locked.output).toContain(`pulumi cancel --stack ${name}.`);
    expect(locked.code).toBe(1);
    await stack.ok("cancel", "--yes");
    expect(await stack.upFails()).toContain(`resolve --stack ${name}: it says what to look for`);
    expect(stack.takeCalls()).toEqual(["create killed -> no reply"]);

    await other.declare(webhook("orders") + webhook("more"));
    await other.up();
    expect(await other.webhooks("resolve")).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Nothing is unresolved in stack ${namesake},`),
    });
    // Of the selected stack.
    const listed = await stack.webhooks("resolve", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ stack: name, unresolved: [{ name: "killed" }] });

    expect(await stack.answerNone()).toMatchObject({ code: 0 });
    await stack.up();
    await stack.expectNoChanges();
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
    expect(other.api.webhooks).toMatchObject([{ name: "orders" }, { name: "more" }]);
  });
});

describe.each(FACES)("with %s", (face) => {
  it("what the machine knows is not lost by a token that expires during creates", async () => {
    await using cloud = await startCloud();
    const program = ["a", "b", "c"].map((one) => webhook(one)).join("");
    await using stack = await createStack(cloud, "acme/test/dev", { face, program });
    const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 3000 }, count: 3 });
    await cloud.set({ tokens: { admin: "expired" } });
    const { code, output } = await run.ended;
    await cloud.set({ tokens: { admin: "admin" } });
    expect(code, output).not.toBe(0);
    expect(stack.takeCalls()).toHaveLength(3);

    expect(await stack.upFails()).toContain("it is unknown whether the API created webhooks");
    const recorded = await stack.resolve("--record");
    expect(recorded.code, recorded.output).toBe(0);
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2", "update 3"]);
    await stack.expectNoChanges();
  });

  it("what the machine knows is not lost by an outage that outlasts the CLI's retries", async () => {
    await using cloud = await startCloud();
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: webhook("known") });
    await stack.up();
    await stack.declare(["known", "a", "b", "c"].map((one) => webhook(one)).join(""));
    stack.takeCalls();
    const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 8000 }, count: 3 });
    const live = await stack.webhooks("resolve");
    expect(live.output).toContain("Stack acme/test/dev is locked. Its run may be creating these webhooks.");
    await cloud.set({ outage: true });
    const { code, output } = await run.ended;
    expect(code, output).not.toBe(0);
    expect(stack.takeCalls()).toHaveLength(3);
    await cloud.set({ outage: false });
    await stack.ok("cancel", "--yes");

    expect(await stack.upFails()).toContain("it is unknown whether the API created webhooks a, b, c.");
    const recorded = await stack.resolve("--record");
    expect(recorded.code, recorded.output).toBe(0);
    expect(recorded.output).toContain("A run ended before its results were saved.");
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2", "update 3", "update 4"]);
    await stack.expectNoChanges();
  });

  it("without a journal, a create of a killed run is unresolved on the run's machine", async () => {
    await using cloud = await startCloud({ journals: false });
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: webhook("orders") });
    const run = await upInFlight(stack, { fault: HANG });
    await signalAll(run.child, "SIGKILL");
    await run.ended;
    await stack.ok("cancel", "--yes");
    expect(await stack.state()).not.toContain("pending_operations");
    stack.takeCalls();
    expect(await stack.upFails()).toContain("it is unknown whether the API created webhook orders");
    expect(stack.takeCalls()).toEqual([]);
    expect(await stack.answerNone()).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.api.webhooks).toHaveLength(1);
  });
});

it("a plugin creates nothing in a stack of which it does not know whose it is", async () => {
  await using cloud = await startCloud();
  await using stack = await createStack(cloud, "other/test/dev", {
    face: "plugin",
    program: webhook("orders"),
  });
  await using namesake = await createStack(cloud, "acme/test/dev", {
    face: "plugin",
    program: webhook("orders"),
  });
  const unknown =
    "Several organizations have a stack test/dev, and the service does not show which of them runs.";
  const preview = await stack.ok("preview");
  expect(preview).toContain(`The state of this stack was not read. ${unknown}`);
  const killed = await upInFlight(namesake, { fault: HANG });
  await signalAll(killed.child, "SIGKILL");
  await killed.ended;
  const refused = await stack.upFails();
  expect(refused).toContain(`no request was sent. ${unknown} Set PULUMI_STACK to the full name of yours`);
  expect(stack.takeCalls()).toEqual([]);
  stack.environment.PULUMI_STACK = "other/test/dev";
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
});

/** Creates a stack with a full name, and selects it. The service keeps its secrets. */
async function createStack(cloud: Cloud, name: string, options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  stack.name = name;
  const { PULUMI_STACK: _, PULUMI_CONFIG_PASSPHRASE: __, ...environment } = stack.environment;
  for (const key of Object.keys(stack.environment)) delete stack.environment[key];
  Object.assign(stack.environment, environment, await cloud.environment("acme"));
  const project = name.split("/")[1];
  await writeFile(join(stack.folder, "Pulumi.yaml"), `name: ${project}\nruntime: nodejs\n`);
  await writeFile(join(stack.folder, "Pulumi.dev.yaml"), "");
  await stack.ok("stack", "init", name);
  await stack.configure(
    { "webhooks:baseUrl": stack.api.url },
    { "webhooks:apiKey": KEY, hookSecret: SECRET },
  );
  return stack;
}
