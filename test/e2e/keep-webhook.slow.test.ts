import { expect, it } from "vitest";
import { webhook } from "../support/programs.js";
import { FACES, Stack } from "../support/stack.js";

/** Two resources of a provider that somebody has written. It must delete nothing. */
const handWritten = (optionsOfOrders: string) => `
  class Hook extends pulumi.dynamic.Resource {
    constructor(name: string, id: string, options?: pulumi.CustomResourceOptions) {
      const remove = async () => { throw new Error("It is deleted."); };
      super({ create: async () => ({ id, outs: {} }), delete: remove }, name, {}, options);
    }
  }
  new Hook("orders", "1", ${optionsOfOrders});
  new Hook("refunds", "2");`;

it("takes webhooks over from a hand-written provider, as docs/migration.md says", async () => {
  await using stack = await Stack.create({ program: handWritten("{}") });
  for (const name of ["orders", "refunds"])
    stack.api.dashboard.create({ url: `https://example.com/${name}`, name, enabled: true });
  await stack.up();
  await stack.deploy(handWritten("{ retainOnDelete: true }"));
  await stack.ok("state", "delete", "urn:pulumi:dev::test::pulumi-nodejs:dynamic:Resource::refunds", "--yes");

  const declare = (importing: (id: string) => string) => {
    const fields = (name: string) => `, name: "${name}", enabled: true`;
    const refunds = webhook("refunds", fields("refunds"), importing("2"));
    return stack.declare(webhook("orders", fields("orders"), importing("1")) + refunds);
  };
  await declare((id) => `{ import: "${id}" }`);
  const preview = await stack.ok("preview");
  expect(preview).toContain("orders delete[retain]");
  expect(preview).not.toContain("refunds delete");
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2"]);

  await declare(() => "{}");
  await stack.expectNoChanges();
  expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(["1", "2"]);
});

/** What each of two stacks declares. */
const split = (parts: Record<"dev" | "second", string[]>, options = "{}") => `
  const parts: Record<string, string[]> = ${JSON.stringify(parts)};
  const names = parts[pulumi.getStack()];
  class Team extends pulumi.ComponentResource {}
  const team = names.includes("a") ? new Team("test:Team", "team") : undefined;
  for (const name of names)
    new webhooks.Webhook(name, { url: "https://example.com/" + name, name, enabled: true, secret: config.requireSecret("hookSecret") },
      name === "a" ? { parent: team } : name === "b" ? ${options} : {});`;

it.each(FACES)("splits a stack by pulumi state move, as docs/import.md says (%s)", async (face) => {
  await using stack = await Stack.create({ face, program: split({ dev: ["a", "b", "c"], second: ["d"] }) });
  await stack.up();
  await stack.ok("stack", "init", "second", "--copy-config-from", "dev");
  await stack.up("--stack", "second");
  stack.takeCalls();
  const move = ["state", "move", "--source", "dev", "--dest", "second", "--yes"];
  const ofTeam = stack.urn("a").replace("::test::", "::test::test:Team$");
  await stack.ok(...move, "--include-parents", ofTeam);
  const expectNoChanges = async () => {
    for (const name of ["dev", "second"]) await stack.expectNoChanges("--stack", name);
  };
  await stack.declare(split({ dev: ["b", "c"], second: ["d", "a"] }));
  await expectNoChanges();

  // The default dynamic provider has the whole config of its stack, that of a plugin the settings.
  await stack.ok("config", "set", "--stack", "second", "team", "orders");
  await stack.up("--stack", "second");
  const moved = await stack.run(...move, stack.urn("b"));
  const isPlugin = face === "plugin";
  expect(moved).toMatchObject(
    isPlugin ? { code: 0 } : { output: expect.stringContaining("already exists in destination stack") },
  );
  const next = { dev: ["c"], second: ["d", "a", "b"] };
  if (!isPlugin) {
    await stack.ok("state", "delete", stack.urn("b"), "--yes");
    await stack.declare(split(next, `{ import: "${stack.idOf("b")}" }`));
    await stack.up("--stack", "second");
  }
  await stack.declare(split(next));
  await expectNoChanges();
  expect(stack.takeCalls()).toEqual(isPlugin ? [] : [`update ${stack.idOf("b")}`]);
  expect(stack.api.webhooks.map(({ name }) => name).sort()).toEqual(["a", "b", "c", "d"]);
});
