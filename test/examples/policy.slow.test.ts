import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Stack } from "../support/stack.js";
import { Fleet } from "./fleet.js";
import { installExample } from "./install.js";

let installedFleet: string;
let pack: string;
beforeAll(async () => {
  [installedFleet, pack] = await Promise.all([installExample("fleet"), installExample("policy")]);
  await addRuntime(pack);
});

describe("the policy pack of the example", () => {
  it("accepts the fleet, and refuses what violates a policy, and nothing else", async () => {
    await using fleet = await createFleet();
    const { stack } = fleet;
    expect(await stack.ok("preview", "--policy-pack", pack)).toContain("✅ webhooks@v1.0.0");
    const violations = [
      ["http-only", "url: http://hooks.example.com/a\n    secret: paymentsRefunds"],
      ["other-host", "url: https://not-example.com/b\n    secret: paymentsRefunds"],
      ["no-secret", "url: https://hooks.example.com/c"],
      ["named", "url: https://hooks.example.com/d\n    secret: paymentsRefunds\n    name: Größe"],
    ];
    const added = violations.map(([key, text]) => `  ${key}:\n    account: us\n    ${text}\n`);
    await fleet.write("payments", (await fleet.read("payments")) + added.join(""));
    const output = await stack.fails("preview", "--policy-pack", pack);
    const type = "pulumi-nodejs:dynamic/webhooks:Webhook";
    expect(output.match(/\[mandatory\].*/g)?.sort()).toEqual([
      `[mandatory]  webhook-host  (${type}: payments/other-host)`,
      `[mandatory]  webhook-https  (${type}: payments/http-only)`,
      `[mandatory]  webhook-name  (${type}: payments/named)`,
      `[mandatory]  webhook-secret  (${type}: payments/no-secret)`,
    ]);
    for (const message of [
      "Use an https URL.",
      "Use example.com, or a host below it.",
      "Declare a secret.",
      "Name it <team>/<purpose>, in lower-case letters, digits and hyphens.",
    ])
      expect(output).toContain(`          ${message}\n`);
  });

  it("also judges a webhook that the provider refuses", async () => {
    await using stack = await Stack.create({
      program: `new webhooks.Webhook("team/none", { url: "no url" });`,
    });
    addToPath(stack);
    const output = await stack.fails("preview", "--policy-pack", pack);
    expect(output).toContain("url: must");
    expect(output).not.toContain("failed to run policy");
    expect(output.match(/\[mandatory\] +\S+/g)).toEqual([
      "[mandatory]  webhook-host",
      "[mandatory]  webhook-https",
      "[mandatory]  webhook-secret",
    ]);
  });

  it("allows the hosts of its config, and stops an up before the first create", async () => {
    await using fleet = await createFleet();
    const config = join(fleet.stack.folder, "policy.json");
    const hosts = ["example.org", "hooks.example.com"];
    await writeFile(config, JSON.stringify({ "webhook-host": { hosts } }));
    await fleet.edit("payments", "hooks.example.com", "example.com");
    const up = ["--policy-pack", pack, "--policy-pack-config", config];
    expect(await fleet.stack.upFails(...up)).toContain(
      "Use example.org, hooks.example.com, or a host below it.",
    );
    expect(fleet.us.webhooks.map(({ name }) => name)).not.toContain("payments/orders");
    await fleet.edit("payments", "example.com", "eu.example.org");
    await fleet.stack.up(...up);
    expect(fleet.us.webhooks.map(({ name }) => name)).toContain("payments/orders");
  });
});

const CONTRACT = `
  const { PolicyPack, validateStackResourcesOfType } = require("@pulumi/policy");
  const { Webhook } = require("pulumi-webhooks");
  new PolicyPack("contract", {
    policies: [
      {
        name: "webhook-properties",
        description: "Reports what policies see.",
        validateResource: ({ type, props: { url, name, enabled, secret } }, report) => {
          if (type === "pulumi-nodejs:dynamic/webhooks:Webhook") report(JSON.stringify([url, name, enabled, secret]));
        },
      },
      {
        name: "webhook-count",
        description: "Counts webhooks.",
        validateStack: validateStackResourcesOfType(Webhook, (all, _, report) => report("There are " + all.length)),
      },
    ],
  });`;

it("passes the webhooks of a stack to a policy for the class Webhook, and their properties with the secret in plain text", async () => {
  const folder = join(pack, "contract");
  await mkdir(folder);
  await writeFile(join(folder, "index.js"), CONTRACT);
  await writeFile(join(folder, "package.json"), '{ "version": "1.0.0" }');
  await addRuntime(folder);
  await using stack = await Stack.create({
    program: `new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: "a secret" });
      new webhooks.Webhook("refunds", { url: "https://example.com/refunds", enabled: false });`,
  });
  addToPath(stack);
  const output = await stack.ok("preview", "--policy-pack", folder);
  expect(output.match(/\[".*/g)?.sort()).toEqual([
    '["https://example.com/orders","orders",true,"a secret"]',
    '["https://example.com/refunds","refunds",false,null]',
  ]);
  expect(output).toContain("There are 2");
});

async function createFleet(): Promise<Fleet> {
  const fleet = await Fleet.create(installedFleet);
  addToPath(fleet.stack);
  return fleet;
}

function addToPath({ environment }: Stack): void {
  environment.PATH = join(pack, "bin") + delimiter + environment.PATH;
}

/**
 * Replaces the runtime `nodejs` of a policy pack by a program of this test: the language host that the repository builds
 * is too old to run policy packs. That program does what a newer one does.
 */
async function addRuntime(folder: string): Promise<void> {
  await writeFile(join(folder, "PulumiPolicy.yaml"), "runtime: installed\ndescription: A test.\n");
  const analyzer = join(pack, "bin", "pulumi-analyzer-policy-installed");
  await mkdir(join(pack, "bin"), { recursive: true });
  await writeFile(
    analyzer,
    `#!/bin/sh\nexec node ${pack}/node_modules/@pulumi/pulumi/cmd/run-policy-pack "$@"\n`,
  );
  await chmod(analyzer, 0o755);
}
