import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { kill, upInFlight } from "./support/kill.js";
import { webhook } from "./support/programs.js";
import type { Run } from "./support/stack.js";
import { Stack } from "./support/stack.js";

/** The options of its workspace, what it does with the stack (by default all, up to its destroy), and the name of that. */
interface Script {
  options: string;
  operations?: string;
  name?: string;
}

/** A user's script for the Automation API: the program and its operations in one file. */
const script = ({ api }: Stack, { options, operations = LIFE, name = "inline" }: Script) => `
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
const MAIN = '{ projectSettings: { name: "test", runtime: "nodejs", main: __dirname } }';
const DONE = { code: 0, output: '1 {"same":2}\n', calls: ["create orders", "delete 1"] };
const missing = expect.stringContaining("Cannot find module '@pulumi/pulumi/cmd/dynamic-provider'");
it.each([
  { what: "in the project's folder, the default for main", options: "{}", elsewhere: false, ends: DONE },
  {
    what: "with a Pulumi.yaml in its work directory",
    options: "{ workDir: __dirname }",
    elsewhere: true,
    ends: DONE,
  },
  { what: "with main in its project settings", options: MAIN, elsewhere: true, ends: DONE },
  {
    what: "elsewhere without main, but fails",
    options: "{}",
    elsewhere: true,
    ends: { code: 1, output: missing, calls: [] },
  },
])("runs an inline program of the Automation API $what", async ({ options, elsewhere, ends }) => {
  await using stack = await Stack.create();
  const cwd = elsewhere ? inject("home") : stack.folder;
  const { code, output } = await runInline(stack, script(stack, { options }), { cwd });
  expect({ code, output, calls: stack.takeCalls() }).toEqual(ends);
});

/** The backends: the engine's is named in the program, the other one in the environment or by a login. */
it.each([
  ["envVars", (url: string) => `{ workDir: __dirname, envVars: { PULUMI_BACKEND_URL: "${url}" } }`],
  [
    "projectSettings.backend",
    (url: string) =>
      `{ projectSettings: { name: "test", runtime: "nodejs", main: __dirname, backend: { url: "${url}" } } }`,
  ],
] as const)(
  "reads the stack of the engine's backend if an inline program names it in %s",
  async (how, options) => {
    await using stack = await Stack.create({ program: webhook("orders") });
    const { PULUMI_BACKEND_URL: url = "" } = stack.environment;
    await kill(stack, await upInFlight(stack, { fault: { kind: "hang", commit: true } }));
    stack.takeCalls();
    // It has a stack of the same name, in which nothing is unresolved.
    const other = join(stack.folder, "other");
    await cp(join(inject("newStack"), "state"), other, { recursive: true });
    if (how === "envVars") stack.environment.PULUMI_BACKEND_URL = `file://${other}`;
    else {
      delete stack.environment.PULUMI_BACKEND_URL;
      stack.environment.PULUMI_HOME = join(stack.folder, "home");
      await stack.ok("login", `file://${other}`);
    }
    const text = script(stack, { options: options(url), operations: "await stack.up();", name: "dev" });
    const { code, output } = await runInline(stack, text, { cwd: stack.folder });
    expect(output).toContain("it is unknown whether the API created webhook orders.");
    expect(code).toBe(1);
    expect(stack.takeCalls()).toEqual([]);
  },
);

/** Runs a script. It is in the stack's folder, so that it finds its modules; `cwd` can be another folder. */
async function runInline(stack: Stack, text: string, { cwd }: { cwd: string }): Promise<Run> {
  const file = join(stack.folder, "automation.js");
  await writeFile(file, text);
  // The work directories of the Automation API are removed with the other folders of the tests.
  const env = { ...stack.environment, TMPDIR: inject("home") };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file], { cwd, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr, stdout });
    });
  });
}
