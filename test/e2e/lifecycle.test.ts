import { expect, it } from "vitest";
import { Stack, TESTED_FACES } from "../support/stack.js";

const orders = (fields: string) => `const orders = new webhooks.Webhook("orders", { ${fields} });\n`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';
const moved = plain.replace("/a", "/b");

/** A webhook whose fields are outputs of another one, which a preview does not know. */
const after = `
  export const id = orders.id;
  new webhooks.Webhook("after", {
    url: pulumi.interpolate\`https://example.com/after/\${orders.id}\`,
    name: orders.createdAt.apply((createdAt) => \`after \${createdAt}\`),
    secret: orders.id,
    enabled: orders.enabled.apply((enabled) => !enabled),
  });`;

it.each(TESTED_FACES.flatMap((face) => (["newest", "oldest"] as const).map((sdk) => ({ face, sdk }))))(
  "creates webhooks, updates them in place, replaces them when their secrets change, and deletes them ($face, $sdk SDK)",
  async ({ face, sdk }) => {
    await using stack = await Stack.create({ face, sdk, program: orders(plain) + after, typeCheck: true });
    const takeCalls = () => stack.takeCalls().map((call) => call.replace(/after 20\S+/, "after"));
    await stack.ok("preview");
    expect(stack.takeCalls()).toEqual([]);
    stack.environment.PULUMI_NODEJS_TRANSPILE_ONLY = "true";
    await stack.up();
    expect(takeCalls()).toEqual(["create Orders", "create after"]);
    const dependent = { name: expect.stringMatching(/^after 20/), secret: "1", enabled: false };
    expect(stack.api.webhooks).toMatchObject([
      { id: "1", url: "https://example.com/a", name: "Orders", secret: "whsec-canary-0815", enabled: true },
      { id: "2", url: "https://example.com/after/1", ...dependent },
    ]);
    expect(await stack.outputs()).toEqual({ id: "1" });
    await stack.expectNoChanges();

    await stack.deploy(orders(moved) + after);
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.deploy(orders(`${moved.replace("Orders", "All orders")}, enabled: false`) + after);
    expect(stack.takeCalls()).toEqual(["update 1", "update 2"]);
    const changed = { url: "https://example.com/b", name: "All orders", enabled: false };
    expect(stack.api.webhooks).toMatchObject([changed, { enabled: true }]);

    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await stack.up();
    expect(takeCalls()).toEqual(["create All orders", "create after", "delete 2", "delete 1"]);
    expect(stack.api.webhooks).toMatchObject([
      { id: "3", ...changed, secret: "whsec-canary-rotated" },
      { id: "4", secret: "3" },
    ]);
    await stack.expectNoChanges();

    await stack.destroy();
    expect(stack.takeCalls()).toEqual(["delete 4", "delete 3"]);
    expect(stack.api.webhooks).toEqual([]);
  },
);
