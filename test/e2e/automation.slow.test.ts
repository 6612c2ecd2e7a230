import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { kill, upInFlight } from "../support/kill.js";
import { runLine } from "../support/page.js";
import { webhook } from "../support/programs.js";
import { Stack } from "../support/stack.js";

/** A user's script for the Automation API: the program and its operations in one file. */
const script = ({ api }: Stack, options: string, { operations = LIFE, name = "inline" } = {}) => `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const webhooks = require("pulumi-webhooks");

  async function program() {
    const orders = new webhooks.Webhook("orders", { url: "https://example.com/orders" });
    return { id: orders.id };
  }

  async function main() {
    const args = { stackName: "${name}", projectName: "test", program };
    const stack = await LocalWorkspace.createOrSelectStack(args, ${options});
    await stack.setAllConfig({
      "webhooks:baseUrl": { value: ${JSON.stringify(api.url)} },
      "webhooks:apiKey": { value: ${JSON.stringify(api.apiKey)}, secret: true },
    });
    ${operations}
  }

  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });`;

const LIFE = `
    const { outputs } = await stack.up();
    const { changeSummary } = await stack.preview();
    console.log(outputs.id.value, JSON.stringify(changeSummary));
    await stack.destroy();`;

/** Pulumi loads the provider from the folder that the project's `main` names, else from that of Pulumi.yaml. */
const PROJECT = 'name: "test", runtime: "nodejs", main: __dirname';
const MAIN = `{ projectSettings: { ${PROJECT} } }`;
const DONE = { code: 0, output: /^1 \{"same":2\}\n$/, calls: ["create orders", "delete 1"] };
const FAILED = { code: 1, output: /Cannot find module '@pulumi\/pulumi\/cmd\/dynamic-provider'/, calls: [] };
it.each([
  ["in the project's folder, the default for main", "{}", false, DONE],
  ["with a Pulumi.yaml in its work directory", "{ workDir: __dirname }", true, DONE],
  ["with main in its project settings", MAIN, true, DONE],
  ["elsewhere without main, but fails", "{}", true, FAILED],
])("runs an inline program %s", async (_, options, isElsewhere, { code, output, calls }) => {
  await using stack = await Stack.create();
  const folder = isElsewhere ? inject("home") : stack.folder;
  expect(await runInline(stack, script(stack, options), { folder, code })).toMatch(output);
  expect(stack.takeCalls()).toEqual(calls);
});

it("reads the stack of the engine's backend if an inline program names it", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  const { PULUMI_BACKEND_URL: url } = stack.environment;
  await kill(stack, await upInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  // The environment names another one, which has a stack of the same name, in which nothing is unresolved.
  const other = join(stack.folder, "other");
  await cp(join(inject("newStack"), "state"), other, { recursive: true });
  stack.environment.PULUMI_BACKEND_URL = `file://${other}`;
  const options = `{ workDir: __dirname, envVars: { PULUMI_BACKEND_URL: "${url}" } }`;
  const text = script(stack, options, { operations: "await stack.up();", name: "dev" });
  expect(await runInline(stack, text, { folder: stack.folder, code: 1 })).toContain(
    "it is unknown whether the API created webhook orders.",
  );
  expect(stack.takeCalls()).toEqual([]);
});

/** Runs a script. It is in the stack's folder, so that it finds its modules; `folder` can be another one. */
async function runInline(stack: Stack, text: string, line: { folder: string; code: number }) {
  const file = join(stack.folder, "automation.js");
  await writeFile(file, text);
  // The work directories of the Automation API are removed with the other folders of the tests.
  const environment = { ...stack.environment, TMPDIR: inject("home") };
  return runLine(`'${process.execPath}' '${file}'`, { environment, ...line });
}
