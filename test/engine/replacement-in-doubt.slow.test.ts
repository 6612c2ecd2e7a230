import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import { FACES, Stack } from "./stack.js";

const orders = (secret: string, options = "{}", resource = "orders") =>
  `new webhooks.Webhook("${resource}", { url: "https://example.com/orders", name: "orders", secret: pulumi.secret("${secret}") }, ${options});`;

it.each([
  ["oldest", "dynamic"],
  ["newest", "dynamic"],
  ["oldest", "plugin"],
] as const)(
  "keeps the old webhook while its replacement is in doubt, with --continue-on-error, too (%s SDK, %s)",
  async (sdk, face) => {
    await using stack = await Stack.create({ face, program: orders("first"), sdk });
    await stack.up();
    stack.takeCalls();
    await stack.declare(orders("second"));
    stack.api.inject({ operation: "create", fault: { kind: "status", status: 422 } });
    await stack.upFails("--continue-on-error");
    expect(stack.takeCalls()).toEqual(["create orders -> 422"]);
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
    await stack.upFails("--continue-on-error");
    expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
    await stack.upFails("--continue-on-error");
    expect(stack.takeCalls()).toEqual([]);

    const entered = await stack.webhooks("resolve", "--stack", "dev", "--found", "orders=99");
    expect(entered.code).toBe(0);
    expect(await stack.upFails("--continue-on-error")).toContain("was not found");
    expect(stack.takeCalls()).toEqual(["update 99 -> 404"]);
    expect(stack.api.webhooks).toMatchObject([{ id: "1", secret: "first" }]);

    expect(await stack.webhooks("resolve", "--stack", "dev", "--none", "orders")).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)("deletes the old webhook once its replacement is found (%s)", async (face) => {
  await using stack = await Stack.create({ face, program: orders("first") });
  await stack.up();
  await stack.declare(orders("second"));
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails("--continue-on-error");
  stack.takeCalls();
  expect(await stack.webhooks("resolve", "--stack", "dev", "--found", "orders=2")).toMatchObject({ code: 0 });
  await stack.up("--continue-on-error");
  expect(stack.takeCalls()).toEqual(["update 2", "delete 1"]);
  await stack.expectNoChanges();
});

it("destroys a webhook whose replacement is in doubt", async () => {
  await using stack = await Stack.create({ program: orders("first") });
  await stack.up();
  await stack.declare(orders("second"));
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
  await stack.upFails("--continue-on-error");
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
  expect(await stack.recorded()).toEqual([]);
});

it.each(FACES)(
  "keeps the old webhook if the resource is renamed while its replacement is in doubt (%s)",
  async (face) => {
    // With this SDK, the engine deletes what was replaced although the program has failed.
    await using stack = await Stack.create({ face, program: orders("first"), sdk: "oldest" });
    await stack.up();
    await stack.declare(orders("second"));
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
    await stack.upFails("--continue-on-error");
    stack.takeCalls();
    await stack.declare(orders("second", '{ aliases: [{ name: "orders" }] }', "renamed"));
    expect(await stack.upFails("--continue-on-error")).toContain("so this webhook stays");
    expect(stack.takeCalls()).toEqual([]);

    const answer = await stack.webhooks("resolve", "--stack", "dev", "--none", "renamed");
    expect(answer).toMatchObject({ code: 0 });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "does not send a create in doubt again because of replacementTrigger, before it is resolved (%s)",
  async (face) => {
    const triggered = (by: string) => orders("first", `{ replacementTrigger: "${by}" }`);
    await using stack = await Stack.create({ face, program: triggered("1") });
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    await stack.upFails();
    stack.takeCalls();
    await stack.declare(triggered("2"));
    const refused = "Webhook orders is in doubt, so its create is not sent again";
    expect(await stack.fails("preview")).toContain(refused);
    expect(await stack.upFails()).toContain(refused);
    expect(stack.takeCalls()).toEqual([]);

    expect(await stack.webhooks("resolve", "--stack", "dev", "--found", "orders=1")).toMatchObject({
      code: 0,
    });
    // Nobody knows yet that the entered id is right.
    expect(await stack.upFails()).toContain("First run pulumi up without a replacement");
    expect(stack.takeCalls()).toEqual([]);
    await stack.declare(triggered("1"));
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.declare(triggered("2"));
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create orders", "delete 1"]);
    await stack.expectNoChanges();
  },
);

it.each(FACES)(
  "does not delete a webhook before its replacement, if an interrupted create may have been that (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders("first") });
    await stack.up();
    await stack.declare(orders("second"));
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } }));
    stack.takeCalls();
    await stack.declare(orders("second", "{ deleteBeforeReplace: true }"));
    await stack.upFails();
    expect(stack.takeCalls()).toEqual([]);
  },
);

it.each(FACES)(
  "keeps the old webhook while the API does not know the id that the reply to its replacement's create contradicted (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, sdk: "oldest", program: orders("first") });
    await stack.up();
    await stack.declare(orders("second"));
    const raw = '{"data":{"webhook":{"id":77,"name":"orders","enabled":"false"}}}';
    stack.api.inject({ operation: "create", fault: { kind: "reply", raw } });
    await stack.upFails("--continue-on-error");
    stack.takeCalls();
    const output = await stack.upFails("--continue-on-error");
    expect(stack.takeCalls(), output).toEqual(["update 77 -> 404"]);
  },
);

it.each(FACES)(
  "keeps a webhook whose replacement was interrupted while a dependency is deleted before its replacement (%s)",
  async (face) => {
    const key = (secret: string) =>
      `const first = new webhooks.Webhook("first", { url: "https://example.com/first", secret: pulumi.secret("${secret}") }, { deleteBeforeReplace: true });\n`;
    const program = (own: string, secret: string) =>
      `${key(own)}new webhooks.Webhook("orders", { url: "https://example.com/orders", name: "orders", secret: pulumi.interpolate\`${secret}-\${first.id}\` });\n`;
    await using stack = await Stack.create({ face, program: program("a", "one") });
    await stack.up();
    await stack.declare(program("a", "two"));
    await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } }));
    stack.takeCalls();
    await stack.declare(program("b", "two"));
    const { output } = await stack.run("up", "--yes", "--skip-preview");
    expect(stack.takeCalls(), output).toEqual([]);
  },
);
