import { expect, it } from "vitest";
import { Stack } from "./stack.js";

it("keeps the only webhook when the create that replaces it returns the same id", async () => {
  const program = `new webhooks.Webhook("orders", { url: "https://example.com/a", secret: config.requireSecret("hookSecret") });`;
  await using stack = await Stack.create({ program });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  // An API that updates the webhook of the same url instead of creating one.
  const raw = '{"data":{"webhook":{"id":1,"name":"orders"}}}';
  stack.api.inject({ operation: "create", fault: { kind: "reply", raw } });
  const output = await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders", "create orders"]);
  expect(output).toContain("Webhook 1 (orders) was not deleted: the API returned its id for a new webhook");
  expect(await stack.recorded()).toMatchObject([{ id: "1" }]);
  await stack.expectNoChanges();
});
