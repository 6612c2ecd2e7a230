import { expect, it } from "vitest";
import { Stack } from "./stack.js";

it("shows no difference of a webhook without enabled when a refresh runs the program", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/orders" });',
  });
  await stack.up();
  const refreshed = await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
  expect(refreshed).toContain("Webhook orders refreshing");
  expect(refreshed).not.toContain("diff:");
});
