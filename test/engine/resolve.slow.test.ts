import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kill, upWithCreateInFlight } from "./kill.js";
import { webhook } from "./programs.js";
import { KEY, SECRET, Stack } from "./stack.js";

// What resolve does with a state that only a real engine writes and reads. broken-runs.ts has each kind of answer.

const resolve = (stack: Stack, ...options: string[]) =>
  stack.webhooks("resolve", "--stack", "dev", ...options);
const NO_REPLY = { operation: "create", fault: { kind: "reset", when: "after commit" } } as const;
const GATE = "it is unknown whether the API created webhook orders.";

it("takes a wrong answer back, and corrects a wrong id", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") });
  await kill(stack, await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  const { output } = await resolve(stack, "--none", "orders");
  const [, args = ""] = /run pulumi (stack import --stack dev --file \S+)\. /.exec(output) ?? [];
  await stack.ok(...args.split(" "));
  expect(await stack.upFails()).toContain(GATE);
  expect(stack.takeCalls()).toEqual([]);

  expect(await resolve(stack, "--found", "orders=99")).toMatchObject({ code: 0 });
  for (const flags of [[], ["--refresh"]]) {
    expect(await stack.upFails(...flags)).toContain(
      "Webhook 99 (orders) was not found: the API has no webhook with this id.",
    );
  }
  expect(stack.takeCalls()).toEqual(["update 99 -> 404", "update 99 -> 404"]);
  const refused = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(refused).toContain("Deleting webhook 99 (orders) failed: no update has confirmed its id.");
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});

it("changes nothing of a stranger's webhook whose id was entered by mistake, if drift is probe", async () => {
  const config = { "webhooks:drift": "probe" };
  const simulator = { behavior: { emptyUpdate: "leaves updated_at" } } as const;
  await using stack = await Stack.create({ config, simulator, program: webhook("orders") });
  const stranger = { url: "https://example.com/stranger", name: "Stranger", enabled: true };
  stack.api.dashboard.create(stranger);
  stack.api.inject(NO_REPLY);
  await stack.upFails();
  const refused = await resolve(stack, "--found", "orders=1");
  expect(refused.output).toContain("The state was not changed. Webhook 1 is not that of orders:");
  expect(refused.code).toBe(1);

  // resolve reads the key of the default Provider only, here from another account's environment, without drift.
  await stack.ok("config", "rm", "webhooks:drift");
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.configure({ "webhooks:drift": "probe" });
  for (const flags of [[], ["--continue-on-error"]]) {
    expect(await stack.upFails(...flags)).toContain("Webhook 1 is not orders: the API replied that");
  }
  expect(stack.api.webhooks).toMatchObject([stranger, { id: "2", name: "orders" }]);

  // The person insists.
  expect(await resolve(stack, "--found", "orders=1", "--accept")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "orders" }, { id: "2" }]);
  await stack.expectNoChanges();
});

it("refuses to change a locked stack, and one that would lose the interrupted create of another resource", async () => {
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
  const locked = await resolve(stack, "--none", "orders", "--drop-others");
  expect(locked.output).toMatch(
    /Stack dev is locked by \S+@\S+ \(pid \d+\) at \S+, so the state was not changed\./,
  );
  expect(locked.output).toContain("run pulumi cancel --stack dev");
  // Without the answer: the run that has the lock may make it wrong.
  expect(locked.output).toContain("Then run: npx pulumi-webhooks resolve --stack dev\n");
  expect(locked.code).toBe(1);
  await kill(stack, run);

  const stored = await stack.state();
  const refused = await resolve(stack, "--none", "orders");
  expect(refused.output).toMatch(
    /A run was also killed during operations on other resources:\n {2}urn:pulumi:dev::test::pulumi-nodejs:dynamic\S*::slow\n/,
  );
  expect(refused.code).toBe(1);
  expect(await stack.state()).toBe(stored);
  expect(await resolve(stack, "--none", "orders", "--drop-others")).toMatchObject({ code: 0 });
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
    expect(await resolve(stack, "--none", "orders")).toMatchObject({ code: 0 });
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
  expect(await resolve(stack, "--found", "orders=1")).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});
