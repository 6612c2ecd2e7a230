import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Stack } from "../support/stack.js";

it.each([
  { face: "dynamic", importing: '{ import: "3" }', first: ["preview", "--expect-no-changes"] },
  { face: "plugin", importing: "{}", first: ["up", "--yes", "--skip-preview"] },
] as const)("manages the state that release 0.1.0 wrote ($face)", async ({ face, importing, first }) => {
  const declared = (url: string) => `
      new webhooks.Webhook("orders", { url: "${url}/orders", name: "Orders", secret: config.requireSecret("hookSecret") });
      new webhooks.Webhook("refunds", { url: "${url}/refunds", enabled: false });
      new webhooks.Webhook("legacy", { url: "${url}/legacy", name: "Legacy", enabled: true }, ${importing});`;
  const apiKey = "fixture-key";
  const program = declared("https://example.com/hooks");
  await using stack = await Stack.create({ face, program, simulator: { apiKey } });
  await stack.configure({}, { "webhooks:apiKey": apiKey, hookSecret: "fixture-hook-secret" });
  for (let id = 1; id <= 5; id++)
    stack.api.dashboard.create({ url: "https://example.com", name: "x", enabled: true });

  const fixture = await readFile(join(import.meta.dirname, "fixtures/state-0.1.0.json"), "utf8");
  const file = join(stack.folder, "state.json");
  const state = fixture.replaceAll('http://127.0.0.1:1"', `${stack.api.url}"`);
  // Of a webhook with another time, the API would have used the id again.
  const [{ createdAt } = { createdAt: "" }] = stack.api.webhooks;
  await writeFile(file, state.replace(/("createdAt": )"[^"]*"/g, `$1"${createdAt}"`));
  await stack.ok("stack", "import", "--file", file);

  await stack.ok(...first);
  await stack.ok("refresh", "--yes", "--skip-preview");
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toEqual([]);
  await stack.deploy(declared("https://example.com/v2"));
  expect(stack.takeCalls().sort()).toEqual(["update 3", "update 4", "update 5"]);
  expect((await stack.recorded()).map(({ urn }) => urn).sort()).toEqual(
    ["legacy", "orders", "refunds"].map((name) => stack.urn(name)),
  );
  await stack.destroy();
  expect(stack.takeCalls().sort()).toEqual(["delete 3", "delete 4", "delete 5"]);
});
