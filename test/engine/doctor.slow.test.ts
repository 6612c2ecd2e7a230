import { expect, it } from "vitest";
import { KEY, Stack } from "./stack.js";

async function doctor(stack: Stack, ...args: string[]) {
  const run = await stack.webhooks("doctor", ...args);
  expect(run.output).not.toContain("canary");
  return run;
}

it("the doctor uses the settings of a stack, and after the recommended command a refresh shows drift", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
    simulator: { path: "/v1", behavior: { emptyUpdate: "leaves updated_at" } },
  });
  const { code, stdout } = await doctor(stack, "--stack", "dev", "--yes", "--json");
  const { ok, baseUrl, config } = JSON.parse(stdout);
  expect({ code, ok, baseUrl }).toEqual({ code: 0, ok: true, baseUrl: stack.api.url });
  expect(stack.api.webhooks).toEqual([]);
  expect(config).toEqual([
    { key: "webhooks:drift", value: "probe", command: "pulumi config set webhooks:drift probe --stack dev" },
  ]);

  for (const { command } of config) await stack.ok(...command.split(" ").slice(1));
  await stack.up();
  const [webhook] = stack.api.webhooks;
  stack.api.dashboard.edit(webhook?.id ?? "", { enabled: false });
  expect(await stack.ok("preview", "--refresh", "--diff")).toContain("enabled: false => true");
  // It does not touch the webhook of the stack.
  const before = stack.api.webhooks;
  expect((await doctor(stack, "--stack", "dev", "--yes")).stdout).toContain(
    "pulumi-webhooks works with the API",
  );
  expect(stack.api.webhooks).toEqual(before);
  await stack.destroy();
});

it("the doctor explains why it cannot use the settings of a stack, and sends nothing", async () => {
  await using stack = await Stack.create();
  const unknown = await doctor(stack, "--stack", "production", "--yes");
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.output).toContain("Reading the config of stack production failed: error: no");

  stack.environment.PULUMI_CONFIG_PASSPHRASE = "another";
  expect(await doctor(stack, "--stack", "dev", "--yes")).toMatchObject({ code: 2, stdout: "" });
  stack.environment.PULUMI_CONFIG_PASSPHRASE = "passphrase";

  await stack.configure({ "webhooks:apiKey": KEY });
  const plain = await doctor(stack, "--stack", "dev", "--yes");
  expect(plain).toMatchObject({ code: 2, stdout: "" });
  expect(plain.output).toContain("webhooks:apiKey is in the config of stack dev in plain text");

  await stack.ok("config", "rm", "webhooks:apiKey");
  const missing = await doctor(stack, "--stack", "dev", "--yes");
  expect(missing.output).toContain("error: webhooks:apiKey is missing.");
  expect(stack.takeCalls()).toEqual([]);
});
