import { expect, it } from "vitest";
import type { StackOptions } from "./stack.js";
import { KEY, SECRET, Stack } from "./stack.js";

// What only the plugin can, or does in another way. The scenarios that both providers have in common run with both.

const createStack = (options: StackOptions = {}) => Stack.create({ face: "plugin", ...options });
const orders = (fields: string, options = "{}") =>
  `new webhooks.Webhook("orders", { ${fields} }, ${options});`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';

it("moves webhooks from the dynamic provider and back, without a request", async () => {
  const program = (options: string) => `
    new webhooks.Webhook("orders", { url: "https://example.com/a", secret: config.requireSecret("hookSecret") }, ${options});
    new webhooks.Webhook("refunds", { url: "https://example.com/b" }, ${options});`;
  await using stack = await createStack();
  await stack.declare(program("{}"), "dynamic");
  await stack.up();
  const before = (await stack.recorded()).map(({ id }) => id).sort();
  stack.takeCalls();

  await stack.declare(program("{}"));
  await stack.up();
  const moved = await stack.recorded();
  expect(moved.map(({ type }) => type)).toEqual(["webhooks:index:Webhook", "webhooks:index:Webhook"]);
  expect(moved.map(({ id }) => id).sort()).toEqual(before);
  await stack.expectNoChanges();

  await stack.declare(program('{ aliases: [{ type: "webhooks:index:Webhook" }] }'), "dynamic");
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  await stack.expectNoChanges();
  await stack.ok("refresh", "--yes");
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("imports a webhook with the engine's option, and confirms it with the next up", async () => {
  await using stack = await createStack();
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  await stack.declare(orders('url: "https://example.com/a"', '{ import: "1" }'));
  expect(await stack.fails("preview")).toContain(
    "Webhook 1 was imported, and the program does not set name and enabled: the next update confirms the import",
  );
  await stack.declare(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  const up = await stack.up();
  expect(up).toContain("Its secret was not sent: the API cannot change secrets.");
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", url: "https://example.com/a", name: "Orders", enabled: true },
  ]);
  await stack.expectNoChanges();

  await stack.declare(
    `${orders(`${plain}, enabled: true`)}\nnew webhooks.Webhook("again", { ${plain}, enabled: true }, { import: "1" });`,
  );
  expect(await stack.fails("preview")).toContain("webhook 1 belongs to another resource of this stack");
  await stack.declare(orders(`${plain}, enabled: true`));
  await stack.expectNoChanges();
});

it("imports a webhook with pulumi import", async () => {
  const program = orders(`${plain}, enabled: true`);
  await using stack = await createStack({ program, config: { "webhooks:drift": "probe" } });
  stack.api.dashboard.create({ url: "https://example.com/a", name: "Orders", enabled: true });
  const importing = (id: string) => [
    "import",
    "webhooks:index:Webhook",
    "orders",
    id,
    "--yes",
    "--generate-code=false",
    "--protect=false",
  ];
  expect(await stack.fails(...importing("7"))).toContain("the API has no webhook with this id");
  await stack.ok(...importing("1"));
  await stack.up();
  expect(stack.takeCalls().at(-1)).toBe("update 1");
  await stack.expectNoChanges();
});

it("names the argument of a Provider that is wrong, in a preview", async () => {
  const program = (args: string) => `
    const eu = new webhooks.Provider("eu", { apiKey: "key", ${args} } as any);
    new webhooks.Webhook("eu-orders", { url: "https://example.com/a" }, { provider: eu });`;
  await using stack = await createStack({ program: program("") });
  expect(await stack.fails("preview")).toContain("baseUrl of the Provider eu is missing.");
  await stack.declare(program(`baseUrl: "${stack.api.url}", timeout: 5`));
  expect(await stack.fails("preview")).toContain(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout (did you mean timeoutSeconds?)",
  );
});

it("previews with a key that is not known yet", async () => {
  await using stack = await createStack();
  await stack.declare(`
    const first = new webhooks.Webhook("first", { url: "https://example.com/a" });
    const own = new webhooks.Provider("own", { apiKey: pulumi.secret(first.createdAt.apply(() => "${KEY}")), baseUrl: "${stack.api.url}" });
    new webhooks.Webhook("second", { url: "https://example.com/b" }, { provider: own });`);
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
  expect(preview).toMatch(/~ enabled *: false => true/);
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", enabled: true }]);
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
    const parent = new webhooks.Webhook("parent", { url: "https://example.com/parent" });
    new webhooks.Webhook("child", { url: "https://example.com/child" }, { deletedWith: parent });`;
  await stack.declare(below);
  await stack.up();
  stack.takeCalls();
  await stack.destroy();
  expect(stack.takeCalls()).toHaveLength(1);
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(["Orders", "child"]);
});

it("compares the webhooks of both providers with the command drift", async () => {
  const program = `import * as dynamic from "pulumi-webhooks";
    new webhooks.Webhook("orders", { url: "https://example.com/a" });
    new dynamic.Webhook("refunds", { url: "https://example.com/b" });`;
  await using stack = await createStack({ program, config: { "webhooks:drift": "probe" } });
  await stack.up();
  for (const { id } of stack.api.webhooks) stack.api.dashboard.edit(id, { enabled: false });
  const { code, output } = await stack.webhooks("drift", "--stack", "dev");
  expect(output).toContain("orders");
  expect(output).toContain("refunds");
  expect(code).toBe(7);
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
