import { expect, it } from "vitest";
import type { Operation } from "../../src/client/api.js";
import { kill, startWithoutReply } from "./kill.js";
import { FACES, Stack } from "./stack.js";

const orders = (name: string) =>
  `new webhooks.Webhook("orders", { url: "https://example.com/orders", name: "${name}" });\n`;

/** Kills all processes of an up once the API has committed a request. */
async function killDuring(stack: Stack, operation: Operation): Promise<void> {
  await kill(stack, await startWithoutReply(stack, operation));
  stack.takeCalls();
}

it.each(FACES)(
  "sends all fields if an engine was killed in an update and the change was reverted, and shows that in a preview (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders("Old") });
    await stack.up();
    await stack.declare(orders("New"));
    await killDuring(stack, "update");
    expect(stack.api.webhooks).toMatchObject([{ name: "New" }]);
    await stack.declare(orders("Old"));
    expect(await stack.ok("preview")).toContain(
      "Webhooks may differ from the state: an earlier change of them did not end. A pulumi up sends url, name and enabled of each of them again.",
    );
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    expect(stack.api.webhooks).toMatchObject([{ name: "Old" }]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "finds out that a webhook is gone if an engine was killed in its delete and it is declared again (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders("Orders") });
    await stack.up();
    await stack.declare("");
    await killDuring(stack, "delete");
    expect(stack.api.webhooks).toEqual([]);
    await stack.declare(orders("Orders"));
    for (const _twice of [1, 2]) {
      expect(await stack.upFails()).toContain(
        `To create it again, run pulumi up --replace '${stack.urn("orders")}'`,
      );
    }
    await stack.up("--replace", stack.urn("orders"));
    expect(stack.api.webhooks).toMatchObject([{ name: "Orders" }]);
    await stack.expectNoChanges();
  },
);

it("says that a webhook may be gone after a delete with an unknown outcome, and what is right if it is declared again", async () => {
  await using stack = await Stack.create({
    program: orders("Orders"),
    config: { "webhooks:deadlineSeconds": "2" },
  });
  await stack.up();
  await stack.declare("");
  stack.api.inject({
    operation: "delete",
    times: 100,
    fault: { kind: "status", status: 502, commit: true },
  });
  const output = await stack.upFails();
  expect(output).toContain("The webhook may be gone already. Run the command again to delete it.");
  expect(output).toContain("If you declare it again instead, run pulumi up --replace '<urn>'");
  stack.api.clearFaults();
  await stack.declare(orders("Orders"));
  await stack.up("--replace", stack.urn("orders"));
  expect(stack.api.webhooks).toMatchObject([{ name: "Orders" }]);
  await stack.expectNoChanges();
});
