import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { getEngine } from "../../scripts/engine.mts";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { runLine } from "../support/page.js";
import { FACES, type Face, Stack } from "../support/stack.js";
import { installExample } from "./install.js";

const packs = { TypeScript: "", Python: "" };
/** The folder of the oldest engine: 3.276 runs policy packs by a newer language host than those that can be built here. */
let oldest = "";
beforeAll(async () => {
  oldest = (await getEngine()).bin;
  packs.TypeScript = await installExample("policy");
  packs.Python = join(packs.TypeScript, "python");
  const install = "python3 -m venv venv && venv/bin/pip install --quiet --requirement requirements.txt";
  await runLine(install, { folder: packs.Python, environment: process.env });
  const command = `node ${packs.TypeScript}/node_modules/@pulumi/pulumi/cmd/run-policy-pack`;
  await addRuntime(packs.TypeScript, "nodejs", command);
  await addRuntime(packs.Python, "python", "venv/bin/python -m pulumi.policy");
});

describe.each(["TypeScript", "Python"] as const)("the policy pack in %s", (language) => {
  it.each(FACES)("refuses webhooks that violate a policy, and no others (%s)", async (face) => {
    await using stack = await createStack(
      face,
      `const declare = (name: string, url: string, args = {}) => new webhooks.Webhook(name, { url, ...args });
      const secret = config.requireSecret("hookSecret");
      declare("team/good", "https://hooks.example.com/a", { secret });
      declare("team/http", "http://hooks.example.com/b", { secret });
      declare("team/other-host", "https://not-example.com/c", { secret });
      declare("team/no-secret", "https://hooks.example.com/d");
      declare("team/named", "https://hooks.example.com/e", { secret, name: "Größe" });`,
    );
    const output = await stack.fails("preview", "--policy-pack", packs[language]);
    const violations = [
      ["host", "other-host", "Use example.com, or a host below it."],
      ["https", "http", "Use an https URL."],
      ["name", "named", "Name it <team>/<purpose>, in lower-case letters, digits and hyphens."],
      ["secret", "no-secret", "Declare a secret."],
    ];
    const type = face === "plugin" ? PLUGIN_TYPE : WEBHOOK_TYPE;
    expect(output.match(/\[mandatory\].*/g)?.sort()).toEqual(
      violations.map(([policy, name]) => `[mandatory]  webhook-${policy}  (${type}: team/${name})`),
    );
    for (const [, , message] of violations) expect(output).toContain(`          ${message}\n`);
  });

  it("allows the hosts of its config, and stops an up before the first create", async () => {
    const declare = (host: string) =>
      `new webhooks.Webhook("team/orders", { url: "https://${host}/a", secret: config.requireSecret("hookSecret") });`;
    await using stack = await createStack("plugin", declare("example.com"));
    const config = join(stack.folder, "policy.json");
    const hosts = ["example.org", "hooks.example.com"];
    await writeFile(config, JSON.stringify({ "webhook-host": { hosts } }));
    const up = ["--policy-pack", packs[language], "--policy-pack-config", config];
    expect(await stack.upFails(...up)).toContain("Use example.org, hooks.example.com, or a host below it.");
    expect(stack.takeCalls()).toEqual([]);
    await stack.declare(declare("eu.example.org"));
    await stack.up(...up);
    expect(stack.takeCalls()).toEqual(["create team/orders"]);
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
  const folder = join(packs.TypeScript, "contract");
  await mkdir(folder);
  await writeFile(join(folder, "index.js"), CONTRACT);
  await writeFile(join(folder, "package.json"), '{ "version": "1.0.0" }');
  await writeFile(join(folder, "PulumiPolicy.yaml"), "runtime: installed-nodejs\ndescription: A test.\n");
  await using stack = await createStack(
    "dynamic",
    `new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: "a secret" });
    new webhooks.Webhook("refunds", { url: "https://example.com/refunds", enabled: false });`,
  );
  const output = await stack.ok("preview", "--policy-pack", folder);
  expect(output.match(/\[".*/g)?.sort()).toEqual([
    '["https://example.com/orders","orders",true,"a secret"]',
    '["https://example.com/refunds","refunds",false,null]',
  ]);
  expect(output).toContain("There are 2");
});

async function createStack(face: Face, program: string): Promise<Stack> {
  const stack = await Stack.create({ face, program });
  const { environment } = stack;
  environment.PATH = [packs.TypeScript, oldest, environment.PATH].join(delimiter);
  return stack;
}

/**
 * Replaces the runtime of a policy pack by a program of this test: the language hosts that the repository builds are too old
 * to run policy packs. That program does what newer ones do.
 */
async function addRuntime(folder: string, runtime: string, command: string): Promise<void> {
  const file = join(folder, "PulumiPolicy.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace(runtime, `installed-${runtime}`));
  const analyzer = join(packs.TypeScript, `pulumi-analyzer-policy-installed-${runtime}`);
  await writeFile(analyzer, `#!/bin/sh\nexec ${command} "$1" "$2"\n`);
  await chmod(analyzer, 0o755);
}
