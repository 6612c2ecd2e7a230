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
