import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, it } from "vitest";
import { KEY, Stack } from "./stack.js";

/** Runs the installed command in the folder of the stack's project, as users do. */
async function doctor(stack: Stack, ...args: string[]) {
  const command = join(inject("projects").newest, "node_modules/.bin/pulumi-webhooks");
  const child = spawn(command, ["doctor", ...args], {
    cwd: stack.folder,
    env: stack.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  expect(out + err).not.toContain("canary");
  return { code, out, err };
}

it("the doctor uses the settings of a stack, and after the recommended command a refresh shows drift", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
    simulator: { path: "/v1", behaviour: { emptyUpdate: "leaves updated_at" } },
  });
  const { code, out } = await doctor(stack, "--stack", "dev", "--yes", "--json");
  const { ok, baseUrl, config } = JSON.parse(out);
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
  expect((await doctor(stack, "--stack", "dev", "--yes")).out).toContain(
    "pulumi-webhooks works with the API",
  );
  expect(stack.api.webhooks).toEqual(before);
  await stack.destroy();
});

it("the doctor explains why it cannot use the settings of a stack, and sends nothing", async () => {
  await using stack = await Stack.create({ program: "" });
  const unknown = await doctor(stack, "--stack", "production", "--yes");
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain(
    "Reading the config of stack production failed. The message of pulumi config: error: no",
  );

  stack.environment.PULUMI_CONFIG_PASSPHRASE = "another";
  expect(await doctor(stack, "--stack", "dev", "--yes")).toMatchObject({ code: 2, out: "" });
  stack.environment.PULUMI_CONFIG_PASSPHRASE = "passphrase";

  await stack.configure({ "webhooks:apiKey": KEY });
  const plain = await doctor(stack, "--stack", "dev", "--yes");
  expect(plain).toMatchObject({ code: 2, out: "" });
  expect(plain.err).toContain("webhooks:apiKey is in the stack's config in plain text");

  await stack.ok("config", "rm", "webhooks:apiKey");
  const missing = await doctor(stack, "--stack", "dev", "--yes");
  expect(missing.err).toContain("error: webhooks:apiKey is missing.");
  expect(stack.takeCalls()).toEqual([]);
});
