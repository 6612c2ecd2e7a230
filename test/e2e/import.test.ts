import { expect, it } from "vitest";
import { Stack } from "../support/stack.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const all = 'url: "https://example.com/a", name: "Legacy", enabled: true';
const legacy = (fields: string, options: string, name = "legacy") =>
  `new webhooks.Webhook("${name}", { ${fields} }, ${options});\n`;

async function stackWithLegacy(program: string): Promise<Stack> {
  const stack = await Stack.create({ program, simulator: { behavior: { firstId: "4711" } } });
  const old = { url: "https://example.com/old", name: "Old", enabled: false };
  stack.api.dashboard.create({ ...old, secret: "made in the dashboard" });
  return stack;
}

it("imports a webhook with one full update, shows no change when the option is removed, and deletes it in a destroy", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711" }'));
  expect(await stack.ok("preview")).toMatch(/creates none of these webhooks: .*warning: - legacy: imported/s);
  expect(stack.takeCalls()).toEqual([]);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 4711"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "4711", name: "Legacy", url: "https://example.com/a", enabled: true },
  ]);
  for (const options of ["{}", '{ import: "4711" }']) {
    await stack.declare(legacy(all, options));
    await stack.expectNoChanges();
  }
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});

it("never deletes an imported webhook for --replace while import is set", async () => {
  const importing = legacy(`${all}, secret: config.requireSecret("hookSecret")`, '{ import: "4711" }');
  await using stack = await stackWithLegacy(importing);
  expect(await stack.up()).toContain("The API cannot change secrets, so the declared ones");
  stack.takeCalls();
  for (const options of ["{ import", "{ deleteBeforeReplace: true, import"]) {
    await stack.declare(importing.replace("{ import", options));
    expect(await stack.upFails("--replace", `${URN}legacy`)).toContain(
      "the option import would import the old one again. Remove import",
    );
  }
  expect(stack.takeCalls()).toEqual([]);
  expect(stack.api.webhooks).toMatchObject([{ id: "4711", secret: "made in the dashboard" }]);

  await stack.declare(importing.replace('{ import: "4711" }', "{}"));
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Legacy", "delete 4711"]);
});

it("imports a webhook with the engine's option by the plugin, and sends it with the next up", async () => {
  const orders = (fields: string, options = "{}") => legacy(fields, options, "orders");
  const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';
  await using stack = await Stack.create({ face: "plugin" });
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  await stack.deploy(orders(`${plain}, enabled: true`, '{ import: "1" }'));
  const preview = await stack.ok("preview", "--diff");
  expect(preview).toContain("pulumi up sends all fields but the secret to these imported webhooks");
  expect(preview).toMatch(
    /\+ enabled *: true\n.*\+ name *: "Orders"\n(?:.*\n)?.*\+ url *: "https:\/\/example.com\/a"/,
  );
  expect(stack.takeCalls()).toEqual([]);
  const up = await stack.up();
  expect(up).toContain("The API cannot change secrets, so the declared ones of these imported webhooks");
  expect(stack.takeCalls()).toEqual(["update 1"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "1", url: "https://example.com/a", name: "Orders", enabled: true },
  ]);
  await stack.expectNoChanges();

  await stack.declare(orders(`${plain}, enabled: true`));
  await stack.expectNoChanges();
});

it("imports a webhook by pulumi import, and says what a get of the SDK reads", async () => {
  const get = 'new webhooks.Webhook("got", {} as any, { id: "1" });';
  await using stack = await Stack.create({
    face: "plugin",
    program: `${get} export const { url } = got;`.replace("new", "const got = new"),
  });
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
  expect(await stack.up()).toContain("a get has no outputs but the id. After an import, run pulumi up");
  expect(await stack.outputs()).toEqual({});
  expect(await stack.recorded()).toMatchObject([{ id: "1", external: true }]);

  const imported = ["webhooks:index:Webhook", "legacy", "1", "--yes", "--generate-code=false"];
  await stack.ok("import", ...imported);
  await stack.deploy(legacy(all, "{ protect: true }"));
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});
