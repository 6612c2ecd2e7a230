import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { findProviderProcess, isRunning, kill, signalAll, upWithCreateInFlight } from "./kill.js";
import type { StackOptions } from "./stack.js";
import { KEY, SECRET, Stack } from "./stack.js";

// Programs in other languages have an SDK; this one declares the same resource by its type alone.
const PLUGIN = `class Webhook extends pulumi.CustomResource {
    declare readonly url: pulumi.Output<string>;
    declare readonly createdAt: pulumi.Output<string>;
    constructor(name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
      const outputs = { name: undefined, enabled: undefined, createdAt: undefined, updatedAt: undefined };
      super("webhooks:index:Webhook", name, { ...outputs, ...args }, { version: "0.2.0", ...options });
    }
  }
  class Provider extends pulumi.ProviderResource {
    constructor(name: string, args: object) {
      super("webhooks", name, args, { version: "0.2.0" });
    }
  }
`;

const orders = (fields: string, options = "{}") =>
  `${PLUGIN}export const id = new Webhook("orders", { ${fields} }, ${options}).id;`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';

/** Creates a stack, with the plugin on the PATH, as an installed package provides it. */
async function createStack(options: StackOptions): Promise<Stack> {
  const stack = await Stack.create(options);
  const bin = join(stack.folder, "../node_modules/.bin");
  stack.environment.PATH = bin + delimiter + stack.environment.PATH;
  return stack;
}

it.each(["newest", "oldest"] as const)(
  "creates a webhook, updates each field in place, replaces it when the secret changes, and deletes it with the %s SDK",
  async (sdk) => {
    await using stack = await createStack({ sdk, program: orders(plain) });
    await stack.ok("preview");
    expect(stack.takeCalls()).toEqual([]);
    expect(await stack.up()).toContain("Created webhook 1 (Orders).");
    expect(stack.takeCalls()).toEqual(["create Orders"]);
    expect(stack.api.webhooks).toMatchObject([
      { id: "1", url: "https://example.com/a", name: "Orders", secret: SECRET, enabled: true },
    ]);
    expect(await stack.outputs()).toEqual({ id: "1" });
    await stack.expectNoChanges();

    const changes = [
      [plain.replace("/a", "/b"), { url: "https://example.com/b" }],
      [plain.replace("/a", "/b").replace("Orders", "All orders"), { name: "All orders" }],
      [`${plain.replace("/a", "/b").replace("Orders", "All orders")}, enabled: false`, { enabled: false }],
    ] as const;
    for (const [fields, changed] of changes) {
      await stack.declare(orders(fields));
      await stack.up();
      expect(stack.takeCalls()).toEqual(["update 1"]);
      expect(stack.api.webhooks).toMatchObject([{ id: "1", ...changed }]);
    }
    await stack.expectNoChanges();

    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    expect(await stack.ok("preview", "--diff")).toContain("~ secret: [secret] => [secret]");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create All orders", "delete 1"]);
    expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated", enabled: false }]);
    await stack.expectNoChanges();
    await stack.destroy();
    expect(stack.takeCalls()).toEqual(["delete 2"]);
    expect(stack.api.webhooks).toEqual([]);
  },
);

it("passes outputs, unknown in a preview, from one webhook to another", async () => {
  const program = `${PLUGIN}
    const first = new Webhook("first", { url: "https://example.com/first" });
    new Webhook("second", {
      url: pulumi.interpolate\`https://example.com/after/\${first.id}\`,
      name: first.createdAt.apply((createdAt) => \`after \${createdAt}\`),
      secret: first.id,
      enabled: first.url.apply((url) => url === ""),
    });`;
  await using stack = await createStack({ program });
  await stack.ok("preview", "--diff");
  expect(stack.takeCalls()).toEqual([]);
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", name: "first", enabled: true },
    {
      id: "2",
      name: expect.stringMatching(/^after 20/),
      url: "https://example.com/after/1",
      secret: "1",
      enabled: false,
    },
  ]);
  await stack.expectNoChanges();
});

it("records a create in doubt, sends nothing more for it, and drops it when a user imports the webhook", async () => {
  await using stack = await createStack({ program: orders(plain) });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  const [record] = await stack.recorded();
  expect(record?.id).toMatch(/^in-doubt:/);
  stack.takeCalls();
  expect(await stack.ok("preview")).toContain("Webhook Orders is in doubt");
  await stack.upFails();
  expect(await stack.ok("refresh", "--yes")).not.toContain("could not be read");
  expect(await stack.upFails()).toContain("an earlier run got no clear reply");
  expect(stack.takeCalls()).toEqual([]);
  await stack.declare(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
  await stack.declare(orders(`${plain}, enabled: true`));
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("resolves a create in doubt by its id, and one without a webhook", async () => {
  const program = `${PLUGIN}new Webhook("orders", { url: "https://example.com/a" }); new Webhook("refunds", { url: "https://example.com/b" });`;
  await using stack = await createStack({ program });
  stack.api.inject({ operation: "create", times: 2, fault: { kind: "reset", when: "after commit" } });
  await stack.upFails("--continue-on-error");
  const found = stack.api.webhooks.find(({ name }) => name === "orders");
  const lost = stack.api.webhooks.find(({ name }) => name === "refunds");
  stack.api.dashboard.delete(lost?.id ?? "");
  stack.takeCalls();
  const resolved = await stack.webhooks(
    "resolve",
    "--stack",
    "dev",
    `--found=orders=${found?.id}`,
    "--none=refunds",
  );
  expect(resolved).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create refunds", `update ${found?.id}`]);
  await stack.expectNoChanges();
});

it("sends no create again that an engine was killed in", async () => {
  await using stack = await createStack({ program: orders(plain) });
  const run = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } });
  await kill(stack, run);
  stack.takeCalls();
  const preview = await stack.ok("preview");
  expect(preview).toMatch(/An earlier run was killed.* while it was creating webhooks: Orders\./);
  const output = await stack.upFails();
  expect(output).toContain("an earlier run was killed while it was creating this webhook.");
  expect(stack.takeCalls()).toEqual([]);
  expect((await stack.webhooks("resolve", "--stack", "dev", "--found=orders=1")).code).toBe(0);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});

it("moves webhooks from the dynamic provider by an alias and back, without a request, and in doubt too", async () => {
  const dynamic = `new webhooks.Webhook("orders", { url: "https://example.com/a", secret: config.requireSecret("hookSecret") });
    new webhooks.Webhook("refunds", { url: "https://example.com/b" });`;
  const alias = '{ aliases: [{ type: "pulumi-nodejs:dynamic/webhooks:Webhook" }] }';
  const plugin = (others = "") => `${PLUGIN}
    new Webhook("orders", { url: "https://example.com/a", secret: config.requireSecret("hookSecret") }, ${alias});
    new Webhook("refunds", { url: "https://example.com/b" }, ${alias});${others}`;
  await using stack = await createStack({ program: dynamic });
  stack.api.inject({
    operation: "create",
    match: ({ body }) => Object(body).name === "refunds",
    fault: { kind: "reset", when: "after commit" },
  });
  await stack.upFails("--continue-on-error");
  const before = (await stack.recorded()).map(({ id }) => id).sort();
  stack.takeCalls();

  await stack.declare(plugin());
  expect(await stack.upFails("--continue-on-error")).toContain(
    "Creating webhook refunds failed: an earlier run got no clear reply.",
  );
  const moved = await stack.recorded();
  expect(moved.map(({ type }) => type)).toEqual(["webhooks:index:Webhook", "webhooks:index:Webhook"]);
  expect(moved.map(({ id }) => id).sort()).toEqual(before);
  expect(stack.takeCalls()).toEqual([]);
  const found = stack.api.webhooks.find(({ name }) => name === "refunds")?.id;
  expect((await stack.webhooks("resolve", "--stack", "dev", `--found=refunds=${found}`)).code).toBe(0);
  await stack.declare(plugin('\nnew Webhook("new", { url: "https://example.com/c" });'));
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create new", `update ${found}`]);
  await stack.expectNoChanges();

  const back = (name: string, fields: string) =>
    `new webhooks.Webhook("${name}", { ${fields} }, { aliases: [{ type: "webhooks:index:Webhook" }] });\n`;
  await stack.declare(
    back("orders", 'url: "https://example.com/a", secret: config.requireSecret("hookSecret")') +
      back("refunds", 'url: "https://example.com/b"') +
      back("new", 'url: "https://example.com/c"'),
  );
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  await stack.expectNoChanges();
  await stack.ok("refresh", "--yes");
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("imports a webhook with the engine's option, and confirms it with the next up", async () => {
  await using stack = await createStack({});
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  await stack.declare(orders('url: "https://example.com/a"', '{ import: "1" }'));
  const incomplete = await stack.fails("preview");
  expect(incomplete).toContain("name: is missing: the option import requires the name in the dashboard");
  expect(incomplete).toContain("enabled: is missing: the option import requires true or false");
  await stack.declare(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  const refused = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(refused).toContain("Deleting webhook 1 failed: it was imported");
  const up = await stack.up();
  expect(up).toContain("Its secret was not sent: the API cannot change secrets.");
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", url: "https://example.com/a", name: "Orders", enabled: true },
  ]);
  await stack.expectNoChanges();

  await stack.declare(
    `${orders(`${plain}, enabled: true`)}\nnew Webhook("again", { ${plain}, enabled: true }, { import: "1" });`,
  );
  expect(await stack.fails("preview")).toContain("webhook 1 belongs to another resource of this stack");
  await stack.declare(orders(`${plain}, enabled: true`));
  await stack.expectNoChanges();
});

it("imports a webhook with pulumi import", async () => {
  await using stack = await createStack({ program: orders(plain), config: { "webhooks:drift": "probe" } });
  stack.api.dashboard.create({ url: "https://example.com/a", name: "Orders", enabled: true });
  const missing = await stack.fails(
    "import",
    "webhooks:index:Webhook",
    "orders",
    "7",
    "--yes",
    "--generate-code=false",
    "--protect=false",
  );
  expect(missing).toContain("the API has no webhook with this id");
  await stack.ok(
    "import",
    "webhooks:index:Webhook",
    "orders",
    "1",
    "--yes",
    "--generate-code=false",
    "--protect=false",
  );
  await stack.up();
  expect(stack.takeCalls().at(-1)).toBe("update 1");
  await stack.expectNoChanges();
});

it("manages two accounts, and names the argument that is wrong", async () => {
  const other = await startSimulator({ apiKey: "key-canary-eu" });
  await using stack = await createStack({ config: { euKey: "key-canary-eu" } });
  const program = (args: string) => `${PLUGIN}
    const eu = new Provider("eu", { ${args} });
    new Webhook("orders", { url: "https://example.com/a" });
    new Webhook("eu-orders", { url: "https://example.com/a" }, { provider: eu });`;
  await stack.declare(program(`apiKey: config.require("euKey")`));
  expect(await stack.fails("preview")).toContain("baseUrl of the Provider eu is missing.");
  await stack.declare(program(`apiKey: config.require("euKey"), baseUrl: "${other.url}", timeout: 5`));
  expect(await stack.fails("preview")).toContain(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout (did you mean timeoutSeconds?)",
  );
  await stack.declare(program(`apiKey: pulumi.secret("wrong"), baseUrl: "${other.url}"`));
  const refused = await stack.upFails();
  expect(refused).toContain("The API key was refused");
  await stack.declare(program(`apiKey: config.require("euKey"), baseUrl: "${other.url}"`));
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
  expect(other.webhooks).toMatchObject([{ name: "eu-orders" }]);
  expect(await stack.state()).not.toContain("key-canary-eu");
  await stack.expectNoChanges();
  // A rotated key replaces nothing.
  other.apiKey = "key-canary-new";
  await stack.configure({ euKey: "key-canary-new" });
  expect(await stack.up()).toContain("~ 1 updated");
  await stack.expectNoChanges();
  await stack.destroy();
  expect(other.webhooks).toEqual([]);
  await other.close();
});

it("previews with a key that is not known yet", async () => {
  await using stack = await createStack({});
  await stack.declare(`${PLUGIN}
    const first = new Webhook("first", { url: "https://example.com/a" });
    const own = new Provider("own", { apiKey: pulumi.secret(first.createdAt.apply(() => "${KEY}")), baseUrl: "${stack.api.url}" });
    new Webhook("second", { url: "https://example.com/b" }, { provider: own });`);
  await stack.ok("preview");
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(2);
  await stack.expectNoChanges();
});

it("refuses wrong settings in a preview", async () => {
  await using stack = await createStack({
    program: orders(plain),
    config: { "webhooks:timeoutSeconds": "soon", "webhooks:Drift": "probe" },
  });
  const output = await stack.fails("preview");
  expect(output).toContain("webhooks:timeoutSeconds must be a number of seconds, from 0.1 to 3600.");
  expect(output).toContain("Drift (did you mean drift?)");
});

it("shows drift in a plain preview with webhooks:refreshBeforeUpdate, with the oldest SDK too", async () => {
  await using stack = await createStack({
    sdk: "oldest",
    program: orders(plain),
    config: { "webhooks:drift": "probe", "webhooks:refreshBeforeUpdate": "true" },
  });
  await stack.up();
  await stack.expectNoChanges();
  stack.api.dashboard.edit("1", { enabled: false });
  const preview = await stack.ok("preview", "--diff");
  expect(preview).toContain("~ enabled: false => true");
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", enabled: true }]);
  await stack.expectNoChanges();
});

it("renames a webhook in doubt by an alias, and replaces none without an answer", async () => {
  const doubtful = (name: string, options: string) =>
    `${PLUGIN}new Webhook("${name}", { url: "https://example.com/a", name: "Orders" }, ${options});`;
  await using stack = await createStack({ program: doubtful("orders", "{}") });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  stack.takeCalls();
  const [{ id = "" } = {}] = await stack.recorded();
  await stack.declare(doubtful("renamed", '{ aliases: [{ name: "orders" }], replaceOnChanges: ["*"] }'));
  const output = await stack.upFails();
  expect(output).toContain("Webhook Orders is in doubt, so its create is not sent again");
  await stack.declare(doubtful("renamed", '{ aliases: [{ name: "orders" }] }'));
  expect(await stack.upFails()).toContain("an earlier run got no clear reply.");
  expect(await stack.recorded()).toMatchObject([
    { id, urn: "urn:pulumi:dev::test::webhooks:index:Webhook::renamed" },
  ]);
  // Without an alias it may be the same webhook.
  await stack.declare(doubtful("other", "{}"));
  expect(await stack.upFails()).toContain("It is unknown whether the API created the webhook of");
  expect(stack.takeCalls()).toEqual([]);
  await stack.declare(doubtful("renamed", "{}"));
  await stack.up("--replace", "urn:pulumi:dev::test::webhooks:index:Webhook::renamed");
  expect(stack.takeCalls()).toEqual(["create Orders"]);
  await stack.expectNoChanges();
});

it("follows replaceOnChanges, ignoreChanges, protect, retainOnDelete and deletedWith", async () => {
  await using stack = await createStack({ program: orders(plain, '{ replaceOnChanges: ["url"] }') });
  await stack.up();
  const moved = plain.replace("/a", "/b");
  await stack.declare(orders(moved, '{ replaceOnChanges: ["url"] }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Orders", "create Orders", "delete 1"]);

  const ignoring = (ignored: string) =>
    orders(moved.replace("Orders", "Others"), `{ protect: true, ignoreChanges: ["${ignored}"] }`);
  for (const ignored of ["name", "*"]) {
    await stack.declare(ignoring(ignored));
    await stack.expectNoChanges();
  }
  await stack.up();
  await stack.declare("");
  expect(await stack.fails("preview")).toContain("protected");
  const below = `${orders(moved, "{ retainOnDelete: true }")}
    const parent = new Webhook("parent", { url: "https://example.com/parent" });
    new Webhook("child", { url: "https://example.com/child" }, { deletedWith: parent });`;
  await stack.declare(below);
  await stack.up();
  stack.takeCalls();
  await stack.destroy();
  expect(stack.takeCalls()).toHaveLength(1);
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(["Orders", "child"]);
});

it("sends nothing more when only the engine is killed, and ends the plugin after the requests in flight", async () => {
  const webhooks = Array.from(
    { length: 10 },
    (_, n) => `new Webhook("hook-${n}", { url: "https://example.com/${n}" });`,
  );
  await using stack = await createStack({
    program: PLUGIN + webhooks.join("\n"),
    config: { "webhooks:maxConnections": "2" },
  });
  const fault = { kind: "latency", milliseconds: 3000 } as const;
  const run = await upWithCreateInFlight(stack, { fault, creates: 2 });
  const orphan = await findProviderProcess(run);
  run.child.kill("SIGKILL");
  await run.ended;
  await expect.poll(() => isRunning(orphan), { timeout: 30_000 }).toBe(false);
  await stack.ok("cancel", "--yes");
  expect(stack.takeCalls()).toHaveLength(2);
  expect(stack.api.webhooks).toHaveLength(2);
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "saves a create in flight when every process of a run gets %s",
  async (signal) => {
    await using stack = await createStack({ program: orders(plain) });
    const { child, ended } = await upWithCreateInFlight(stack, {
      fault: { kind: "latency", milliseconds: 2000 },
    });
    await signalAll(child, signal);
    const { output } = await ended;
    expect({ output, recorded: (await stack.recorded()).map(({ id }) => id) }).toMatchObject({
      recorded: ["1"],
    });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders"]);
    await stack.expectNoChanges();
  },
);

it("compares the webhooks of both providers with the command drift", async () => {
  const program = `${PLUGIN}new Webhook("orders", { url: "https://example.com/a" });
    new webhooks.Webhook("refunds", { url: "https://example.com/b" });`;
  await using stack = await createStack({ program, config: { "webhooks:drift": "probe" } });
  await stack.up();
  for (const { id } of stack.api.webhooks) stack.api.dashboard.edit(id, { enabled: false });
  const { code, output } = await stack.webhooks("drift", "--stack", "dev");
  expect(output).toContain("orders");
  expect(output).toContain("refunds");
  expect(code).toBe(7);
});

it("manages 200 webhooks side by side", async () => {
  const program = `${PLUGIN}for (let n = 0; n < 200; n++) {
    new Webhook(\`hook-\${n}\`, { url: \`https://example.com/\${n}\`, secret: config.requireSecret("hookSecret") });
  }`;
  await using stack = await createStack({ program });
  await stack.up("--parallel", "64");
  expect(new Set(stack.takeCalls()).size).toBe(200);
  await stack.expectNoChanges();
  await stack.destroy("--parallel", "64");
  expect(stack.api.webhooks).toEqual([]);
});

it("duplicates and loses none of ten creates in flight when everything is killed", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `hook-${n}`);
  const program = names.map((name) => `new Webhook("${name}", { url: "https://example.com/${name}" });`);
  await using stack = await createStack({ program: PLUGIN + program.join("\n") });
  stack.api.inject({ operation: "create", times: 5, fault: { kind: "hang", commit: true } });
  const fault = { kind: "hang", commit: false } as const;
  await kill(stack, await upWithCreateInFlight(stack, { fault, creates: 5, args: ["--parallel", "32"] }));
  stack.takeCalls();
  stack.api.clearFaults();
  await stack.upFails("--continue-on-error");
  expect(stack.takeCalls()).toEqual([]);

  const idOf = (name: string) => stack.api.webhooks.find((webhook) => webhook.name === name)?.id;
  const answers = names.flatMap((name) => {
    const id = idOf(name);
    return id === undefined ? ["--none", name] : ["--found", `${name}=${id}`];
  });
  expect(await stack.webhooks("resolve", "--stack", "dev", ...answers)).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(names);
  await stack.expectNoChanges();
});

it("writes no key and no secret anywhere that a person reads", async () => {
  const secret = (text: string) => `pulumi.secret("${text}")`;
  const program = orders(
    `url: ${secret("https://example.com/canary-url")}, name: ${secret("canary-name")}, secret: config.requireSecret("hookSecret")`,
  );
  await using stack = await createStack({ program, config: { "webhooks:drift": "probe" } });
  stack.api.inject({ operation: "create", fault: { kind: "status", status: 400 } });
  const outputs = [await stack.ok("preview", "--diff"), await stack.upFails(), await stack.up()];
  stack.api.dashboard.edit("1", { enabled: false });
  outputs.push(await stack.ok("preview", "--refresh", "--diff"), await stack.ok("refresh", "--yes"));
  outputs.push(await stack.up(), await stack.state(), await stack.destroy());
  for (const canary of [KEY, SECRET, "canary-url", "canary-name"])
    expect(outputs.join()).not.toContain(canary);
});
