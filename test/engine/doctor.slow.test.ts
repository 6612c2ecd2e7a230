import { expect, it } from "vitest";
import { Stack } from "./support/stack.js";

it("the doctor uses the settings of a stack, and after the recommended command a refresh shows drift", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
    simulator: { path: "/v1", behavior: { emptyUpdate: "leaves updated_at" } },
  });
  const { code, stdout, output } = await stack.webhooks("doctor", "--stack", "dev", "--yes", "--json");
  expect(output).not.toContain("canary");
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
});
