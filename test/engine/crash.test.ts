import { expect, it } from "vitest";
import type { Fault } from "../../src/simulator/index.js";
import { Stack } from "./stack.js";

const orders = (options = "{}") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});`;

/** Starts an up, and waits until the API has received the create. */
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

it("creates the webhook once if the engine was killed before it sent the create", async () => {
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

it("creates the webhook once after pulumi cancel if the API ignored the create of the killed engine", async () => {
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

it("imports the webhook that the create of a killed engine left at the API", async () => {
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

it.each(["SIGINT", "SIGTERM"] as const)(
  "finishes and saves a create in flight on %s, and creates nothing twice",
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

it("refuses the second of two simultaneous ups, and creates nothing twice", async () => {
  await using stack = await Stack.create({ program: orders() });
  const { ended } = await upWithCreateInFlight(stack, { kind: "latency", milliseconds: 6000 });
  expect(await stack.upFails()).toContain("locked");
  expect(await ended).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});
