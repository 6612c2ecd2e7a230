import { expect, it } from "vitest";
import { Stack } from "../support/stack.js";

it("records the line of a webhook, explains that it was deleted outside Pulumi, creates it again with --replace, and destroys it", async () => {
  const program = (path: string) => `new webhooks.Webhook("orders", { url: "https://example.com/${path}" });`;
  await using stack = await Stack.create({ program: program("a"), compiledByPulumi: true });
  await stack.up();
  const [recorded] = await stack.recorded();
  expect(recorded?.stackTrace).toEqual([{ sourcePosition: "project:///index.ts#4,1" }]);
  const refreshed = await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
  expect(refreshed).toContain("Webhook orders refreshing");
  expect(refreshed).not.toContain("diff:");
  stack.passMinutes();
  stack.api.dashboard.delete("1");
  await stack.declare(program("b"));
  const output = await stack.upFails();
  expect(output).toContain("Updating webhook 1 (orders) failed: 404 Not Found from POST /webhooks/update.");
  const advice = `If the dashboard does not show it, run pulumi up --refresh=false --replace '${stack.urn("orders")}' --stack dev.`;
  expect(output).toContain(`it was deleted outside Pulumi, or webhooks:baseUrl, ${stack.api.url}, is wrong.`);
  expect(output).toContain(advice);
  await stack.up("--replace", stack.urn("orders"));
  expect(stack.api.webhooks).toMatchObject([{ id: "2", url: "https://example.com/b" }]);

  // Pulumi reports an error twice: the second line refers to the first.
  stack.api.inject({ fault: { kind: "status", status: 403 } });
  const failed = await stack.fails("destroy", "--yes", "--skip-preview");
  const [, diagnostics = ""] = failed.split("Diagnostics:");
  expect(diagnostics.match(/.*Deleting webhook 2.*/g)?.sort()).toEqual([
    "    Deleting webhook 2 failed: see its error.",
    expect.stringContaining("error: Deleting webhook 2 failed: 403 Forbidden from POST"),
  ]);
  stack.passMinutes();
  stack.api.dashboard.delete("2");
  await stack.destroy();
  expect(await stack.recorded()).toEqual([]);
});
