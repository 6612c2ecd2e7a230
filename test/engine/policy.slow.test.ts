import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { SDKS } from "./setup.js";
import { Stack } from "./stack.js";

const run = promisify(execFile);

const PACK = `
  const { PolicyPack, validateResourceOfType, validateStackResourcesOfType } = require("@pulumi/policy");
  const { Webhook } = require("pulumi-webhooks");
  new PolicyPack("webhooks", {
    policies: [
      {
        name: "https-only",
        description: "Webhooks receive over https.",
        enforcementLevel: "mandatory",
        validateResource: validateResourceOfType(Webhook, ({ url }, _, report) => {
          if (!url.startsWith("https:")) report("The url must be https: " + url);
        }),
      },
      {
        name: "few",
        description: "A stack has few webhooks.",
        enforcementLevel: "mandatory",
        validateStack: validateStackResourcesOfType(Webhook, (all, _, report) => report("There are " + all.length)),
      },
    ],
  });`;

it("enforces the policies that a policy pack declares for the class Webhook", async () => {
  const { pack, bin } = await createPolicyPack();
  await using stack = await Stack.create({
    program: `new webhooks.Webhook("orders", { url: "http://example.com/orders" });
      new webhooks.Webhook("refunds", { url: "https://example.com/refunds" });`,
  });
  stack.environment.PATH = bin + delimiter + stack.environment.PATH;
  const output = await stack.fails("preview", "--policy-pack", pack);
  expect(output.match(/The url must be https: .*/g)).toEqual([
    "The url must be https: http://example.com/orders",
  ]);
  expect(output).toContain("There are 2");
});

/**
 * Creates a policy pack with the modules that it requires. Its runtime is a program of this test, not `nodejs`: the
 * language host that the repository builds is too old to run policy packs. That program does what a newer one does.
 */
async function createPolicyPack(): Promise<{ pack: string; bin: string }> {
  const pack = await mkdtemp(join(dirname(inject("home")), "policy-"));
  const dependencies = {
    "@pulumi/policy": "1.21.0",
    "@pulumi/pulumi": SDKS.newest,
    "pulumi-webhooks": `file:${inject("tarball")}`,
  };
  await writeFile(
    join(pack, "package.json"),
    JSON.stringify({ version: "1.0.0", private: true, dependencies }),
  );
  await writeFile(join(pack, "PulumiPolicy.yaml"), "runtime: installed\ndescription: A test.\n");
  await writeFile(join(pack, "index.js"), PACK);
  const bin = join(pack, "bin");
  await mkdir(bin);
  const analyzer = join(bin, "pulumi-analyzer-policy-installed");
  await writeFile(analyzer, '#!/bin/sh\nexec node node_modules/@pulumi/pulumi/cmd/run-policy-pack "$@"\n');
  await chmod(analyzer, 0o755);
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], {
    cwd: pack,
  });
  return { pack, bin };
}
