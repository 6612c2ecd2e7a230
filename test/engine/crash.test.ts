import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { Stack } from "./stack.js";

const orders = (options = "{}") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});`;

/** Starts an up, and waits until the API has its create and keeps it waiting. */
async function upWithCreateInFlight(stack: Stack, fault: Fault) {
  const arrived = new Promise<void>((resolve) => {
    const match = () => {
      resolve();
      return true;
    };
    stack.api.inject({ operation: "create", match, fault });
  });
  const up = stack.start("up", "--yes", "--skip-preview");
  await arrived;
  return up;
}

it("killed before the create is sent: the next up creates the webhook once", async () => {
  const slow = `const wait = new Promise((resolve) => setTimeout(() => resolve("https://example.com/a"), 60_000));
    new webhooks.Webhook("orders", { url: pulumi.output(wait) as any, name: "Orders", enabled: true });`;
  await using stack = await Stack.create({ program: slow });
  const { child, ended } = stack.start("up", "--yes", "--skip-preview");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  child.kill("SIGKILL");
  await ended;
  await stack.declare(orders());
  await stack.ok("cancel", "--yes");
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});

it("killed before the API took the create: after pulumi cancel the next up creates the webhook once", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { child, ended } = await upWithCreateInFlight(stack, { kind: "hang", commit: false });
  child.kill("SIGKILL");
  await ended;
  expect(await stack.upFails()).toContain("pulumi cancel");
  await stack.ok("cancel", "--yes");
  expect(await stack.up()).toContain("interrupted");
  expect(stack.api.webhooks).toHaveLength(1);
  await stack.expectNoChanges();
});

it("killed after the API took the create: the webhook is found in the dashboard and adopted", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { child, ended } = await upWithCreateInFlight(stack, { kind: "hang", commit: true });
  child.kill("SIGKILL");
  await ended;
  await stack.ok("cancel", "--yes");
  const [found] = stack.api.webhooks;
  await stack.declare(orders(`{ import: "${found?.id}" }`));
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
  await stack.declare(orders());
  await stack.expectNoChanges();
});

it("says a new webhook's id as soon as it is known, before the engine saves it", async () => {
  await using stack = await Stack.create({ program: orders() });
  expect(await stack.up()).toContain("Created webhook 1 (Orders).");
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "stopped by %s: a create in flight is finished and saved, and nothing is doubled",
  async (signal) => {
    await using stack = await Stack.create({ program: orders() });
    const { child, ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 2000 });
    child.kill(signal);
    const { output } = await ended;
    const recorded = (await stack.recorded()).map(({ id }) => id);
    expect({ output, recorded }).toMatchObject({ recorded: ["1"] });
    await stack.up();
    expect(stack.api.webhooks).toHaveLength(1);
    await stack.expectNoChanges();
  },
);

it("of two ups at once one is refused, and nothing is doubled", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 6000 });
  expect(await stack.upFails()).toContain("locked");
  expect(await ended).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});
