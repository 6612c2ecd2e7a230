import { expect, it } from "vitest";
import { Stack, TESTED_FACES } from "../support/stack.js";

const orders = (fields: string, options = "{}") =>
  `new webhooks.Webhook("orders", { ${fields} }, ${options});\n`;
const plain = 'url: "https://example.com/a", name: "Orders", secret: config.requireSecret("hookSecret")';
const moved = plain.replace("/a", "/b");

it("follows replaceOnChanges with the plugin", async () => {
  const replacing = '{ replaceOnChanges: ["url"] }';
  await using stack = await Stack.create({ face: "plugin", program: orders(plain) });
  await stack.up();
  await stack.declare(orders(plain, replacing));
  await stack.expectNoChanges();
  await stack.deploy(orders(`${plain}, enabled: false`, replacing));
  await stack.deploy(orders(`${moved}, enabled: false`, replacing));
  expect(stack.takeCalls()).toEqual(["create Orders", "update 1", "create Orders", "delete 1"]);
});

it.each(TESTED_FACES)("follows ignoreChanges, protect and retainOnDelete (%s)", async (face) => {
  await using stack = await Stack.create({ face, program: orders(`${moved}, enabled: false`) });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  const renamed = `${moved.replace("Orders", "Others")}, enabled: false`;
  for (const ignored of ['"secret", "name"', '"*"']) {
    await stack.declare(orders(renamed, `{ ignoreChanges: [${ignored}] }`));
    await stack.expectNoChanges();
  }
  const protecting = '{ protect: true, ignoreChanges: ["secret", "name"] }';
  await stack.declare(orders(renamed.replace("/b", "/c"), protecting));
  await stack.ok("preview");
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders", url: "https://example.com/c" }]);
  await stack.declare("");
  expect(await stack.fails("preview")).toContain("protected");

  await stack.deploy(orders(plain, "{ retainOnDelete: true }"));
  stack.takeCalls();
  await stack.configure({}, { hookSecret: "whsec-canary-again" });
  await stack.up();
  await stack.destroy();
  expect(stack.takeCalls()).toEqual(["create Orders"]);
});
