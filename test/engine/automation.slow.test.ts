import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { Run } from "./stack.js";
import { Stack } from "./stack.js";

/** A user's script for the Automation API: the program and its operations in one file. */
const script = ({ api }: Stack, options: string) => `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const webhooks = require("pulumi-webhooks");

  async function program() {
    const orders = new webhooks.Webhook("orders", { url: "https://example.com/orders" });
    return { id: orders.id };
  }

  async function main() {
    const args = { stackName: "inline", projectName: "test", program };
    const stack = await LocalWorkspace.createStack(args, ${options});
    await stack.setAllConfig({
      "webhooks:baseUrl": { value: ${JSON.stringify(api.url)} },
      "webhooks:apiKey": { value: ${JSON.stringify(api.apiKey)}, secret: true },
    });
    const { outputs } = await stack.up();
    const { changeSummary } = await stack.preview();
    console.log(outputs.id.value, JSON.stringify(changeSummary));
    await stack.destroy();
  }

  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });`;

/** Pulumi loads the provider from the folder that the project's `main` names, else from that of Pulumi.yaml. */
describe("manages webhooks of an inline program of the Automation API", () => {
  it.each([
    ["that starts in the project's folder, which is the default for main", "{}", true],
    ["whose work directory contains a Pulumi.yaml", "{ workDir: __dirname }", false],
    [
      "whose project settings contain main",
      '{ projectSettings: { name: "test", runtime: "nodejs", main: __dirname } }',
      false,
    ],
  ])("%s", async (_, options, inProject) => {
    await using stack = await Stack.create();
    const { code, output } = await runInline(stack, options, inProject ? stack.folder : inject("home"));
    expect(output).toBe('1 {"same":2}\n');
    expect(code).toBe(0);
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
  });

  it("but not of one that starts elsewhere without main", async () => {
    await using stack = await Stack.create();
    const { code, output } = await runInline(stack, "{}", inject("home"));
    expect(output).toContain("Cannot find module '@pulumi/pulumi/cmd/dynamic-provider'");
    expect(code).toBe(1);
    expect(stack.takeCalls()).toEqual([]);
  });
});

/** Runs the script. It is in the stack's folder, so that it finds its modules; `cwd` can be another folder. */
async function runInline(stack: Stack, options: string, cwd: string): Promise<Run> {
  const file = join(stack.folder, "automation.js");
  await writeFile(file, script(stack, options));
  // The work directories of the Automation API are removed with the other folders of the tests.
  const env = { ...stack.environment, TMPDIR: inject("home") };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file], { cwd, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr, stdout });
    });
  });
}
