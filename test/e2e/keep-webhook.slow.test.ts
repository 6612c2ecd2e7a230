import { expect, it } from "vitest";
import { webhook } from "../support/programs.js";
import { Stack } from "../support/stack.js";

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
  await stack.declare(handWritten("{ retainOnDelete: true }"));
  await stack.up();
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
