import { expect, it } from "vitest";
import { testLifecycle } from "./lifecycle.js";
import { Stack } from "./stack.js";

testLifecycle("dynamic");

it("reports every problem of inputs and settings in the first preview, and sends nothing", async () => {
  const program = `new webhooks.Webhook("wrong", { url: "nowhere", name: " ", secret: "********" });`;
  await using stack = await Stack.create({ program, config: { "webhooks:timeoutSeconds": "soon" } });
  const output = await stack.fails("preview");
  expect(output).toContain("url: must be an absolute http or https URL");
  expect(output).toContain("name: must not be empty");
  expect(output).toContain("secret: is a mask");
  expect(output).toContain("webhooks:timeoutSeconds must be a number of seconds, from 0.1 to 3600.");
  expect(stack.takeCalls()).toEqual([]);
});
