import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./support/kill.js";
import { Stack } from "./support/stack.js";

const orders = `new webhooks.Webhook("orders", { url: "https://example.com/orders" });\n`;

it("resolves interrupted creates in a component, with an explicit Provider, in a folder of its own, when all have left the state", async () => {
  // The colons are in the URNs. The name of the Provider looks like that of a default one.
  const program = `
    class Team extends pulumi.ComponentResource {
      constructor(name: string, eu: webhooks.Provider) {
        super("test:Team", name);
        new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { parent: this });
        new webhooks.Webhook("refunds", { url: "https://example.com/refunds" }, { parent: this, provider: eu });
      }
    }
    const settings = new pulumi.Config("webhooks");
    const apiKey = settings.requireSecret("apiKey");
    new Team("team::a", new webhooks.Provider("default_eu", { apiKey, baseUrl: settings.require("baseUrl") }));`;
  await using stack = await Stack.create({ program });
  await mkdir(join(stack.folder, "src"));
  await symlink("../index.ts", join(stack.folder, "src/index.ts"));
  await writeFile(join(stack.folder, "src/Pulumi.yaml"), "name: another\nruntime: nodejs\n");
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");
  stack.environment.PULUMI_BACKEND_URL = "file://./state";
  // The language host of these tests is older than the CLI. Newer ones pass the project's folder this way.
  stack.environment.PULUMI_NODEJS_ROOT_DIRECTORY = stack.folder;

  const fault = { kind: "hang", commit: true } as const;
  await kill(stack, await upWithCreateInFlight(stack, { fault, creates: 2 }));
  stack.takeCalls();
  await stack.declare("");
  await stack.up();
  const answers = stack.api.webhooks.map(({ name, id }) => `--found=${name}=${id}`);
  const resolve = () => stack.resolve(...answers);
  const refused = await resolve();
  expect(refused.output).toContain(
    "has left it. Declare the webhook and its Provider again, and run pulumi up",
  );
  expect(refused.code).toBe(1);
  // As the message says.
  await stack.declare(program);
  expect(await stack.upFails("--continue-on-error")).toContain(
    "it is unknown whether the API created webhooks orders, refunds.",
  );
  expect(stack.takeCalls()).toEqual([]);
  const { code, output } = await resolve();
  expect(code, output).toBe(0);
  expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2"]);
  await stack.expectNoChanges();
});

it("warns once of what it does not notice if pulumi is not on the PATH, and runs", async () => {
  await using stack = await Stack.create({ program: orders + orders.replaceAll("orders", "refunds") });
  // The engine comes first on the PATH, and is the only one.
  const [engine = "", ...others] = (stack.environment.PATH ?? "").split(delimiter);
  stack.environment.PATH = others.join(delimiter);
  const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--color=never"];
  const { code, output } = await stack.command(join(engine, "pulumi"), ...args);
  expect(code).toBe(0);
  const [, diagnostics = ""] = output.split("Diagnostics:");
  expect(diagnostics.split("The state of this stack could not be read.")).toHaveLength(2);
  expect(diagnostics).toContain("There is no pulumi on the PATH");
  expect(diagnostics).toContain("this run may create webhooks a second time");
});
