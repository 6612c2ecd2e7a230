import { expect, it } from "vitest";
import { kill, killEngine, upWithCreateInFlight } from "./support/kill.js";
import { webhook } from "./support/programs.js";
import type { Face } from "./support/stack.js";
import { FACES, Stack } from "./support/stack.js";

const before = webhook("orders") + webhook("refunds");

/** Renames one webhook by an alias, and moves the other one into a component. */
const after = `class Team extends pulumi.ComponentResource {
    constructor(name: string) {
      super("test:Team", name);
      ${webhook("refunds", "", "{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }")}
    }
  }
  new Team("team");
  ${webhook("renamed", "", '{ aliases: [{ name: "orders" }] }')}`;

it.each(FACES)(
  "records ids that a person enters for replacements of webhooks that moved, and the engine accepts the state (%s)",
  async (face) => {
    await using stack = await stackToMove(face);
    const fault = { kind: "hang", commit: true } as const;
    await kill(stack, await upWithCreateInFlight(stack, { fault, creates: 2 }));
    stack.takeCalls();
    const made = stack.api.webhooks.slice(2);
    const answers = made.map(({ name, id }) => `--found=${name}=${id}`);
    const { code, output } = await stack.resolve(...answers);
    expect(code, output).toBe(0);
    expect(stack.takeCalls().sort()).toEqual(["update 3", "update 4"]);
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["delete 1", "delete 2"]);
    await expectMoved(stack, made);
  },
);

it.each(FACES)(
  "waits for the provider of a killed engine, removes the lock and records the ids, also of webhooks that moved, and the next up needs no person (%s)",
  async (face) => {
    await using stack = await stackToMove(face);
    const fault = { kind: "latency", milliseconds: 5000 } as const;
    await killEngine(stack, await upWithCreateInFlight(stack, { fault, creates: 2 }));
    stack.takeCalls();
    const { code, output } = await stack.resolve("--record");
    expect(code, output).toBe(0);
    const made = stack.api.webhooks.slice(2);
    for (const { id } of made)
      expect(output).toContain(`: webhook ${id}, as the API replied on this machine.`);
    expect(stack.takeCalls()).toEqual([]);
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["delete 1", "delete 2", "update 3", "update 4"]);
    await expectMoved(stack, made);
  },
);

/** Creates a stack whose next up moves and replaces both of its webhooks. */
async function stackToMove(face: Face): Promise<Stack> {
  const stack = await Stack.create({ face, program: before });
  await stack.up();
  await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
  await stack.declare(after);
  stack.takeCalls();
  return stack;
}

async function expectMoved(stack: Stack, made: Stack["api"]["webhooks"]): Promise<void> {
  await stack.expectNoChanges();
  expect(stack.takeCalls()).toEqual([]);
  const ids = made.map(({ id }) => id).sort();
  expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(ids);
  expect(stack.api.webhooks.map(({ id }) => id).sort()).toEqual(ids);
}
