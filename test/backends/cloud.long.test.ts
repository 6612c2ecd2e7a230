import { describe, expect, it } from "vitest";
import { type CloudSettings, startCloud } from "../../scripts/backends/cloud.mts";
import { killProvider, signalAll, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { FACES } from "../support/stack.js";
import { createStack } from "./stacks.js";

// What differs on an HTTP backend, as Pulumi Cloud is one: stacks of several organizations, leases, journals, and a service that keeps
// secrets. The organization acme is the default one.

const HANG = { kind: "hang", commit: true } as const;
const TWO = ["a", "b"].map((one) => webhook(one)).join("");

describe.each([
  { face: "dynamic", name: "other/test/dev", namesake: "acme/test/dev", exportsRunning: true },
  { face: "dynamic", name: "acme/test/dev", namesake: "acme/shop/dev", exportsRunning: false },
  { face: "plugin", name: "other/test/dev", namesake: "acme/test/dev", exportsRunning: false },
  { face: "plugin", name: "acme/test/dev", namesake: "other/test/dev", exportsRunning: true },
  // The state shows no create of the killed run then: this machine's notes do.
  { face: "dynamic", name: "acme/test/dev", namesake: "other/test/dev", journals: false },
  { face: "plugin", name: "other/test/dev", namesake: "acme/test/dev", journals: false },
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
    expect((await stack.state()).includes("pending_operations")).toBe(!("journals" in settings));
    expect(await stack.upFails()).toContain(`resolve --stack ${name}: it says what to do`);
    expect(stack.takeCalls()).toEqual(["create killed -> no reply"]);

    await other.declare(webhook("orders") + webhook("more"));
    await other.up();
    expect(await other.webhooks("resolve")).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Nothing is unresolved in stack ${namesake},`),
    });
    // Of the selected stack.
    const listed = await stack.webhooks("resolve", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ stack: name, unresolved: [{ resource: "killed" }] });

    expect(await stack.answerNone()).toMatchObject({ code: 0 });
    await stack.up();
    await stack.expectNoChanges();
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
    expect(other.api.webhooks).toMatchObject([{ name: "orders" }, { name: "more" }]);
  });
});

describe.each(FACES)("with %s", (face) => {
  it.each([true, false])("loses nothing if a token expires in creates (journals: %s)", async (journals) => {
    await using cloud = await startCloud({ journals });
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: TWO });
    const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 3000 }, count: 2 });
    await cloud.set({ tokens: { admin: "expired" } });
    await run.ended;
    await cloud.set({ tokens: { admin: "admin" } });
    expect(stack.takeCalls()).toHaveLength(2);

    const gate = "does not have webhooks a, b, which the API created";
    // Each failed up saves the state. Later ones know it all the same.
    for (const _twice of [1, 2]) expect(await stack.upFails()).toContain(gate);
    const recorded = await stack.resolve("--record");
    expect(recorded.code, recorded.output).toBe(journals ? 0 : 3);
    if (!journals) {
      for (const id of [1, 2]) expect(recorded.output).toContain(`and the API replied with the id ${id}.`);
      stack.useMachine("there");
      await stack.ok("stack", "select", stack.name);
      expect(await stack.upFails()).toContain(gate);
      expect(stack.takeCalls()).toEqual([]);
      expect(await stack.answerNone()).toMatchObject({ code: 0 });
    }
    await stack.up();
    const operation = journals ? ["update 1", "update 2"] : ["create a", "create b"];
    expect(stack.takeCalls().sort()).toEqual(operation);
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toHaveLength(2);
  });

  it.each<[string, Partial<CloudSettings>, Partial<CloudSettings>]>([
    ["a token that has expired", { tokens: { admin: "expired" } }, { tokens: { admin: "admin" } }],
    ["an outage", { outage: true }, { outage: false }],
  ])("a record step that meets %s prints what the machine knows", async (_, problem, end) => {
    await using cloud = await startCloud();
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: webhook("orders") });
    const run = await upInFlight(stack, { fault: HANG });
    await killProvider(run);
    stack.takeCalls();
    await cloud.set(problem);
    const isOutage = "outage" in problem;
    const recording = stack.startResolve("--record");
    await recording.printed(isOutage ? "Trying again until" : "the state could not be read");
    await cloud.set(end);
    const { code, output } = await recording.ended;
    expect(output).toContain("orders: unresolved.");
    expect(code, output).toBe(isOutage ? 3 : 1);
    expect(await stack.upFails()).toContain("API created webhook orders.");
    expect(stack.takeCalls()).toEqual([]);
  });

  it("a record step waits for the end of the lease of a killed run, and records its webhook", async () => {
    await using cloud = await startCloud({ leaseSeconds: 60 });
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: webhook("orders") });
    const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 2000 } });
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, output } = await stack.resolve("--record");
    expect(output).toMatch(/Stack acme\/test\/dev is locked\..*\nTrying again until/);
    expect(output).toContain("orders: webhook 1, as the API replied on this machine.");
    expect(code).toBe(0);
    await stack.up();
    expect(stack.takeCalls().filter((call) => call.startsWith("create"))).toHaveLength(1);
  });

  it("an organization that is called organization is one like any other", async () => {
    await using cloud = await startCloud();
    const options = { face, program: webhook("orders") };
    await using stack = await createStack(cloud, "organization/test/dev", options);
    await using other = await createStack(cloud, "other/test/dev", options);
    other.environment.PULUMI_HOME = stack.environment.PULUMI_HOME;
    // The plugin does not learn the organization elsewhere.
    for (const one of [stack, other]) one.environment.PULUMI_STACK = one.name;
    const run = await upInFlight(stack, { fault: HANG });
    await signalAll(run.child, "SIGKILL");
    await run.ended;
    const { code, output } = await other.resolve();
    expect(output).toContain("Nothing is unresolved in stack other/test/dev,");
    expect(code).toBe(0);
    await other.up();
    await stack.ok("cancel", "--yes");
    const asked = await stack.webhooks("resolve", "--json");
    expect(JSON.parse(asked.stdout)).toMatchObject({
      stack: "organization/test/dev",
      unresolved: [{ resource: "orders" }],
    });
  });

  it("what the machine knows is not lost by an outage that outlasts the CLI's retries", async () => {
    await using cloud = await startCloud();
    await using stack = await createStack(cloud, "acme/test/dev", { face, program: webhook("known") });
    await stack.up();
    await stack.declare(["known", "a", "b", "c"].map((one) => webhook(one)).join(""));
    stack.takeCalls();
    const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 8000 }, count: 3 });
    await cloud.set({ outage: true });
    const { code, output } = await run.ended;
    expect(code, output).not.toBe(0);
    expect(stack.takeCalls()).toHaveLength(3);
    await cloud.set({ outage: false });
    await stack.ok("cancel", "--yes");

    expect(await stack.upFails()).toContain("does not have webhooks a, b, c, which the API created");
    const recorded = await stack.resolve("--record");
    expect(recorded.code, recorded.output).toBe(0);
    expect(recorded.output).toContain("The state may lack what a run has changed");
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2", "update 3", "update 4"]);
    await stack.expectNoChanges();
  });
});

it("a plugin creates nothing in a stack of which it does not know whose it is", async () => {
  await using cloud = await startCloud();
  const options = { face: "plugin", program: webhook("orders") } as const;
  await using stack = await createStack(cloud, "other/test/dev", options);
  await using namesake = await createStack(cloud, "acme/test/dev", options);
  const unknown = "The service does not show in which organization the stack test/dev runs; it lists ";
  const preview = await stack.ok("preview");
  expect(preview).toContain(`The state of this stack was not read. ${unknown}`);
  const killed = await upInFlight(namesake, { fault: HANG });
  await signalAll(killed.child, "SIGKILL");
  await killed.ended;
  const refused = await stack.upFails();
  expect(refused).toContain(`no request was sent. ${unknown}`);
  expect(stack.takeCalls()).toEqual([]);
  stack.environment.PULUMI_STACK = "other/test/dev";
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
});
