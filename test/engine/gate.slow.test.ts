import { expect, it } from "vitest";
import { testGate } from "./gate.js";
import { webhook } from "./programs.js";
import { Stack } from "./stack.js";

testGate("dynamic", "oldest");
testGate("plugin", "newest");

it("deletes nothing in any process of a run in which the create of another Provider failed", async () => {
  // With this SDK, the program goes on after the failure.
  await using stack = await Stack.create({ sdk: "oldest" });
  await stack.configure({}, { euKey: stack.api.apiKey });
  const eu = `const eu = new webhooks.Provider("eu", { baseUrl: "${stack.api.url}/", apiKey: config.requireSecret("euKey") });\n`;
  await stack.declare(eu + webhook("orders") + webhook("other"));
  await stack.up();
  stack.takeCalls();
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await stack.configure({}, { hookSecret: "whsec-canary-2" });
  const options = '{ provider: eu, aliases: [{ name: "orders" }] }';
  await stack.declare(eu + webhook("renamed", "", options) + webhook("other"));
  const output = await stack.upFails("--continue-on-error");
  expect(output).toContain("another operation of this run failed");
  expect(stack.takeCalls().filter((call) => call.startsWith("delete"))).toEqual([]);
});
