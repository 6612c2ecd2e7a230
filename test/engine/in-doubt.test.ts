import { expect, it } from "vitest";
import { fail, testInDoubt, webhook } from "./in-doubt.js";
import { Stack } from "./stack.js";

testInDoubt("dynamic");

it("keeps the record in doubt until an import succeeds, also with deleteBeforeReplace", async () => {
  const importing = (id: string) =>
    webhook("orders", ', name: "orders", enabled: true', `{ import: "${id}", deleteBeforeReplace: true }`);
  await using stack = await Stack.create({ program: webhook("orders") });
  fail(stack, "orders", { kind: "reset", when: "after commit" });
  await stack.upFails();
  stack.takeCalls();
  await stack.declare(importing("99"));
  expect(await stack.upFails()).toContain("Importing webhook 99 (orders) failed");
  await stack.declare(webhook("orders"));
  expect(await stack.upFails()).toContain("Look in the dashboard for a webhook named orders");
  expect(stack.takeCalls()).toEqual(["update 99 -> 404"]);

  await stack.declare(importing("1"));
  const output = await stack.up();
  expect(output).toMatch(/Webhook orders \(in-doubt:\S+\) was found: it is webhook 1\./);
  expect(output).not.toContain("was removed from the state");
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});
