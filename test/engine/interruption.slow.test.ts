import { expect, it } from "vitest";
import {
  findProviderProcess,
  isRunning,
  kill,
  signalAll,
  startWithoutReply,
  upWithCreateInFlight,
} from "./kill.js";
import { webhook } from "./programs.js";
import { FACES, Stack } from "./stack.js";

// Runs that end early, or run beside each other, and break nothing.

it.each([
  { signal: "SIGINT", face: "dynamic" },
  { signal: "SIGTERM", face: "plugin" },
] as const)(
  "finishes and saves a create in flight when every process of a run gets $signal ($face)",
  async ({ signal, face }) => {
    await using stack = await Stack.create({ face, program: webhook("orders") });
    const { child, ended } = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 2000 },
    });
    await signalAll(child, signal);
    const { output } = await ended;
    const recorded = (await stack.recorded()).map(({ id }) => id);
    expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders"]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "sends nothing more when only the engine is killed, and ends the provider process after the requests in flight (%s)",
  async (face) => {
    const program = Array.from({ length: 10 }, (_, n) => webhook(`hook${n}`)).join("");
    await using stack = await Stack.create({ face, program, config: { "webhooks:maxConnections": "2" } });
    const run = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 5000 },
      creates: 2,
    });
    const orphan = await findProviderProcess(run);
    let replies = 0;
    const replied = new Promise<void>((resolve) => {
      stack.api.onCall = () => {
        replies++;
        if (replies === 2) resolve();
      };
    });
    run.child.kill("SIGKILL");
    // The orphan gets the replies to the two creates in flight, and could send the others now.
    await Promise.all([replied, run.ended]);
    await expect.poll(() => isRunning(orphan), { timeout: 300_000 }).toBe(false);
    expect(stack.takeCalls()).toHaveLength(2);
    expect(stack.api.webhooks).toHaveLength(2);
  },
);

it("refuses a second up, and warns in a preview, while an up creates a webhook", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } });
  expect(await stack.upFails()).toContain("locked");
  const gate = "it is unknown whether the API created webhook orders.";
  expect(await stack.ok("preview")).toContain(gate);
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
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
    await kill(stack, await startWithoutReply(stack, "update"));
    await stack.declare(program);
    // The probe does not trust a time that it may have set itself.
    stack.api.behavior.clockSkewSeconds += 60;
    await stack.ok(command, "--yes", "--skip-preview", ...options);
    if (command === "refresh") await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/orders" }]);
    await stack.expectNoChanges();
  },
);
