import { expect, it } from "vitest";
import { Stack } from "./stack.js";

const orders = (secret: string) =>
  `new webhooks.Webhook("orders", { url: "https://example.com/orders", secret: pulumi.secret("${secret}") });`;

it.each(["oldest", "newest"] as const)(
  "keeps the old webhook while its replacement is in doubt, with --continue-on-error, too (%s SDK)",
  async (sdk) => {
    await using stack = await Stack.create({ program: orders("first"), sdk });
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

it("deletes the old webhook once its replacement is found", async () => {
  await using stack = await Stack.create({ program: orders("first") });
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
