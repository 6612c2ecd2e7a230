import { cp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { declareExample, installExample } from "../support/languages.js";
import { Stack } from "../support/stack.js";

const QUICKSTART = join(import.meta.dirname, "../../examples/quickstart/index.ts");

describe.each(["python", "go", "yaml"] as const)("a program in %s", (language) => {
  let prepared = "";

  // The first time on a machine, Pulumi's language hosts and its SDK for Go are compiled.
  beforeAll(async () => {
    prepared = await installExample(language);
  }, 900_000);

  it("takes a stack over from the dynamic provider", async () => {
    await using stack = await Stack.create({ compiledByPulumi: true });
    await cp(QUICKSTART, join(stack.folder, "index.ts"));
    await stack.up();
    const before = await stack.outputs();
    expect(stack.takeCalls().sort()).toEqual(["create Orders", "create refunds"]);

    await declareExample(stack, language, prepared);
    await stack.up();
    const types = (await stack.recorded()).map(({ type }) => type);
    expect(types).toEqual(["webhooks:index:Webhook", "webhooks:index:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual(before);
    expect(stack.takeCalls()).toEqual([]);
  });
});
