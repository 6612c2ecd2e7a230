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

it("explains that a webhook was deleted outside Pulumi, creates it again with --replace, and destroys it", async () => {
  const program = (path: string) => `new webhooks.Webhook("orders", { url: "https://example.com/${path}" });`;
  await using stack = await Stack.create({ program: program("a") });
  await stack.up();
  stack.api.dashboard.delete("1");
  await stack.declare(program("b"));
  const output = await stack.upFails();
  expect(output).toContain("Updating webhook 1 (orders) failed: 404 Not Found from POST /webhooks/update.");
  const advice = `To create it again, run pulumi up --replace '${stack.urn("orders")}'.`;
  expect(output).toContain(
    `it was deleted outside Pulumi, or webhooks:baseUrl, ${stack.api.url}, is wrong. ${advice}`,
  );
  await stack.up("--replace", stack.urn("orders"));
  expect(stack.api.webhooks).toMatchObject([{ id: "2", url: "https://example.com/b" }]);

  // Pulumi reports an error twice: the second line refers to the first.
  stack.api.inject({ fault: { kind: "status", status: 403 } });
  const failed = await stack.fails("destroy", "--yes", "--skip-preview");
  const [, diagnostics = ""] = failed.split("Diagnostics:");
  expect(diagnostics.match(/.*Deleting webhook 2.*/g)?.sort()).toEqual([
    "    Deleting webhook 2 (orders) failed: see its error.",
    expect.stringContaining("error: Deleting webhook 2 (orders) failed: 403 Forbidden from POST"),
  ]);
  stack.api.dashboard.delete("2");
  await stack.destroy();
  expect(await stack.recorded()).toEqual([]);
});
