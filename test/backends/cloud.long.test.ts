import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cloud, startCloud } from "../../scripts/backends/cloud.mts";
import { webhook } from "../support/programs.js";
import { FACES, KEY, SECRET, Stack, type StackOptions } from "../support/stack.js";

// What holds on an HTTP backend, such as Pulumi Cloud: in every organization, whichever of its services is tried.

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startCloud();
}, 900_000);
afterAll(() => cloud[Symbol.asyncDispose]());

describe.each(FACES)("%s", (face) => {
  it("a stack lives", async () => {
    await using stack = await createStack("acme/test/dev", { face, program: webhook("orders") });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders"]);
    await stack.expectNoChanges();
    await stack.destroy();
  });
});

/** Creates a stack with a full name. */
async function createStack(name: string, options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  Object.assign(stack.environment, await cloud.environment(""));
  stack.environment.PULUMI_STACK = name;
  await stack.ok("stack", "init", name);
  await stack.configure({}, { "webhooks:apiKey": KEY, hookSecret: SECRET });
  return stack;
}
