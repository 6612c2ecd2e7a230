import { expect, it } from "vitest";
import { Stack } from "./stack.js";

const orders = (enabled: boolean) =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: ${enabled} });`;

it("sends an update when the program returns to the recorded values after an unconfirmed update", async () => {
  const config = { "webhooks:deadlineSeconds": "1" };
  await using stack = await Stack.create({ program: orders(true), config });
  await stack.up();
  const times = Number.POSITIVE_INFINITY;
  stack.api.inject({ operation: "update", times, fault: { kind: "status", status: 500, commit: true } });
  await stack.declare(orders(false));
  await stack.upFails();
  expect(stack.api.webhooks).toMatchObject([{ enabled: false }]);
  stack.api.clearFaults();

  await stack.declare(orders(true));
  await stack.ok("refresh", "--yes", "--skip-preview");
  stack.takeCalls();
  expect(await stack.ok("preview")).toContain("Webhooks may differ from the state");
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([{ enabled: true }]);
  await stack.expectNoChanges();
});
