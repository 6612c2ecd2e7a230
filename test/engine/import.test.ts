import { expect, it } from "vitest";
import { KEY, Stack } from "./stack.js";

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

it("imports a webhook with one full update, and shows no change when the option is removed", async () => {
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

it("refuses an import without url, name or enabled in a preview", async () => {
  await using stack = await stackWithLegacy(legacy("", '{ import: "4711" }').replace("{  }", "{} as any"));
  const output = await stack.fails("preview");
  expect(output).toContain("url: is missing");
  expect(output).toContain("name: is missing");
  expect(output).toContain("enabled: is missing");
  expect(stack.takeCalls()).toEqual([]);
});

it("refuses to import an unknown id, or one id twice, and records neither", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "99" }'));
  expect(await stack.upFails()).toContain(
    "Importing webhook 99 (Legacy) failed: the API has no webhook with this id.",
  );
  expect(stack.takeCalls()).toEqual(["update 99 -> 404"]);

  const one = legacy(all, '{ import: "4711" }', "one");
  await stack.declare(one + legacy(all, '{ import: "4711" }', "two"));
  for (const output of [await stack.fails("preview"), await stack.upFails()]) {
    expect(output).toContain(`webhook 4711 belongs to another resource of this stack, ${URN}`);
  }
  await stack.declare(one);
  await stack.up();
  expect((await stack.recorded()).map(({ id }) => id)).toEqual(["4711"]);
  expect(stack.takeCalls()).toEqual(["update 4711"]);
});

it("never deletes an imported webhook for a new secret or --replace while import is set", async () => {
  const importing = legacy(`${all}, secret: config.requireSecret("hookSecret")`, '{ import: "4711" }');
  await using stack = await stackWithLegacy(importing);
  expect(await stack.up()).toContain("was imported. Its secret was not sent");
  stack.takeCalls();

  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  expect(await stack.upFails()).toContain("Remove import, then run pulumi up again.");
  expect(stack.takeCalls()).toEqual([]);

  await stack.configure({}, { hookSecret: "whsec-canary-0815" });
  for (const options of ["{ import", "{ deleteBeforeReplace: true, import"]) {
    await stack.declare(importing.replace("{ import", options));
    expect(await stack.upFails("--replace", `${URN}legacy`)).toContain(
      "the program imports the webhook that it replaces. Remove import",
    );
  }
  expect(stack.takeCalls()).toEqual([]);
  expect(stack.api.webhooks).toMatchObject([{ id: "4711", secret: "made in the dashboard" }]);

  await stack.declare(importing.replace('import: "4711"', 'import: "4712"'));
  expect(await stack.upFails()).toContain("To import that webhook, declare another resource.");
  await stack.declare(importing.replace('{ import: "4711" }', "{}"));
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create Legacy", "delete 4711"]);
});

it("keeps a webhook that moves to another name or parent with an alias", async () => {
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
  await stack.expectNoChanges();
});

it("refuses to import another resource's webhook, in a preview already, whichever accounts they have", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711" }'));
  await stack.up();
  stack.takeCalls();
  const account = `const main = new webhooks.Provider("main", { apiKey: config.requireSecret("key"), baseUrl: "${stack.api.url}" });\n`;
  await stack.configure({}, { key: KEY });
  const other = legacy(all, '{ import: "4711" }', "other");
  for (const program of [
    other,
    legacy(all, "{}") + other,
    account + legacy(all, '{ import: "4711", provider: main }', "other"),
  ]) {
    await stack.declare(program);
    for (const output of [await stack.fails("preview"), await stack.upFails("--continue-on-error")]) {
      expect(output).toContain(`webhook 4711 belongs to another resource of this stack, ${URN}legacy.`);
      expect(output).toContain(`add the option aliases: ["${URN}legacy"] instead`);
    }
  }
  expect(stack.takeCalls()).toEqual([]);

  // As the message says.
  await stack.declare(account + legacy(all, `{ provider: main, aliases: ["${URN}legacy"] }`, "other"));
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  expect(stack.api.webhooks).toMatchObject([{ id: "4711" }]);
  await stack.expectNoChanges();
});

it("deletes an imported webhook in a destroy with --run-program", async () => {
  await using stack = await stackWithLegacy(legacy(all, '{ import: "4711" }'));
  await stack.up();
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
