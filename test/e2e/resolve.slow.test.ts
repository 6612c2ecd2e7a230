import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAbout } from "../calls.js";
import { kill, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { FACES, Stack } from "../support/stack.js";

// What resolve does with a state that only a real engine writes and reads. broken-runs.slow.test.ts breaks whole runs.

const GATE = "it is unknown whether the API created webhook orders.";
const ROTATED = "whsec-canary-rotated";

/** Declares webhooks that are not disturbed, and a foreign resource whose create never ends. */
const SLOW = `class Slow extends pulumi.dynamic.Resource {
    constructor(name: string) {
      super({ create: () => new Promise(() => {}) }, name, {});
    }
  }
  new Slow("slow");`;

it("after none, a replacement that was not made leaves the webhook as it was, with --exclude and when the secret is reverted", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") + webhook("other") });
  await stack.up();
  const before = (await stack.recorded()).map(({ id }) => id).sort();
  stack.takeCalls();
  stack.api.inject({ operation: "create", match: isAbout("orders"), fault: { kind: "status", status: 500 } });
  await stack.declare(
    (webhook("orders") + webhook("other")).replace(`config.requireSecret("hookSecret")`, `"${ROTATED}"`),
  );
  await stack.upFails();
  stack.takeCalls();
  expect(await stack.answerNone()).toMatchObject({ code: 0 });
  await stack.up("--exclude", stack.urn("orders"));
  expect(stack.takeCalls()).toEqual([]);

  await stack.deploy(webhook("orders") + webhook("other"));
  expect(stack.takeCalls()).toEqual([]);
  expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(before);
  await stack.expectNoChanges();
});

it.each(FACES)("asks if an older state is restored, not after rotations elsewhere (%s)", async (face) => {
  const program = (secret: string, options = "{}") =>
    webhook("orders", `, name: "orders", enabled: true, secret: "${secret}"`, options);
  await using stack = await Stack.create({ face, program: program("whsec-canary-one") });
  const rotate = async (machine: string, secret: string) => {
    stack.useMachine(machine);
    await stack.deploy(program(secret));
    stack.passMinutes();
  };
  await rotate("here", "whsec-canary-one");
  const backup = join(stack.folder, "backup.json");
  await writeFile(backup, await stack.state());
  await rotate("there", "whsec-canary-two");
  stack.useMachine("here");
  const quiet = `Nothing is unresolved in stack dev, as far as its state and this machine show.\n`;
  expect((await stack.webhooks("resolve", "--stack", "dev")).output).toBe(quiet);
  await rotate("here", "whsec-canary-three");
  const id = stack.idOf("orders");
  await stack.ok("stack", "import", "--file", backup);
  // An up at the closed gate saves the state.
  for (let n = 0; n < 2; n++)
    expect(await stack.upFails()).toContain("does not have webhook orders, which the API created.");
  const listed = await stack.webhooks("resolve", "--stack", "dev");
  expect(listed.output).toContain("saving it failed, an older state was restored, or");
  expect(listed.output).toContain(`To keep webhook ${id}, answer none, then import it.`);
  expect(listed.output).not.toMatch(/Keep|may still take effect|Look in the dashboard/);
  expect(await stack.webhooks("resolve", "--stack", "dev", "--none")).toMatchObject({ code: 0 });
  stack.takeCalls();
  await stack.ok("state", "delete", stack.urn("orders"), "--yes");
  await stack.deploy(program("whsec-canary-three", `{ import: "${id}" }`));
  await stack.up();
  await stack.expectNoChanges();
  expect(stack.takeCalls().filter((call) => /create|delete/.test(call))).toEqual([]);
  expect(stack.api.webhooks).toMatchObject([{ id }]);
});

it("names the stack of the run, also if another one is selected", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") });
  await stack.ok("stack", "init", "prod", "--copy-config-from", "dev", "--no-select");
  stack.api.inject({ operation: "create", fault: { kind: "status", status: 500 } });
  expect(await stack.upFails("--stack", "prod")).toContain("pulumi-webhooks resolve --stack prod.");
  expect(await stack.upFails("--stack", "prod")).toContain("pulumi-webhooks resolve --stack prod:");
});

it("takes none back by the copy of the state, and leaves nothing to do", async () => {
  await using stack = await Stack.create({ face: "plugin", program: webhook("orders") });
  await kill(stack, await upInFlight(stack, { fault: { kind: "hang", commit: true } }));
  stack.takeCalls();
  const { stdout } = await stack.resolve("--none", "orders", "--json");
  const { backup } = JSON.parse(stdout) as { backup: string };
  await stack.ok("stack", "import", "--file", backup);
  expect(await stack.upFails()).toContain(GATE);
  expect(stack.takeCalls()).toEqual([]);
  expect(await stack.answerNone()).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.api.webhooks).toHaveLength(1);
  await stack.expectNoChanges();
});

it.each(FACES)("names what is unresolved once in a run, which Pulumi prints twice (%s)", async (face) => {
  const names = Array.from({ length: 8 }, (_, index) => `orders${index}`);
  await using stack = await Stack.create({ face, program: names.map((name) => webhook(name)).join("") });
  stack.api.inject({ operation: "create", times: 8, fault: { kind: "reset", when: "before commit" } });
  await stack.upFails("--continue-on-error", "--parallel=16");
  for (const output of [await stack.upFails("--parallel=16"), await stack.ok("preview")])
    expect(output.match(/changes no webhook of this stack, because/g)?.length).toBeLessThanOrEqual(2);
});

it("refuses to change a stack beside an up, whose preview warns, and names the interrupted create of another resource, which leaves the state", async () => {
  // The create is under way until it is killed, however slow the machine is.
  const config = { "webhooks:timeoutSeconds": "2000", "webhooks:deadlineSeconds": "2000" };
  await using stack = await Stack.create({ config, program: webhook("orders") + SLOW });
  const run = await upInFlight(stack, { fault: { kind: "hang", commit: false } });
  const pending = async () => JSON.parse(await stack.state()).deployment.pending_operations ?? [];
  await expect.poll(pending, { timeout: 300_000 }).toHaveLength(2);
  expect(await stack.upFails()).toContain("the stack is currently locked");
  expect(await stack.ok("preview")).toContain("A run may be active: if so, wait until it has ended.");
  expect(stack.takeCalls()).toEqual(["create orders -> no reply"]);
  const locked = await stack.resolve("--none", "orders");
  expect(locked.output).toMatch(/Stack dev is locked by \S+@\S+ \(pid \d+\) at \S+\. The state was not/);
  expect(locked.code).toBe(1);
  await kill(stack, run);

  const { PULUMI_CONFIG_PASSPHRASE = "" } = stack.environment;
  delete stack.environment.PULUMI_CONFIG_PASSPHRASE;
  const refused = await stack.resolve("--none", "orders");
  expect(refused.output).toContain("The state was not changed. Set PULUMI_CONFIG_PASSPHRASE");
  expect(refused.code).toBe(1);
  Object.assign(stack.environment, { PULUMI_CONFIG_PASSPHRASE });
  const { code, output } = await stack.resolve("--none", "orders");
  expect(output).toMatch(
    /Check what became of these resources:\n {2}creating urn:pulumi:dev::test::pulumi-nodejs:dynamic\S*::slow\n/,
  );
  expect(code, output).toBe(0);
  expect(await pending()).toEqual([]);
});

it.each([
  ["dynamic", true, ["create orders"]],
  ["dynamic", false, ["create orders", "delete 1"]],
  ["plugin", false, ["create orders", "delete 1"]],
] as const)(
  "creates a replacement that does not exist, although others depend on it (%s, deleteBeforeReplace: %s)",
  async (face, deleteBeforeReplace, calls) => {
    const program = (secret: string) =>
      webhook("orders", `, secret: "${secret}"`, `{ deleteBeforeReplace: ${deleteBeforeReplace} }`) +
      webhook("refunds", "", "{ dependsOn: orders }");
    await using stack = await Stack.create({ face, program: program("one") });
    await stack.up();
    await stack.declare(program("two"));
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "before commit" } });
    await stack.upFails();
    stack.takeCalls();
    expect(await stack.resolve("--none", "orders")).toMatchObject({ code: 0 });
    const planned = deleteBeforeReplace ? "create" : "replace";
    expect(await stack.ok("preview")).toMatch(new RegExp(`:Webhook +orders +${planned}`));
    await stack.up();
    expect(stack.takeCalls()).toEqual(calls);
    await stack.expectNoChanges();
  },
);
