import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { OLDEST_NODE } from "../../src/node-version.js";
import { Stack } from "./stack.js";

const REFUSAL = "pulumi-webhooks needs Node.js 22.19.0 or newer, and this is 20.20.2: install a newer one.";

/** Lets every Node.js that this stack's commands start say that it is an old one, which cannot load undici either. */
async function age(stack: Stack): Promise<void> {
  const file = join(stack.folder, "old-node.cjs");
  await writeFile(
    file,
    `const Module = require("node:module");
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
    const load = Module._load;
    Module._load = (request, ...rest) => {
      if (request === "undici") throw new TypeError("webidl.util.markAsUncloneable is not a function");
      return load(request, ...rest);
    };`,
  );
  stack.environment.NODE_OPTIONS = `--require ${file}`;
}

it("the commands say in one line which Node.js they need, and exit with 2", async () => {
  await using stack = await Stack.create({ program: "" });
  await age(stack);
  const command = join(inject("projects").newest, "node_modules/.bin/pulumi-webhooks");
  for (const args of [["doctor", "--yes"], ["simulator"], ["--help"]]) {
    expect(await stack.command(command, ...args)).toEqual({ code: 2, output: `error: ${REFUSAL}\n` });
  }
});

it("a program is told which Node.js it needs, before anything is declared", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
  });
  await age(stack);
  const output = await stack.upFails();
  expect(output).toContain(REFUSAL);
  expect(output).not.toMatch(/^ +at |markAsUncloneable/m);
  expect(stack.takeCalls()).toEqual([]);
});

it("what is needed is what package.json says", async () => {
  const { engines } = JSON.parse(await readFile("package.json", "utf8"));
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});
