import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import type { StackOptions } from "./stack.js";
import { SECRET, Stack } from "./stack.js";

// Programs in other languages have an SDK; this one declares the same resource by its type alone.
const PLUGIN = `class Webhook extends pulumi.CustomResource {
    declare readonly url: pulumi.Output<string>;
    declare readonly createdAt: pulumi.Output<string>;
    constructor(name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
      const outputs = { name: undefined, enabled: undefined, createdAt: undefined, updatedAt: undefined };
      super("webhooks:index:Webhook", name, { ...outputs, ...args }, { version: "0.1.0", ...options });
    }
  }
  class Provider extends pulumi.ProviderResource {
    constructor(name: string, args: object) {
      super("webhooks", name, args, { version: "0.1.0" });
    }
  }
`;

const orders = (fields: string, options = "{}") =>
  `${PLUGIN}export const id = new Webhook("orders", { ${fields} }, ${options}).id;`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';

/** Creates a stack, with the plugin on the PATH, as an installed package provides it. */
async function createStack(options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  const bin = join(stack.folder, "../node_modules/.bin");
  stack.environment.PATH = bin + delimiter + stack.environment.PATH;
  return stack;
}

it("creates a webhook, updates each field in place, replaces it when the secret changes, and deletes it", async () => {
  await using stack = await createStack({ program: orders(plain) });
  expect(stack.takeCalls()).toEqual([]);
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", url: "https://example.com/a", name: "Orders", secret: SECRET, enabled: true },
  ]);
  expect(await stack.outputs()).toEqual({ id: "1" });
  await stack.expectNoChanges();

  const changes = [
    [plain.replace("/a", "/b"), { url: "https://example.com/b" }],
    [plain.replace("/a", "/b").replace("Orders", "All orders"), { name: "All orders" }],
    [`${plain.replace("/a", "/b").replace("Orders", "All orders")}, enabled: false`, { enabled: false }],
  ] as const;
  for (const [fields, changed] of changes) {
    await stack.declare(orders(fields));
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    expect(stack.api.webhooks).toMatchObject([{ id: "1", ...changed }]);
  }
  await stack.expectNoChanges();

  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create All orders", "delete 1"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated", enabled: false }]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.takeCalls()).toEqual(["delete 2"]);
  expect(stack.api.webhooks).toEqual([]);
});
