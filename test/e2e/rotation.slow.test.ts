import { expect, it } from "vitest";
import { webhook } from "../support/programs.js";
import { FACES, Stack } from "../support/stack.js";

const NAMES = ["a", "b", "c"];
const ROTATED = { hookSecret: "whsec-canary-rotated" };

it.each(FACES)("rotates webhooks at the API's limit in groups, as the refusal says (%s)", async (face) => {
  const program = NAMES.map((name) => webhook(name)).join("");
  await using stack = await Stack.create({ face, program, simulator: { behavior: { maxWebhooks: 4 } } });
  await stack.up();
  await stack.configure({}, ROTATED);
  stack.takeCalls();
  expect(await stack.upFails()).toContain("use --target or deleteBeforeReplace, as in docs/rotation.md");
  const urns = (await stack.recorded()).map(({ urn }) => urn);
  const isReplaced = (name: string) => urns.filter((urn) => urn === stack.urn(name)).length === 2;
  const replaced = NAMES.find(isReplaced) ?? expect.unreachable();
  expect((await stack.ok("stack", "--show-urns")).split(`${stack.urn(replaced)}\n`)).toHaveLength(3);
  stack.takeCalls();
  await stack.up("--target", stack.urn(replaced));
  expect(stack.takeCalls()).toEqual([expect.stringMatching(/^delete \d$/)]);
  for (const name of NAMES) if (name !== replaced) await stack.up("--target", stack.urn(name));
  await stack.expectNoChanges();
  const secrets = stack.api.webhooks.map(({ name, secret }) => [name, secret]).sort();
  expect(secrets).toEqual(NAMES.map((name) => [name, ROTATED.hookSecret]));
});
