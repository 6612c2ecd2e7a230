import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import { Stack } from "./stack.js";

const orders = `new webhooks.Webhook("orders", { url: "https://example.com/orders" });\n`;

it("notices interrupted creates in a component, with an explicit Provider, in a program with a folder of its own", async () => {
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
  await rename(join(stack.folder, "index.ts"), join(stack.folder, "src/index.ts"));
  await writeFile(join(stack.folder, "src/Pulumi.yaml"), "name: another\nruntime: nodejs\n");
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");
  stack.environment.PULUMI_BACKEND_URL = "file://./state";
  // The language host of these tests is older than the CLI. Newer ones pass the project's folder this way.
  stack.environment.PULUMI_NODEJS_ROOT_DIRECTORY = stack.folder;

  const fault = { kind: "hang", commit: true } as const;
  await kill(stack, await upWithCreateInFlight(stack, { fault, creates: 2 }));
  stack.takeCalls();
  expect(await stack.upFails("--continue-on-error")).toContain(
    "It is unknown whether the API created these webhooks: orders, refunds.",
  );
  expect(stack.takeCalls()).toEqual([]);
  const answers = stack.api.webhooks.map(({ name, id }) => `--found=${name}=${id}`);
  const { code, output } = await stack.webhooks("resolve", "--stack", "dev", ...answers);
  expect(code, output).toBe(0);
  await stack.up();
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

it("refuses a secret that is an output without a value, which would replace the webhook by one without a secret", async () => {
  const program = (secret: string) =>
    `new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: ${secret} });\n`;
  await using stack = await Stack.create({ program: program('config.requireSecret("hookSecret")') });
  await stack.up();
  await stack.declare(program("pulumi.output(undefined as string | undefined) as pulumi.Output<string>"));
  expect(await stack.fails("preview")).toContain(
    "secret: has no value: the output or promise that sets it is undefined",
  );
  expect(await stack.upFails()).toContain("secret: has no value");
});

it("warns in a preview that an update overwrites what ignoreChanges names", async () => {
  const program = (name: string) =>
    `new webhooks.Webhook("orders", { url: "https://example.com/orders", name: "${name}" }, { ignoreChanges: ["url", "enabled"] });\n`;
  await using stack = await Stack.create({ program: program("Orders") });
  await stack.up();
  expect(await stack.ok("preview")).not.toContain("ignoreChanges");
  await stack.declare(program("Renamed"));
  expect(await stack.ok("preview")).toContain(
    "The update of webhook 1 (Orders) also sends url and enabled, as recorded",
  );
});

it("keeps a secret base URL out of the state", async () => {
  const own = `const settings = new pulumi.Config("webhooks");
    const eu = new webhooks.Provider("eu", { apiKey: settings.requireSecret("apiKey"), baseUrl: settings.requireSecret("baseUrl") });
    new webhooks.Webhook("refunds", { url: "https://example.com/refunds" }, { provider: eu });`;
  await using stack = await Stack.create({ program: orders + own });
  await stack.configure({}, { "webhooks:baseUrl": stack.api.url });
  // Stack.create has written the plain value.
  expect(await readFile(join(stack.folder, "Pulumi.dev.yaml"), "utf8")).not.toContain(stack.api.url);
  await stack.up();
  expect(await stack.state()).not.toContain(stack.api.url);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});
