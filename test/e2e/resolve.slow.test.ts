import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kill, killProvider, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { FACES, KEY, SECRET, Stack } from "../support/stack.js";

// What resolve does with a state that only a real engine writes and reads. broken-runs.slow.test.ts has each kind of answer.

const GATE = "it is unknown whether the API created webhook orders.";

it("takes an answer back by the copy of the state, refuses an id that the API does not have, and leaves nothing to do", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") });
  await kill(stack, await upInFlight(stack, { fault: { kind: "hang", commit: true } }));
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
  const run = await upInFlight(stack, { fault: { kind: "hang", commit: false } });
  const pending = async () => JSON.parse(await stack.state()).deployment.pending_operations ?? [];
  await expect.poll(pending, { timeout: 300_000 }).toHaveLength(2);
  expect(await stack.upFails()).toContain("the stack is currently locked");
  expect(await stack.ok("preview")).toContain(GATE);
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
  const locked = await stack.resolve("--none", "orders", "--drop-others");
  expect(locked.output).toMatch(
    /Stack dev is locked by \S+@\S+ \(pid \d+\) at \S+\. The state was not changed\./,
  );
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
  await kill(stack, await upInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  expect(await stack.upFails()).toContain(GATE);
  expect(await stack.resolve("--found", "orders=1")).toMatchObject({ code: 0 });
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
});

it.each(FACES)(
  "leaves nothing to do after the right ids of creates that only notes show, whose provider has died (%s)",
  async (face) => {
    await using stack = await Stack.create({
      face,
      program: webhook("orders") + webhook("refunds"),
      config: { "webhooks:drift": "probe" },
    });
    await stack.configure({}, { "webhooks:baseUrl": stack.api.url });
    const fault = { kind: "hang", commit: true } as const;
    await killProvider(await upInFlight(stack, { fault, count: 2 }));
    expect(await stack.recorded()).toEqual([]);
    const [orders, refunds] = [stack.idOf("orders"), stack.idOf("refunds")];
    const answers = [`--found=orders=${orders}`, `--found=refunds=${refunds}`];
    const { code, output } = await stack.resolve("--stack=organization/test/dev", ...answers);
    expect(code, output).toBe(0);
    for (const text of [output, await stack.state()]) expect(text).not.toContain(stack.api.url);
    stack.takeCalls();
    await stack.expectNoChanges();
    await stack.up();
    expect(stack.takeCalls()).toEqual([]);
    expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual([orders, refunds].sort());

    // Only 16 bits of a hash were noted of the secret: enough to notice that it changes.
    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    await stack.up();
    const deletes = [orders, refunds].map((id) => `delete ${id}`).sort();
    expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds", ...deletes]);
  },
);

it("corrects swapped ids by a replacement of both, and a webhook that was not found by an import", async () => {
  const declare = (name: string, fields = "", options = "{}") =>
    webhook(name, fields, options).replace(
      'config.requireSecret("hookSecret")',
      `pulumi.secret("of ${name}")`,
    );
  const two = declare("orders") + declare("refunds");
  await using stack = await Stack.create({ program: two + declare("late") });
  const { api } = stack;
  api.inject({ operation: "create", times: 3, fault: { kind: "reset", when: "after commit" } });
  await stack.upFails("--continue-on-error");
  stack.takeCalls();
  const [orders, refunds, late] = ["orders", "refunds", "late"].map((name) => stack.idOf(name));
  const swapped = [`--found=orders=${refunds}`, `--found=refunds=${orders}`, "--none=late"];
  const { code, output } = await stack.resolve(...swapped);
  expect(code, output).toBe(0);
  expect(stack.takeCalls().sort()).toEqual([`update ${orders}`, `update ${refunds}`].sort());

  const importing = declare("late", ', name: "late", enabled: true', `{ import: "${late}" }`);
  await stack.declare(two + importing);
  await stack.up(...["orders", "refunds"].flatMap((name) => ["--replace", stack.urn(name)]));
  expect(stack.takeCalls().sort()).toEqual(
    ["create orders", "create refunds", `delete ${orders}`, `delete ${refunds}`, `update ${late}`].sort(),
  );
  expect(api.webhooks.map(({ name, secret }) => `${name}: ${secret}`).sort()).toEqual(
    ["late", "orders", "refunds"].map((name) => `${name}: of ${name}`),
  );
  await stack.expectNoChanges();
});
