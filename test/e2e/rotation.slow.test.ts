import { expect, it } from "vitest";
import { webhook } from "../support/programs.js";
import { FACES, type Face, Stack } from "../support/stack.js";

const NAMES = ["a", "b", "c"];
const ROTATED = { hookSecret: "whsec-canary-rotated" };

/** Creates a stack at an API that accepts one webhook more, and rotates its secrets. */
async function startRotation(face: Face, sdk: "newest" | "oldest") {
  const program = NAMES.map((name) => webhook(name)).join("");
  const stack = await Stack.create({ face, sdk, program, simulator: { behavior: { maxWebhooks: 4 } } });
  await stack.up();
  await stack.configure({}, ROTATED);
  stack.takeCalls();
  return stack;
}

it.each(FACES)("rotates webhooks at the API's limit in groups, as the refusal says (%s)", async (face) => {
  await using stack = await startRotation(face, "newest");
  expect(await stack.upFails()).toContain("run pulumi up --stack dev --target '<urn>' for a few at a time");
  const urns = (await stack.recorded()).map(({ urn }) => urn);
  const isReplaced = (name: string) => urns.filter((urn) => urn === stack.urn(name)).length === 2;
  const replaced = NAMES.find(isReplaced) ?? expect.unreachable();
  expect((await stack.ok("stack", "--show-urns")).split(`${stack.urn(replaced)}\n`)).toHaveLength(3);
  stack.takeCalls();
  await stack.up("--target", stack.urn(replaced));
  expect(stack.takeCalls()).toEqual([expect.stringMatching(/^delete \d$/)]);
  for (const name of NAMES) if (name !== replaced) await stack.up("--target", stack.urn(name));
  await expectRotated(stack);
});

it.each(FACES)(
  "deletes after a failure only what was replaced before the run, so that runs with --continue-on-error end (%s)",
  async (face) => {
    // With newer SDKs, a failure ends the program, and the engine deletes nothing.
    await using stack = await startRotation(face, "oldest");
    const runs: string[][] = [];
    for (let code = 1; code !== 0 && runs.length < 10; ) {
      code = (await stack.run("up", "--yes", "--skip-preview", "--continue-on-error")).code;
      runs.push(stack.takeCalls().filter((call) => !call.includes("422")));
    }
    const [create, remove] = [expect.stringMatching(/^create .$/), expect.stringMatching(/^delete .$/)];
    expect(runs).toEqual([[create], [remove], [create], [remove], [create, remove]]);
    await expectRotated(stack);
  },
);

async function expectRotated(stack: Stack): Promise<void> {
  await stack.expectNoChanges();
  const secrets = stack.api.webhooks.map(({ name, secret }) => [name, secret]).sort();
  expect(secrets).toEqual(NAMES.map((name) => [name, ROTATED.hookSecret]));
}
