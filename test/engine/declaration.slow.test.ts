import { expect, it } from "vitest";
import { Stack } from "./stack.js";

it("shows no difference of a webhook without enabled when a refresh runs the program", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/orders" });',
  });
  await stack.up();
  const refreshed = await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
  expect(refreshed).toContain("Webhook orders refreshing");
  expect(refreshed).not.toContain("diff:");
});

const declared = (fields: string, options = "{}") =>
  `new webhooks.Webhook("orders", { ${fields} }, ${options});`;

it("replaces a webhook when an input changes that replaceOnChanges lists, and no other", async () => {
  await using stack = await Stack.create({ program: declared('url: "https://example.com/a"') });
  await stack.up();
  const option = '{ replaceOnChanges: ["enabled"] }';
  await stack.declare(declared('url: "https://example.com/a"', option));
  await stack.expectNoChanges();
  await stack.declare(declared('url: "https://example.com/b"', option));
  await stack.up();
  await stack.declare(declared('url: "https://example.com/b", enabled: false', option));
  expect(await stack.up()).toContain(
    "Webhook 1 (orders) must be replaced: the option replaceOnChanges includes enabled.",
  );
  expect(stack.takeCalls()).toEqual(["create orders", "update 1", "create orders", "delete 1"]);
  await stack.expectNoChanges();
});

it("imports a webhook whose id is a number, as in a YAML file", async () => {
  const all = 'url: "https://example.com/a", name: "Legacy", enabled: true';
  await using stack = await Stack.create({ program: declared(all, '{ import: JSON.parse("1") }') });
  stack.api.dashboard.create({ url: "https://example.com", name: "Legacy", enabled: false });
  await stack.up();
  await stack.declare(declared(all, '{ import: "1" }'));
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toEqual(["update 1"]);
});

it("fails to get a webhook that the API does not have", async () => {
  const program = `
    const missing = webhooks.Webhook.get("missing", "4711");
    new webhooks.Webhook("copy", { url: "https://example.com/a", name: pulumi.interpolate\`copy of \${missing.name}\` });`;
  await using stack = await Stack.create({ program, config: { "webhooks:drift": "probe" } });
  expect(await stack.fails("preview")).toContain("the API has no webhook with this id");
  expect(await stack.upFails()).toContain("the API has no webhook with this id");
  expect(stack.takeCalls()).toEqual(["update 4711 -> 404", "update 4711 -> 404"]);
  expect(await stack.recorded()).toEqual([]);
});

it("warns of a secret that a transform sets, until it is recorded", async () => {
  const transform = (value: string) => `
    pulumi.runtime.registerStackTransformation(({ props, opts }) => ({ props: { ...props, secret: ${value} }, opts }));`;
  const warning =
    "warning: A transform set the secret of webhook orders. Make sure that it passes pulumi.secret(…)";
  const url = 'url: "https://example.com/a"';
  await using stack = await Stack.create({
    program: transform('pulumi.secret("whsec-canary")') + declared(`${url}, secret: "whsec-canary"`),
  });
  expect(await stack.ok("preview")).not.toContain("warning");
  await stack.declare(transform('pulumi.secret("whsec-canary")') + declared(url));
  expect(await stack.ok("preview")).toContain(warning);
  expect(await stack.up()).toContain(warning);
  expect(await stack.state()).not.toContain("canary");
  const next = await stack.ok("preview", "--expect-no-changes");
  expect(next).not.toContain("warning");
});

it("shows a secret name neither in messages nor in the state", async () => {
  const program = (url: string) => declared(`url: "${url}", name: pulumi.secret("name-canary")`);
  await using stack = await Stack.create({ program: program("https://example.com/a") });
  const outputs = [await stack.ok("preview", "--diff"), await stack.up()];
  await stack.declare(program("https://example.com/b"));
  stack.api.inject({ fault: { kind: "status", status: 422, body: '{"message":"name-canary is taken"}' } });
  outputs.push(await stack.upFails());
  await stack.up();
  stack.api.inject({ fault: { kind: "status", status: 403 } });
  outputs.push(await stack.fails("destroy", "--yes", "--skip-preview"), await stack.state());
  expect(outputs.join()).toContain("Deleting webhook 1 ([secret]) failed");
  expect(outputs.filter((output) => output.includes("name-canary"))).toEqual([]);
});

it("keeps a secret url and name out of the state if an update fails that makes them plain", async () => {
  const program = (url: string, name: string) =>
    declared(`url: pulumi.secret("${url}"), name: pulumi.secret("${name}")`);
  const plain = declared('url: "https://example.com/a", name: "Orders"');
  await using stack = await Stack.create({
    program: program("https://example.com/url-canary", "name-canary"),
  });
  await stack.up();
  await stack.ok("refresh", "--yes", "--skip-preview");
  expect(await stack.state()).not.toContain("canary");
  await stack.declare(plain);
  stack.api.inject({
    operation: "update",
    fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1,"enabled":"false"}}}' },
  });
  expect(await stack.upFails()).toContain("it should be enabled");
  expect(await stack.state()).not.toContain("canary");
  await stack.up();
  expect(await stack.recorded()).toMatchObject([
    { outputs: { url: "https://example.com/a", name: "Orders" } },
  ]);
  await stack.expectNoChanges();
});

it("shows the details of an error once, although Pulumi reports it twice", async () => {
  await using stack = await Stack.create({ program: declared('url: "https://example.com/a"') });
  await stack.up();
  stack.api.inject({ fault: { kind: "status", status: 403 } });
  const [, diagnostics = ""] = (await stack.fails("destroy", "--yes", "--skip-preview")).split(
    "Diagnostics:",
  );
  expect(diagnostics.match(/.*Deleting webhook 1.*/g)?.sort()).toEqual([
    "    Deleting webhook 1 (orders) failed: see the error of this resource.",
    expect.stringContaining(
      "error: Deleting webhook 1 (orders) failed: 403 Forbidden from POST /webhooks/delete.",
    ),
  ]);
});
