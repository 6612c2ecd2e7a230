import { beforeAll, describe, expect, it } from "vitest";
import { createStack, declareExample, declareQuickstart, installExample } from "./support/languages.js";
import type { Stack } from "./support/stack.js";

describe.each(["python", "go", "yaml"] as const)("a program in %s", (language) => {
  let prepared = "";

  // The first time on a machine, Pulumi's language hosts and its SDK for Go are compiled.
  beforeAll(async () => {
    prepared = await installExample(language);
  }, 900_000);

  it("takes a stack over from the dynamic provider and back, and replaces", async () => {
    await using stack = await createStack();
    await declareQuickstart(stack);
    await stack.up();
    const before = await stack.outputs();
    const { ordersId, refundsId } = before;
    expect(stack.takeCalls().sort()).toEqual(["create Orders", "create refunds"]);

    await declareExample(stack, language, prepared);
    await stack.up();
    expect(await types(stack)).toEqual(["webhooks:index:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual(before);
    expect(stack.takeCalls()).toEqual([]);

    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    expect(await stack.ok("preview", "--diff")).toContain("~ secret: [secret] => [secret]");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", `delete ${ordersId}`]);

    await declareQuickstart(stack, 'aliases: [{ type: "webhooks:index:Webhook" }]');
    await stack.up();
    expect(await types(stack)).toEqual(["pulumi-nodejs:dynamic/webhooks:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual({ ordersId: "3", refundsId });
    expect(stack.takeCalls()).toEqual([]);
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  });
});

/** Returns the types of the webhooks in the state. */
async function types(stack: Stack): Promise<string[]> {
  return [...new Set((await stack.recorded()).map(({ type }) => type))];
}
