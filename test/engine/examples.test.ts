import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { Stack } from "./stack.js";

const examples = join(import.meta.dirname, "../../examples");

async function stackOf(example: string): Promise<Stack> {
  const stack = await Stack.create({
    typeCheck: true,
    simulator: { behaviour: { emptyUpdate: "leaves updated_at" } },
  });
  await cp(join(examples, example, "index.ts"), join(stack.folder, "index.ts"));
  return stack;
}

it("creates the two webhooks of the quickstart", async () => {
  await using stack = await stackOf("quickstart");
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([
    { url: expect.stringMatching(/orders|refunds/) },
    { url: expect.stringMatching(/orders|refunds/) },
  ]);
  expect(stack.api.webhooks.map(({ name, enabled }) => `${name} ${enabled}`).sort()).toEqual([
    "Orders true",
    "refunds false",
  ]);
  await stack.expectNoChanges();
});

it("reaches both accounts of the accounts example with their own keys", async () => {
  await using stack = await stackOf("accounts");
  const eu = await startSimulator({ apiKey: "eu-key", path: "/v1" });
  await stack.configure({ euBaseUrl: eu.url }, { euApiKey: "eu-key" });
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ name: "orders" }]);
  expect(eu.webhooks).toMatchObject([{ name: "eu-orders" }]);
  await stack.expectNoChanges();
  await eu.close();
});

it("imports the webhook of the import example", async () => {
  await using stack = await stackOf("import");
  const { id } = stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  await stack.configure({ legacyId: id });
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id, name: "Legacy", enabled: true }]);
  await stack.expectNoChanges();
});

it("ends the drift job with 0 without drift, with 7 with drift, and with 1 if the check fails", async () => {
  await using stack = await stackOf("quickstart");
  const check = () => stack.command(join(examples, "drift-job/check-drift.sh"));
  await stack.configure({ "webhooks:drift": "probe" });
  await stack.up();
  expect(await check()).toMatchObject({ code: 0, output: expect.stringContaining("No drift.") });
  stack.api.dashboard.edit("1", { name: "Something else" });
  expect(await check()).toMatchObject({ code: 7, output: expect.stringContaining("pulumi up --refresh") });
  await stack.up("--refresh");
  expect(await check()).toMatchObject({ code: 0 });
  stack.api.inject({ times: 2, fault: { kind: "status", status: 403 } });
  expect(await check()).toMatchObject({ code: 1, output: expect.stringContaining("The check failed") });
});

it.each([
  ["quickstart", "README.md"],
  ["import", "docs/import.md"],
  ["accounts", "docs/accounts.md"],
])("shows the %s example unchanged in %s", async (example, page) => {
  const text = await readFile(join(examples, "..", page), "utf8");
  const program = await readFile(join(examples, example, "index.ts"), "utf8");
  expect(text).toContain(`<!-- examples/${example}/index.ts -->\n\`\`\`ts\n${program}\`\`\``);
});
