import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Stack } from "../support/stack.js";

const examples = join(import.meta.dirname, "../../examples");

async function stackOf(example: string, file = "index.ts"): Promise<Stack> {
  const stack = await Stack.create({
    typeCheck: true,
    simulator: { behavior: { emptyUpdate: "leaves updated_at" } },
  });
  await cp(join(examples, example, file), join(stack.folder, file), { recursive: true });
  return stack;
}

it("previews the webhook of the Automation API example, and creates it only with up", async () => {
  await using stack = await stackOf("automation-api", "index.mts");
  Object.assign(stack.environment, { API_URL: stack.api.url, API_KEY: stack.api.apiKey });
  const preview = await stack.command(process.execPath, "index.mts");
  expect(preview.stdout).toContain("+ 2 to create");
  expect(preview.code).toBe(0);
  expect(stack.takeCalls()).toEqual([]);

  const { code, stdout } = await stack.command(process.execPath, "index.mts", "up");
  expect(stdout).toMatch(/^Webhook 1 is up to date\.$/m);
  expect(code).toBe(0);
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "alerts" }]);
});

it("passes the tests of the testing example, without a warning", async () => {
  await using stack = await stackOf("testing", ".");
  const { code, stdout, output } = await stack.command(process.execPath, "--test", "--test-reporter=tap");
  expect(stdout).toContain("# pass 3\n# fail 0\n");
  expect(output).toBe(stdout);
  expect(code).toBe(0);
});
