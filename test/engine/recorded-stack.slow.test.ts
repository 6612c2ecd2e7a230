import { appendFile, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import { KEY, Stack } from "./stack.js";

it("warns once of what it does not notice if pulumi is not on the PATH, and runs", async () => {
  const two = ["a", "b"].map(
    (name) => `new webhooks.Webhook("${name}", { url: "https://example.com/${name}" });\n`,
  );
  await using stack = await Stack.create({ program: two.join("") });
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

it("notices interrupted creates in a component, with an explicit Provider, and with main in another folder", async () => {
  const program = `
    class Team extends pulumi.ComponentResource {
      constructor(name: string, eu: webhooks.Provider) {
        super("test:Team", name);
        new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { parent: this });
        new webhooks.Webhook("refunds", { url: "https://example.com/refunds" }, { parent: this, provider: eu });
      }
    }
    const baseUrl = new pulumi.Config("webhooks").require("baseUrl");
    new Team("team", new webhooks.Provider("eu", { apiKey: config.requireSecret("key"), baseUrl }));`;
  await using stack = await Stack.create({ program });
  await stack.configure({}, { key: KEY });
  await mkdir(join(stack.folder, "src"));
  await rename(join(stack.folder, "index.ts"), join(stack.folder, "src/index.ts"));
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");

  let creates = 0;
  const sent = new Promise<void>((resolve) => {
    const match = () => {
      creates++;
      if (creates === 2) resolve();
      return true;
    };
    stack.api.inject({ operation: "create", times: 2, match, fault: { kind: "hang", commit: false } });
  });
  const run = stack.start("up", "--yes", "--skip-preview");
  await sent;
  await kill(stack, run);
  stack.takeCalls();
  const output = await stack.upFails("--continue-on-error");
  for (const name of ["orders", "refunds"]) {
    expect(output).toContain(`Creating webhook ${name} failed: an earlier run was killed`);
  }
  expect(stack.takeCalls()).toEqual([]);

  const answers = ["--none", "orders", "--none", "refunds"];
  expect(await stack.webhooks("resolve", "--stack", "dev", ...answers)).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds"]);
  await stack.expectNoChanges();
});

const orders = (name = "orders", options = "{}") =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/orders", secret: config.requireSecret("hookSecret") }, ${options});\n`;
const resolve = (stack: Stack, ...answers: string[]) =>
  stack.webhooks("resolve", "--stack", "dev", ...answers);
const KILLED = { kind: "hang", commit: true } as const;

it("resolves a webhook in doubt of a Provider whose name looks like that of the default one", async () => {
  const eu = `const [settings, provider] = [new pulumi.Config("webhooks"), "default_eu"];
    const eu = new webhooks.Provider(provider, { baseUrl: settings.require("baseUrl"), apiKey: settings.requireSecret("apiKey") });`;
  const program = `${eu} new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { provider: eu });`;
  await using stack = await Stack.create({ program });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  expect(await stack.webhooks("resolve", "--stack", "dev", "--found", "orders=1")).toMatchObject({ code: 0 });
  stack.takeCalls();
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});

it("warns of an interrupted create that the program no longer declares, and before a destroy that runs the program", async () => {
  await using stack = await Stack.create({ program: orders() });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  const warning = /warning: An earlier run was killed.* while it was creating webhooks: orders\./;
  await stack.declare('new webhooks.Webhook("refunds", { url: "https://example.com/refunds" });');
  expect(await stack.ok("preview")).toMatch(warning);
  expect(await stack.destroy("--run-program")).toMatch(warning);
});

it("resolves an interrupted create whose Provider and component have left the state", async () => {
  const team = `class Team extends pulumi.ComponentResource {
    constructor() {
      super("test:Team", "team");
      const settings = new pulumi.Config("webhooks");
      const provider = new webhooks.Provider("eu", { baseUrl: settings.require("baseUrl"), apiKey: settings.requireSecret("apiKey") }, { parent: this });
      new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { parent: this, provider });
    }
  }
  new Team();`;
  await using stack = await Stack.create({ program: team });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  stack.takeCalls();
  await stack.declare("");
  await stack.up();
  const listed = await resolve(stack, "--json");
  expect(listed.code).toBe(1);
  expect(JSON.parse(listed.stdout)).toMatchObject({ unresolved: [{ resource: "orders", reason: "killed" }] });
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({
    code: 1,
    output: expect.stringContaining("its Provider has left the state"),
  });
  await stack.declare(team);
  expect(await stack.upFails()).toContain("an earlier run was killed while it was creating this webhook.");
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});

it("answers that there is no webhook after its Provider has left the state", async () => {
  const eu = `const settings = new pulumi.Config("webhooks");
    const provider = new webhooks.Provider("eu", { baseUrl: settings.require("baseUrl"), apiKey: settings.requireSecret("apiKey") });`;
  await using stack = await Stack.create({ program: eu + orders("orders", "{ provider }") });
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } }));
  await stack.declare("");
  await stack.up();
  expect(await resolve(stack, "--none", "orders")).toMatchObject({ code: 0 });
  expect(await resolve(stack)).toMatchObject({ code: 0, output: "Nothing is unresolved in stack dev.\n" });
});

it("reads the state again if the first time fails", async () => {
  await using stack = await Stack.create({ program: orders() });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  const bin = join(stack.folder, "bin");
  await mkdir(bin);
  const { stdout } = await stack.command("sh", "-c", "command -v pulumi");
  const script = `#!/bin/sh
if [ "$1 $2" = "stack export" ] && [ ! -e ${bin}/failed ]; then touch ${bin}/failed; echo "error: EOF" >&2; exit 1; fi
exec ${stdout.trim()} "$@"
`;
  await writeFile(join(bin, "pulumi"), script, { mode: 0o755 });
  stack.takeCalls();
  stack.environment.PATH = `${bin}:${stack.environment.PATH}`;
  const failure = await stack.upFails();
  expect(failure).toContain("an earlier run was killed while it was creating this webhook.");
  expect(failure).not.toContain("could not be read");
  expect(stack.takeCalls()).toEqual([]);
  expect(await readdir(bin)).toContain("failed");
});

it("notices an interrupted replacement of a webhook that resolve recorded", async () => {
  await using stack = await Stack.create({ program: orders() });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  stack.takeCalls();
  expect(await stack.upFails()).toContain("an earlier run was killed while it was creating this webhook.");
  expect(stack.takeCalls()).toEqual([]);
  expect(await resolve(stack, "--found", "orders=2")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "update 2"]);
  await stack.expectNoChanges();
});

it("creates no second webhook when a resource with the default name is renamed after a killed create", async () => {
  await using stack = await Stack.create({ program: orders() });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  stack.takeCalls();
  await stack.declare(orders("renamed"));
  for (const output of [await stack.fails("preview"), await stack.upFails()]) {
    expect(output).toContain("Webhook renamed may be the same one");
  }
  // As the message says.
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.declare(orders("renamed", '{ aliases: [{ name: "orders" }] }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "renamed" }]);
  await stack.expectNoChanges();
});

it("creates no third webhook when a resource is renamed with an alias after its replacement was killed", async () => {
  await using stack = await Stack.create({ program: orders() });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  stack.takeCalls();
  await stack.declare(orders("renamed", '{ aliases: [{ name: "orders" }] }'));
  for (const output of [await stack.fails("preview"), await stack.upFails()]) {
    expect(output).toContain("under its earlier name, urn:pulumi:dev::test::");
  }
  expect(stack.takeCalls()).toEqual([]);
  expect(await resolve(stack, "--found", "orders=2")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "update 2"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "2", name: "renamed" }]);
  await stack.expectNoChanges();
});

it.each(["legacy", "other"])("imports a webhook that Webhook.get read, as %s", async (name) => {
  await using stack = await Stack.create({
    program: 'webhooks.Webhook.get("legacy", "42");',
    simulator: { behaviour: { firstId: "42" } },
    config: { "webhooks:drift": "probe" },
  });
  const fields = { url: "https://example.com/legacy", name: "Legacy", enabled: true };
  stack.api.dashboard.create(fields);
  await stack.up();
  stack.takeCalls();
  await stack.declare(`new webhooks.Webhook("${name}", ${JSON.stringify(fields)}, { import: "42" });`);
  await stack.ok("preview");
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 42"]);
  expect(await stack.recorded()).toMatchObject([{ id: "42" }]);
  await stack.expectNoChanges();
});

it("records a killed create at the URL that it was sent to, although the setting changed since", async () => {
  await using stack = await Stack.create({ program: orders() });
  await using stranger = await Stack.create();
  stranger.api.dashboard.create({ url: "https://example.com/stranger", name: "Stranger", enabled: true });
  await kill(stack, await upWithCreateInFlight(stack, { fault: KILLED }));
  stack.takeCalls();
  await stack.configure({ "webhooks:baseUrl": stranger.api.url });
  expect(await stack.upFails()).toContain(`It was sent to ${stack.api.url}.`);
  expect(await stack.recorded()).toMatchObject([{ outputs: { baseUrl: stack.api.url } }]);
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  expect(await stack.upFails()).toContain(`but webhooks:baseUrl is ${stranger.api.url}`);
  expect([...stack.takeCalls(), ...stranger.takeCalls()]).toEqual([]);
  await stack.configure({ "webhooks:baseUrl": stack.api.url });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
});
