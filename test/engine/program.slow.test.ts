import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import { KEY, Stack } from "./stack.js";

const orders = `new webhooks.Webhook("orders", { url: "https://example.com/orders" });\n`;

it("notices an interrupted create if the program has a folder and a Pulumi.yaml of its own, and the backend's URL is relative", async () => {
  await using stack = await Stack.create({ program: orders });
  await mkdir(join(stack.folder, "src"));
  await rename(join(stack.folder, "index.ts"), join(stack.folder, "src/index.ts"));
  await writeFile(join(stack.folder, "src/Pulumi.yaml"), "name: another\nruntime: nodejs\n");
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");
  stack.environment.PULUMI_BACKEND_URL = "file://./state";
  // The language host of these tests is older than the CLI. Newer ones pass the project's folder this way.
  stack.environment.PULUMI_NODEJS_ROOT_DIRECTORY = stack.folder;
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  const output = await stack.upFails();
  expect(output).toContain("an earlier run was killed while it was creating this webhook");
  expect(output).not.toContain("could not be read");
  expect(stack.takeCalls()).toEqual([]);
});

it("hands the id of a webhook in doubt to no other resource", async () => {
  const program = `const x = new webhooks.Webhook("x", { url: "https://example.com/x" });
    new webhooks.Webhook("y", { url: pulumi.interpolate\`https://example.com/y?of=\${x.id}\` });`;
  await using stack = await Stack.create({ program });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await stack.upFails();
  stack.takeCalls();
  const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::y";
  expect(await stack.upFails("--target", urn)).toContain(
    "Webhook x is in doubt, so its id is not known. Look for it in the dashboard, then run npx pulumi-webhooks resolve.",
  );
  expect(stack.takeCalls()).toEqual([]);
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
    "The update of webhook 1 (Orders) sends url and enabled as recorded, and overwrites a change in the dashboard",
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

it("lets two Providers with different keys import webhooks with the same id: an API may count the ids of each account", async () => {
  const program = `const baseUrl = new pulumi.Config("webhooks").require("baseUrl");
    const eu = new webhooks.Provider("eu", { apiKey: pulumi.secret("key-of-eu"), baseUrl });
    const us = new webhooks.Provider("us", { apiKey: new pulumi.Config("webhooks").requireSecret("apiKey"), baseUrl });`;
  const imported = (name: string, provider: string) =>
    `new webhooks.Webhook("${name}", { url: "https://example.com/${name}", name: "${name}", enabled: true }, { import: "1", provider: ${provider} });\n`;
  await using stack = await Stack.create({ program: `${program} ${imported("a", "eu")} ${orders}` });
  await stack.configure({}, { key: KEY });
  await stack.up("--target", "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::orders");
  // The default Provider has another key than eu, and the same as us.
  await stack.ok("preview");
  await stack.declare(`${program} ${imported("a", "us")} ${orders}`);
  expect(await stack.fails("preview")).toContain(
    "import: webhook 1 belongs to another resource of this stack",
  );
});

const WEBHOOK = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";

it("does not send an interrupted create again below a component with colons in its name", async () => {
  const program = (url: string) => `class Team extends pulumi.ComponentResource {
      constructor() { super("my:Team", "team::a"); new webhooks.Webhook("orders", { url: "${url}" }, { parent: this }); }
    }
    new Team();`;
  await using stack = await Stack.create({ program: program("https://example.com/a") });
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  await stack.declare(program("https://example.com/b"));
  const { output } = await stack.run("up", "--yes", "--skip-preview");
  expect(stack.takeCalls(), output).toEqual([]);
});

it("confirms an id that was entered for a webhook below a component with colons in its name", async () => {
  const program = `class Team extends pulumi.ComponentResource {
      constructor() { super("my:Team", "team::a"); new webhooks.Webhook("orders", { url: "https://example.com/a" }, { parent: this }); }
    }
    new Team();`;
  await using stack = await Stack.create({ program });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  const answer = await stack.webhooks("resolve", "--stack", "dev", "--found", "orders=1");
  expect(answer.code, answer.output).toBe(0);
  const { code, output } = await stack.run("up", "--yes", "--skip-preview");
  expect(code, output).toBe(0);
});

it("keeps the old webhook while its replacement is in doubt, with ignoreChanges *", async () => {
  const program =
    'new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { ignoreChanges: ["*"] });';
  await using stack = await Stack.create({ program, sdk: "oldest" });
  await stack.up();
  stack.takeCalls();
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await stack.upFails("--continue-on-error", "--replace", `${WEBHOOK}orders`);
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
  await stack.upFails("--continue-on-error");
  expect(stack.takeCalls()).toEqual([]);
});
