// Runs the program with the real engine against a simulated API. It requires the Pulumi CLI on PATH.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { startSimulator } from "pulumi-webhooks-simulator";

const api = await startSimulator();
const state = await mkdtemp(join(tmpdir(), "state-"));
let stack: Stack;

before(async () => {
  stack = await LocalWorkspace.createStack(
    { stackName: "test", workDir: import.meta.dirname },
    { envVars: { PULUMI_BACKEND_URL: `file://${state}`, PULUMI_CONFIG_PASSPHRASE: "test" } },
  );
  await stack.setAllConfig({
    "webhooks:baseUrl": { value: api.url },
    "webhooks:apiKey": { value: api.apiKey, secret: true },
    hookSecret: { value: "a secret", secret: true },
  });
});

after(async () => {
  await stack.workspace.removeStack("test", { force: true });
  await api.close();
  await rm(state, { recursive: true });
});

test("up creates the webhook, and a second up changes nothing", async () => {
  api.inject("create: status 429 retryAfter=1");
  await stack.up();
  assert.deepEqual(
    api.calls.map(({ operation, status }) => `${operation} ${status}`),
    ["create 429", "create 201"],
  );
  assert.deepEqual(
    api.webhooks.map(({ name, url }) => ({ name, url })),
    [{ name: "orders", url: "https://example.com/hooks/orders" }],
  );
  await stack.up({ expectNoChanges: true });
});

test("destroy deletes the webhook", async () => {
  await stack.destroy();
  assert.deepEqual(api.webhooks, []);
});
