import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./support/kill.js";
import { webhook } from "./support/programs.js";
import { KEY, SECRET, Stack } from "./support/stack.js";

// What resolve does with a state that only a real engine writes and reads. broken-runs.ts has each kind of answer.

const GATE = "it is unknown whether the API created webhook orders.";

it("takes an answer back by the copy of the state, refuses an id that the API does not have, and leaves nothing to do", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") });
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  const { output } = await stack.resolve("--none", "orders");
  const [, args = ""] = /run pulumi (stack import --stack dev --file \S+) /.exec(output) ?? [];
  await stack.ok(...args.split(" "));
  expect(await stack.upFails()).toContain(GATE);
  expect(stack.takeCalls()).toEqual([]);

  const before = await stack.state();
  const refused = await stack.resolve("--found", "orders=99");
  expect(refused.output).toContain("The state was not changed. The API has no webhook 99. Correct the id.");
  expect(refused.code).toBe(1);
  expect(await stack.state()).toBe(before);
  expect(await stack.resolve("--found", "orders=1")).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["update 99 -> 404", "update 1"]);
  await stack.expectNoChanges();
});

it("refuses to change a stack beside an up, and one that would lose the interrupted create of another resource; a preview beside the up warns", async () => {
  const slow = `class Slow extends pulumi.dynamic.Resource {
      constructor(name: string) {
        super({ create: () => new Promise(() => {}) }, name, {});
      }
    }
    new Slow("slow");`;
  await using stack = await Stack.create({ program: webhook("orders") + slow });
  const run = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: false } });
  const pending = async () => JSON.parse(await stack.state()).deployment.pending_operations ?? [];
  await expect.poll(pending, { timeout: 300_000 }).toHaveLength(2);
  expect(await stack.upFails()).toContain("the stack is currently locked");
  expect(await stack.ok("preview")).toContain(GATE);
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
  const locked = await stack.resolve("--none", "orders", "--drop-others");
  expect(locked.output).toMatch(
    /Stack dev is locked by \S+@\S+ \(pid \d+\) at \S+\. The state was not changed\./,
  );
  expect(locked.output).toContain("run pulumi cancel --stack dev");
  // Without the answer: the run that has the lock may make it wrong.
  expect(locked.output).toContain("Look again for: orders.");
  expect(locked.output).toContain("Then run: npx pulumi-webhooks resolve --stack dev --drop-others\n");
  expect(locked.code).toBe(1);
  await kill(stack, run);

  const stored = await stack.state();
  const refused = await stack.resolve("--none", "orders");
  expect(refused.output).toMatch(
    /A run was also killed during operations on other resources:\n {2}urn:pulumi:dev::test::pulumi-nodejs:dynamic\S*::slow\n/,
  );
  expect(refused.code).toBe(1);
  expect(await stack.state()).toBe(stored);
  expect(await stack.resolve("--none", "orders", "--drop-others")).toMatchObject({ code: 0 });
  expect(await pending()).toEqual([]);
});

it.each([
  ["dynamic", true, ["create two"]],
  ["dynamic", false, ["create two", "delete 1"]],
  ["plugin", false, ["create two", "delete 1"]],
] as const)(
  "creates a replacement that does not exist, although others depend on it (%s, deleteBeforeReplace: %s)",
  async (face, deleteBeforeReplace, calls) => {
    const program = (name: string) =>
      webhook(
        "orders",
        `, name: "${name}"`,
        `{ deleteBeforeReplace: ${deleteBeforeReplace}, replaceOnChanges: ["name"] }`,
      ) + webhook("refunds", "", "{ dependsOn: orders }");
    await using stack = await Stack.create({ face, program: program("one") });
    await stack.up();
    await stack.declare(program("two"));
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
    await stack.upFails();
    stack.takeCalls();
    expect(await stack.resolve("--none", "orders")).toMatchObject({ code: 0 });
    expect(await stack.ok("preview")).toMatch(/:Webhook +orders +create/);
    await stack.up();
    expect(stack.takeCalls()).toEqual(calls);
    await stack.expectNoChanges();
  },
);

it("resolves an interrupted create in a bucket in the old layout, without projects", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  await rm(join(stack.folder, "state/.pulumi"), { recursive: true });
  stack.environment.PULUMI_SELF_MANAGED_STATE_LEGACY_LAYOUT = "true";
  stack.environment.PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR = "1";
  await stack.ok("stack", "init", "dev");
  await stack.configure(
    { "webhooks:baseUrl": stack.api.url },
    { "webhooks:apiKey": KEY, hookSecret: SECRET },
  );
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  expect(await stack.upFails()).toContain(GATE);
  expect(await stack.resolve("--found", "orders=1")).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});
