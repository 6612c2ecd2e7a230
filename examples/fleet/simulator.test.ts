// Runs the program on the teams' files with the real engine and two simulated accounts. It requires the Pulumi CLI on PATH.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ConfigMap, Stack } from "@pulumi/pulumi/automation";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import type { Simulator } from "pulumi-webhooks-simulator";
import { startSimulator } from "pulumi-webhooks-simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as yaml from "yaml";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

interface Declared {
  account: string;
  name?: string;
  secret?: string;
  critical?: boolean;
}

const declared = readdirSync("teams").flatMap((file) => {
  const { webhooks }: { webhooks: Record<string, Declared> } = yaml.parse(
    readFileSync(join("teams", file), "utf8"),
  );
  return Object.entries(webhooks).map(([key, webhook]) => ({
    name: `${basename(file, ".yaml")}/${key}`,
    ...webhook,
  }));
});

const state = mkdtempSync(join(tmpdir(), "state-"));
let accounts: Record<string, Simulator>;
let stack: Stack;

beforeAll(async () => {
  accounts = { us: await startSimulator(), eu: await startSimulator() };
  const config: ConfigMap = {};
  for (const [name, { url, apiKey }] of Object.entries(accounts)) {
    config[`${name}:baseUrl`] = { value: url };
    config[`${name}:apiKey`] = { value: apiKey, secret: true };
  }
  for (const { secret } of declared) {
    if (secret !== undefined) config[secret] = { value: `the secret ${secret}`, secret: true };
  }
  stack = await LocalWorkspace.createStack(
    { stackName: "test", workDir: __dirname },
    { envVars: { PULUMI_BACKEND_URL: `file://${state}`, PULUMI_CONFIG_PASSPHRASE: "test" } },
  );
  await stack.setAllConfig(config);
});

afterAll(async () => {
  await stack.workspace.removeStack("test", { force: true });
  await Promise.all(Object.values(accounts).map((account) => account.close()));
  rmSync(state, { recursive: true });
});

test("up creates every webhook in its account, and a second up changes nothing", async () => {
  await stack.up();
  expect(listExisting()).toEqual(list(declared));
  await stack.up({ expectNoChanges: true });
});

test("destroy deletes all webhooks but the critical ones", async () => {
  await expect(stack.destroy()).rejects.toThrow("protected");
  expect(listExisting()).toEqual(list(declared.filter(({ critical }) => critical)));
});

function listExisting(): string[] {
  return list(
    Object.entries(accounts).flatMap(([account, { webhooks }]) =>
      webhooks.map(({ name }) => ({ account, name })),
    ),
  );
}

function list(webhooks: { account: string; name: string }[]): string[] {
  return webhooks.map(({ account, name }) => `${account} ${name}`).sort();
}
