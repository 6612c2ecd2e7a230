import { expect, it } from "vitest";
import { Stack } from "../support/stack.js";

// What only the plugin can, or does in another way. The scenarios that both providers have in common run with both.

const orders = (fields: string, options = "{}") =>
  `new webhooks.Webhook("orders", { ${fields} }, ${options});`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';

it("imports a webhook with the engine's option, and sends it with the next up", async () => {
  await using stack = await Stack.create({ face: "plugin" });
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  await stack.declare(orders('url: "https://example.com/a"', '{ import: "1" }'));
  expect(await stack.fails("preview")).toContain(
    "Webhook 1 (orders) was imported, and the program does not set name and enabled: the next update sends all fields",
  );
  await stack.declare(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  await stack.up();
  const preview = await stack.ok("preview", "--diff");
  expect(preview).toContain("pulumi up sends url, name and enabled to these imported webhooks");
  expect(preview).toMatch(
    /\+ enabled *: true\n.*\+ name *: "Orders"\n(?:.*\n)?.*\+ url *: "https:\/\/example.com\/a"/,
  );
  expect(stack.takeCalls()).toEqual([]);
  const up = await stack.up();
  expect(up).toContain(
    "The API cannot change secrets, so the declared ones of these imported webhooks are not sent.",
  );
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", url: "https://example.com/a", name: "Orders", enabled: true },
  ]);
  await stack.expectNoChanges();

  await stack.declare(orders(`${plain}, enabled: true`));
  await stack.expectNoChanges();
});
