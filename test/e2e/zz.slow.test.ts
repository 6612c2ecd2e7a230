import { it } from "vitest";
import { FACES, KEY, Stack } from "../support/stack.js";
it.each(FACES)("shows %s", async (face) => {
  const names = [1,2,3,4,5,6,7,8,9];
  const program = (path: string) => names.map((n) => `new webhooks.Webhook("w${n}", { url: "https://example.com/${path}/${n}" });`).join("\n");
  await using stack = await Stack.create({ face, program: program("a") });
  await stack.up();
  stack.api.apiKey = KEY + "x";
  await stack.declare(program("b"));
  const out = await stack.upFails("--continue-on-error");
  console.log(out.split("Diagnostics:")[1]);
  console.log((await stack.fails("destroy", "--yes", "--skip-preview", "--continue-on-error")).split("Diagnostics:")[1]);
});
