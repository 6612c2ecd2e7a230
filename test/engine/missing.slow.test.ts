import { expect, it } from "vitest";
import { FACES, Stack } from "./stack.js";

const drift = { "webhooks:drift": "probe" };
const simulator = { behaviour: { emptyUpdate: "leaves updated_at" } } as const;

it.each(FACES)(
  "creates a missing webhook again, but not all of them after a gateway lost its route (%s)",
  async (face) => {
    const program = ["a", "b", "c"]
      .map((name) => `new webhooks.Webhook("${name}", { url: "https://example.com/${name}" });\n`)
      .join("");
    await using stack = await Stack.create({ face, program, config: drift, simulator });
    await stack.up();
    stack.takeCalls();
    stack.api.dashboard.delete("2");
    const output = await stack.up("--refresh");
    expect(output).toMatch(/warning: Webhook 2 \(\w\) is gone: the API replied that it does not exist/);
    expect(stack.takeCalls().filter((call) => call.startsWith("create"))).toHaveLength(1);
    const recorded = async () => (await stack.recorded()).map(({ id }) => id);
    const ids = await recorded();
    expect(ids).toHaveLength(3);

    stack.api.inject({
      times: Number.POSITIVE_INFINITY,
      fault: { kind: "status", status: 404, body: '{"message":"no Route matched with those values"}' },
    });
    for (const flag of ["--parallel=16", "--run-program", "--parallel=1"]) {
      const refusal = await stack.fails("refresh", "--yes", "--skip-preview", flag);
      expect(refusal).toContain("the API replied that none of the probed webhooks exists");
      // The first of those that are read one after another has nothing to wait for.
      if (flag === "--parallel=1") expect(refusal).toContain("seems to be gone");
      expect(await recorded()).toEqual(ids);
    }

    stack.api.clearFaults();
    stack.takeCalls();
    await stack.up("--refresh");
    await stack.expectNoChanges("--refresh");
    expect(stack.takeCalls().filter((call) => !call.startsWith("update"))).toEqual([]);
  },
);

it.each(FACES)("replaces the only webhook of a stack when it is missing (%s)", async (face) => {
  const program = 'new webhooks.Webhook("a", { url: "https://example.com/a" });';
  await using stack = await Stack.create({ face, program, config: drift, simulator });
  await stack.up();
  stack.takeCalls();
  stack.api.dashboard.delete("1");
  const { code, output } = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(code).toBe(7);
  expect(output).toMatch(/- notFound *: true/);
  expect(await stack.up("--refresh")).toContain("Webhook 1 (a) seems to be gone");
  expect(stack.takeCalls()).toEqual(["update 1 -> 404", "update 1 -> 404", "create a", "delete 1 -> 404"]);
  await stack.expectNoChanges("--refresh");
  expect(await stack.state()).not.toContain("notFound");

  // With ignoreChanges the engine copies the mark of drift to the inputs.
  await stack.declare(program.replace("})", '}, { ignoreChanges: ["*"] })'));
  stack.api.behaviour.clockSkewSeconds = 60;
  stack.api.dashboard.edit("2", { enabled: false });
  stack.api.behaviour.clockSkewSeconds = 120;
  await stack.ok("refresh", "--yes", "--skip-preview");
  expect(await stack.state()).toContain("changedOutsidePulumi");
  await stack.up();
  await stack.expectNoChanges("--refresh");
  expect(await stack.state()).not.toContain("changedOutsidePulumi");
});
