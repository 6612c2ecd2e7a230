import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { Run } from "./stack.js";
import { Stack } from "./stack.js";

/** What a user of the Automation API runs: a program, and what is done with it, in one file. */
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

/** Pulumi loads the provider from the folder that the project's \`main\` names, else from that of Pulumi.yaml. */
describe("an inline program of the Automation API manages webhooks", () => {
  it.each([
    ["started in the project, where the Automation API takes that folder for main", "{}", true],
    ["with a work directory in the project that has a Pulumi.yaml", "{ workDir: __dirname }", false],
    [
      "with a main in its project settings",
      '{ projectSettings: { name: "test", runtime: "nodejs", main: __dirname } }',
      false,
    ],
  ])("%s", async (_, options, inProject) => {
    await using stack = await Stack.create({ program: "" });
    const { code, output } = await runInline(stack, options, inProject ? stack.folder : inject("home"));
    expect(output).toBe('1 {"same":2}\n');
    expect(code).toBe(0);
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
  });

  it("but not when it is started elsewhere and says nothing of it", async () => {
    await using stack = await Stack.create({ program: "" });
    const { code, output } = await runInline(stack, "{}", inject("home"));
    expect(output).toContain("Cannot find module '@pulumi/pulumi/cmd/dynamic-provider'");
    expect(code).toBe(1);
    expect(stack.takeCalls()).toEqual([]);
  });
});

/** Runs the script, which lies in the stack's folder and so finds its modules as a user's does, from another folder. */
async function runInline(stack: Stack, options: string, cwd: string): Promise<Run> {
  const file = join(stack.folder, "automation.js");
  await writeFile(file, script(stack, options));
  // The work directories that the Automation API makes itself shall go with the tests' other folders.
  const env = { ...stack.environment, TMPDIR: inject("home") };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file], { cwd, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr, stdout });
    });
  });
}
