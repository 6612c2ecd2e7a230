import { expect, it } from "vitest";
import { Stack } from "./stack.js";

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const all = 'url: "https://example.com/a", name: "Legacy", enabled: true';
const legacy = (fields: string, options: string, name = "legacy") =>
  `new webhooks.Webhook("${name}", { ${fields} }, ${options});\n`;

async function stackWithLegacy(program: string): Promise<Stack> {
  const stack = await Stack.create({ program, simulator: { behaviour: { firstId: "4711" } } });
  stack.api.dashboard.create({
    url: "https://example.com/old",
    name: "Old",
    secret: "made in the dashboard",
    enabled: false,
  });
  return stack;
}

it("adopts a webhook of the dashboard with one full update, and the option may go afterwards", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711" }'));
  await stack.ok("preview");
  expect(stack.takeCalls()).toEqual([]);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 4711"]);
  expect(stack.api.webhooks).toMatchObject([
    { id: "4711", name: "Legacy", url: "https://example.com/a", enabled: true },
  ]);
  await stack.expectNoChanges();
  await stack.declare(legacy(all, "{}"));
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("refuses, in a preview, an adoption that would have to guess a field", async () => {
  await using stack = await stackWithLegacy(legacy("", '{ import: "4711" }').replace("{  }", "{} as any"));
  const output = await stack.fails("preview");
  expect(output).toContain("url: is missing");
  expect(output).toContain("name: is missing");
  expect(output).toContain("enabled: is missing");
  expect(stack.takeCalls()).toEqual([]);
});

it("refuses an id that the API does not know, and one that two resources want, and records neither", async () => {
  const twin = legacy(all, '{ import: "4711" }', "one") + legacy(all, '{ import: "4711" }', "two");
  await using stack = await stackWithLegacy(legacy(all, '{ import: "99" }') + twin);
  const output = await stack.upFails("--continue-on-error");
  expect(output).toContain("Adopting webhook 99 (Legacy) failed: the API has no webhook with this id.");
  expect(output).toContain("Legacy adopts the same webhook. Two resources cannot own one");
  expect(stack.takeCalls().sort()).toEqual(["update 4711", "update 99 -> 404"]);
  expect((await stack.recorded()).map(({ id }) => id)).toEqual(["4711"]);
});

it("never deletes an adopted webhook by a new secret or by --replace while import is set", async () => {
  const adopting = legacy(`${all}, secret: config.requireSecret("hookSecret")`, '{ import: "4711" }');
  await using stack = await stackWithLegacy(adopting);
  expect(await stack.up()).toContain("its declared secret is taken to be the one it has");
  stack.takeCalls();

  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  expect(await stack.upFails()).toContain("Remove import, and run it again");
  expect(stack.takeCalls()).toEqual([]);

  await stack.configure({}, { hookSecret: "whsec-canary-0815" });
  expect(await stack.up("--replace", `${URN}legacy`)).toContain("Webhook 4711 (Legacy) is kept at the API");
  expect(stack.takeCalls()).toEqual(["update 4711"]);
  await stack.declare(adopting.replace("{ import", "{ deleteBeforeReplace: true, import"));
  expect(await stack.upFails("--replace", `${URN}legacy`)).toContain("deleteBeforeReplace cannot be done");
  expect(stack.takeCalls()).toEqual([]);
  expect(stack.api.webhooks).toMatchObject([{ id: "4711", secret: "made in the dashboard" }]);

  await stack.declare(adopting.replace('import: "4711"', 'import: "4712"'));
  expect(await stack.upFails()).toContain("Declare that one under a name of its own");
  await stack.declare(adopting.replace('{ import: "4711" }', "{}"));
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Legacy", "delete 4711"]);
});

it("keeps the webhook where it moves to another name or parent, with an alias or with import", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711", protect: true }'));
  await stack.up();
  stack.takeCalls();
  const component = `
    class Team extends pulumi.ComponentResource {
      constructor(name: string) {
        super("test:Team", name);
        new webhooks.Webhook("renamed", { ${all} }, { parent: this, aliases: [{ name: "legacy", parent: pulumi.rootStackResource }], import: "4711" });
      }
    }
    new Team("team");`;
  await stack.declare(component);
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);

  // Without an alias Pulumi takes it for another resource: adopted first, and then the old record is dropped.
  await stack.declare(legacy(all, '{ import: "4711" }', "third"));
  expect(await stack.up()).toContain("Webhook 4711 (Legacy) is kept at the API");
  expect(stack.takeCalls()).toEqual(["update 4711"]);
  expect(stack.api.webhooks).toMatchObject([{ id: "4711" }]);
  await stack.expectNoChanges();
});

it("keeps a webhook that was renamed in an up that failed, also where import is removed before the next", async () => {
  await using stack = await stackWithLegacy(legacy(all, "{}"));
  await stack.up();
  const [own = ""] = stack.api.webhooks.map(({ id }) => id).filter((id) => id !== "4711");
  stack.takeCalls();
  const refused = 'new webhooks.Webhook("other", { url: "https://example.com/b" }, { dependsOn: renamed });';
  stack.api.inject({ operation: "create", fault: { kind: "status", status: 422 } });
  const renamed = `const renamed = ${legacy(all, `{ import: "${own}" }`, "renamed")}`;
  await stack.declare(renamed + refused);
  await stack.upFails();
  expect((await stack.recorded()).map(({ id }) => id)).toEqual([own, own]);
  stack.takeCalls();

  await stack.declare(legacy(all, "{}", "renamed"));
  expect(await stack.up()).toContain(`Webhook ${own} (Legacy) is kept at the API`);
  expect(stack.takeCalls()).toEqual([]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks.map(({ id }) => id)).toEqual(["4711"]);
});

it("deletes an adopted webhook with a destroy that runs the program", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711" }'));
  await stack.up();
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
