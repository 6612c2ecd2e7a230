import { expect, it } from "vitest";
import { findProviderProcess, isRunning, kill, signalAll, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { FACES, Stack } from "../support/stack.js";

// Runs that end early, or run beside each other, and break nothing.

it.each([
  { signal: "SIGINT", face: "dynamic" },
  { signal: "SIGTERM", face: "plugin" },
] as const)("finishes and saves a create in flight on $signal ($face)", async ({ signal, face }) => {
  await using stack = await Stack.create({ face, program: webhook("orders") });
  const { child, ended } = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 2000 } });
  await signalAll(child, signal);
  const { output } = await ended;
  const recorded = (await stack.recorded()).map(({ id }) => id);
  expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders"]);
  await stack.expectNoChanges();
});

it.each(FACES)("ends the provider after its requests if the engine is killed (%s)", async (face) => {
  const program = Array.from({ length: 10 }, (_, n) => webhook(`hook${n}`)).join("");
  await using stack = await Stack.create({ face, program, config: { "webhooks:maxConnections": "2" } });
  const run = await upInFlight(stack, { fault: { kind: "latency", milliseconds: 5000 }, count: 2 });
  const orphan = await findProviderProcess(run);
  run.child.kill("SIGKILL");
  await run.ended;
  // The orphan gets the replies to the two creates in flight, and could send the others then.
  const replies = () => stack.api.calls.filter(({ status }) => status === 201).length;
  await expect.poll(replies, { timeout: 300_000 }).toBe(2);
  await expect.poll(() => isRunning(orphan), { timeout: 300_000 }).toBe(false);
  expect(stack.takeCalls()).toHaveLength(2);
  expect(stack.api.webhooks).toHaveLength(2);
});

const cutOff = { operation: "update", fault: { kind: "hang", commit: true } } as const;

it.each(FACES)("sends again what was cut off if its config is set back (%s)", async (face) => {
  const [old, changed] = ["old", "changed"].map((path) => ({ hookUrl: `https://example.com/${path}` }));
  const program = 'new webhooks.Webhook("orders", { url: config.require("hookUrl") });';
  await using stack = await Stack.create({ face, program });
  await stack.configure({ ...old });
  await stack.up();
  await stack.configure({ ...changed });
  await kill(stack, await upInFlight(stack, cutOff));
  await stack.configure({ ...old });
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ url: old?.hookUrl }]);
});

it.each([
  ["dynamic", ["up", "--refresh", "--run-program"]],
  ["plugin", ["up", "--refresh", "--run-program"]],
  ["dynamic", ["refresh"]],
] as const)(
  "finds with the probe that an update was cut off, which Pulumi forgets in a refresh (%s, %s)",
  async (face, [command, ...options]) => {
    const program = webhook("orders");
    await using stack = await Stack.create({ face, program, config: { "webhooks:drift": "probe" } });
    stack.api.behavior.emptyUpdate = "leaves updated_at";
    await stack.up();
    await stack.declare(program.replace("example.com/orders", "example.com/changed"));
    await kill(stack, await upInFlight(stack, cutOff));
    await stack.declare(program);
    // The probe does not trust a time that it may have set itself.
    stack.api.behavior.clockSkewSeconds += 60;
    await stack.ok(command, "--yes", "--skip-preview", ...options);
    if (command === "refresh") await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/orders" }]);
    await stack.expectNoChanges();
  },
);
