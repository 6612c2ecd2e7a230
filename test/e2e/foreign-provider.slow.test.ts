import { expect, it } from "vitest";
import { SDKS } from "../support/setup.js";
import { Stack } from "../support/stack.js";

/** Dynamic resources of the program's own. They record what the configure of their provider finds. */
const program = `
  class Foreign extends pulumi.dynamic.Resource {
    declare readonly seen: pulumi.Output<string[]>;
    constructor(name: string, options: pulumi.CustomResourceOptions) {
      const found: { seen: unknown[] } = { seen: [] };
      const provider: pulumi.dynamic.ResourceProvider = {
        configure: async ({ config }) => {
          const { getProject, getStack } = require("@pulumi/pulumi");
          found.seen = [config.get("color"), getProject(), getStack()];
        },
        // The code contains the name, so that each resource has a provider of its own.
        create: async () => ({ id: name, outs: { ...found } }),
      };
      super(provider, name, { seen: undefined }, options);
    }
  }
  const orders = new webhooks.Webhook("orders", { url: "https://example.com/orders" });
  export const before = new Foreign("before", {}).seen;
  export const after = new Foreign("after", { dependsOn: orders }).seen;`;

it.each(Object.keys(SDKS) as (keyof typeof SDKS)[])(
  "logs without taking config and project from other dynamic providers, with the %s SDK",
  async (sdk) => {
    await using stack = await Stack.create({ program, sdk, config: { color: "blue" } });
    await stack.up();
    const { before, after } = await stack.outputs();
    expect(before).toEqual(["blue", "test", "stack"]);
    expect(after).toEqual(before);

    const refreshed = await stack.ok("refresh", "--yes", "--skip-preview");
    expect(refreshed).toContain("warning: Webhooks were not compared with the API");
  },
);

it("lets serialized functions and other dynamic resources capture a webhook", async () => {
  const program = `
    const orders = new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: config.requireSecret("hookSecret") });
    const describe = (webhook: webhooks.Webhook) => \`\${webhook.name.get()} \${webhook.id.get()}\`;
    class Foreign extends pulumi.dynamic.Resource {
      declare readonly seen: pulumi.Output<string>;
      constructor(name: string) {
        super({ create: async () => ({ id: name, outs: { seen: describe(orders) } }) }, name, { seen: undefined });
      }
    }
    export const seen = new Foreign("foreign").seen;
    export const text = pulumi.output(pulumi.runtime.serializeFunction(() => orders.id.get())).apply(({ text }) => text);`;
  await using stack = await Stack.create({ program });
  await stack.up();
  const outputs = JSON.parse(await stack.ok("stack", "output", "--json", "--show-secrets"));
  expect(outputs).toEqual({ seen: "orders 1", text: expect.stringContaining('value = "1"') });
  // What the package passes with each run is not captured.
  await stack.expectNoChanges();
});
