import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  createStack,
  declareExample,
  declareQuickstart,
  installExample,
  toolsEnvironment,
} from "./support/languages.js";
import type { Stack } from "./support/stack.js";

const run = promisify(execFile);
const SCHEMA = join(import.meta.dirname, "../../src/plugin/schema.json");

describe.each(["python", "go", "yaml"] as const)("a program in %s", (language) => {
  let prepared = "";

  // The first time on a machine, Pulumi's language hosts and its SDK for Go are compiled.
  beforeAll(async () => {
    prepared = await installExample(language);
  }, 900_000);

  it("takes a stack over from the dynamic provider and back, updates and replaces", async () => {
    await using stack = await createStack();
    await declareQuickstart(stack);
    await stack.up();
    const before = await stack.outputs();
    const { ordersId, refundsId } = before;
    stack.takeCalls();

    await declareExample(stack, language, prepared);
    await stack.up();
    expect(await types(stack)).toEqual(["webhooks:index:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual(before);
    expect(stack.takeCalls()).toEqual([]);

    await stack.configure({ ordersUrl: "https://example.com/hooks/moved" });
    await stack.up();
    expect(stack.takeCalls()).toEqual([`update ${ordersId}`]);

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

it("Pulumi's TypeScript compiles the generated SDK for Node.js", async () => {
  const out = await mkdtemp(join(inject("projects").newest, "sdk-"));
  const env = await toolsEnvironment();
  await run("pulumi", ["package", "gen-sdk", SCHEMA, "--language", "nodejs", "--local", "--out", out], {
    env,
  });
  const tsc = join(import.meta.dirname, "../../node_modules/.bin/tsc");
  const cwd = join(out, "nodejs");
  await run(tsc, ["--noEmit", "--skipLibCheck", "--ignoreDeprecations", "6.0"], { cwd });
});

/** Returns the types of the webhooks in the state. */
async function types(stack: Stack): Promise<string[]> {
  return [...new Set((await stack.recorded()).map(({ type }) => type))];
}
