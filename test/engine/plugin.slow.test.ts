import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { kill, upWithCreateInFlight } from "./kill.js";
import type { StackOptions } from "./stack.js";
import { KEY, SECRET, Stack } from "./stack.js";

// Programs in other languages have an SDK; this one declares the same resource by its type alone.
const PLUGIN = `class Webhook extends pulumi.CustomResource {
    declare readonly url: pulumi.Output<string>;
    declare readonly createdAt: pulumi.Output<string>;
    constructor(name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
      const outputs = { name: undefined, enabled: undefined, createdAt: undefined, updatedAt: undefined };
      super("webhooks:index:Webhook", name, { ...outputs, ...args }, { version: "0.1.0", ...options });
    }
  }
  class Provider extends pulumi.ProviderResource {
    constructor(name: string, args: object) {
      super("webhooks", name, args, { version: "0.1.0" });
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

it("creates a webhook, updates each field in place, replaces it when the secret changes, and deletes it", async () => {
  await using stack = await createStack({ program: orders(plain) });
  expect(stack.takeCalls()).toEqual([]);
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
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create All orders", "delete 1"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "2", secret: "whsec-canary-rotated", enabled: false }]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.takeCalls()).toEqual(["delete 2"]);
  expect(stack.api.webhooks).toEqual([]);
});

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
  await stack.ok("preview");
  await stack.upFails();
  await stack.run("refresh", "--yes");
  await stack.upFails();
  expect(stack.takeCalls()).toEqual([]);
  await stack.declare(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  await stack.ok("preview");
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
  expect(preview).toContain("An earlier run was killed while it was creating webhook Orders.");
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
  const output = await stack.ok(
    "import",
    "webhooks:index:Webhook",
    "orders",
    "1",
    "--yes",
    "--generate-code=false",
    "--protect=false",
  );
  console.log(output);
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
  console.log(await stack.fails("preview"));
  await stack.declare(program(`apiKey: config.require("euKey"), baseUrl: "${other.url}", timeout: 5`));
  expect(await stack.fails("preview")).toContain(
    "The Provider eu of pulumi-webhooks has unknown arguments: timeout (did you mean timeoutSeconds?)",
  );
  await stack.declare(program(`apiKey: pulumi.secret("wrong"), baseUrl: "${other.url}"`));
  const refused = await stack.upFails();
  console.log(refused);
  expect(refused).toContain("The API key was refused");
  await stack.declare(program(`apiKey: config.require("euKey"), baseUrl: "${other.url}"`));
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
  expect(other.webhooks).toMatchObject([{ name: "eu-orders" }]);
  expect(await stack.state()).not.toContain("key-canary-eu");
  await stack.expectNoChanges();
  // A rotated key and a key that a preview does not know: neither replaces anything.
  other.apiKey = "key-canary-new";
  await stack.configure({ euKey: "key-canary-new" });
  console.log(await stack.up());
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
  console.log(output);
  expect(output).toContain("webhooks:timeoutSeconds must be a number of seconds, from 0.1 to 3600.");
  expect(output).toContain("Drift (did you mean drift?)");
});

it("shows drift in a plain preview with webhooks:refreshBeforeUpdate", async () => {
  await using stack = await createStack({
    program: orders(plain),
    config: { "webhooks:drift": "probe", "webhooks:refreshBeforeUpdate": "true" },
  });
  await stack.up();
  await stack.expectNoChanges();
  stack.api.dashboard.edit("1", { enabled: false });
  const preview = await stack.ok("preview", "--diff");
  console.log(preview);
  expect(preview).toContain("~ enabled: false => true");
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", enabled: true }]);
  await stack.expectNoChanges();
});
