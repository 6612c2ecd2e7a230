import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FACES, Stack } from "../support/stack.js";

const REFUSAL = "pulumi-webhooks requires Node.js 22.19.0 or newer; this is 20.20.2. Install a newer one.";

/** Makes every Node.js process of this stack look like an old one, which cannot load undici either. */
async function useOldNode(stack: Stack): Promise<void> {
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
  stack.preload(file);
}

it("every command exits with 2 and names the required Node.js in one line", async () => {
  await using stack = await Stack.create();
  await useOldNode(stack);
  for (const args of [["doctor", "--yes"], ["--help"]]) {
    expect(await stack.webhooks(...args)).toEqual({ code: 2, output: `error: ${REFUSAL}\n`, stdout: "" });
  }
});

it.each(FACES)("an up fails with the required Node.js before it sends anything (%s)", async (face) => {
  await using stack = await Stack.create({
    face,
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
  });
  await useOldNode(stack);
  const output = await stack.upFails();
  expect(output).toContain(REFUSAL);
  expect(output).not.toMatch(/^ +at |markAsUncloneable/m);
  expect(stack.takeCalls()).toEqual([]);
});
