import { expect, it } from "vitest";
import { isAbout } from "../calls.js";
import { webhook } from "../support/programs.js";
import type { SDKS } from "../support/setup.js";
import { type Face, IS_SLOW_RUN, Stack } from "../support/stack.js";

const GATE =
  /pulumi up changes no webhook of this stack, because it is unknown whether the API created webhook doubt\. Run npx pulumi-webhooks resolve --stack dev: it says what to do\./;

const other = webhook("other");
const both = webhook("doubt") + other;

/** What a program or a person may do beside an unresolved webhook, of which this is the URN. */
const changesOf = (doubt: string): Record<string, { program?: string; args?: string[] }> => ({
  "changes another webhook": { program: webhook("doubt") + webhook("other", ', name: "Other"') },
  "rotates the secrets": {
    program: both.replaceAll('config.requireSecret("hookSecret")', 'pulumi.secret("whsec-canary-rotated")'),
  },
  "asks for a replacement": { args: ["--replace", doubt] },
  "imports the webhook": {
    program: webhook("doubt", ', name: "doubt", enabled: true', '{ import: "2" }') + other,
  },
  "renames it with an alias": {
    program: webhook("doubt", "", `{ aliases: ["${doubt}"] }`).replace('("doubt"', '("renamed"') + other,
  },
  "triggers a replacement": { program: webhook("doubt", "", '{ replacementTrigger: "2" } as any') + other },
  "targets it": { args: ["--target", doubt] },
  "removes it": { program: other },
});

/** The state lists resources in the order in which the engine was done with them, which differs between runs. */
const idsByUrn = async (stack: Stack) =>
  Object.fromEntries((await stack.recorded()).map(({ urn, id }) => [urn, id]));

/** With the oldest SDK, a program goes on after a failure. */
const SLOW_RUNS: [Face, keyof typeof SDKS][] = [
  ["dynamic", "oldest"],
  ["plugin", "newest"],
];

it.each<[Face, keyof typeof SDKS]>(IS_SLOW_RUN ? SLOW_RUNS : [["dynamic", "newest"]])(
  "changes no webhook of the stack while one is unresolved, whatever the program does (%s, %s SDK)",
  async (face, sdk) => {
    const others = "new pulumi.ComponentResource('test:Other', 'component');\n";
    await using stack = await Stack.create({ face, sdk, program: other + others });
    await stack.up();
    await stack.declare(both + others);
    const fault = { kind: "reset", when: "after commit" } as const;
    stack.api.inject({ operation: "create", match: isAbout("doubt"), fault });
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook.");
    stack.takeCalls();
    const before = await idsByUrn(stack);

    for (const [change, { program = both, args = [] }] of Object.entries(changesOf(stack.urn("doubt")))) {
      await stack.declare(program + others);
      const output = await stack.upFails(...args, "--continue-on-error");
      expect(output, change).toMatch(GATE);
      expect(output).not.toContain("canary");
      expect(stack.takeCalls(), change).toEqual([]);
    }
    await stack.declare(both + others);
    expect(await stack.upFails()).toMatch(GATE);
    expect(await idsByUrn(stack)).toEqual(before);

    // What changes no webhook goes on.
    expect(await stack.ok("preview")).toMatch(GATE);
    await stack.ok("refresh", "--yes", "--skip-preview");
    await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
    await stack.up("--target", "urn:pulumi:dev::test::test:Other::component");
    expect(stack.takeCalls()).toEqual([]);
    const destroyed = await stack.destroy("--run-program");
    expect(destroyed).toMatch(
      /An unresolved webhook \(in-doubt:\S+\) was removed from the state, and no request was sent/,
    );
    expect(stack.takeCalls()).toEqual(["delete 1"]);
  },
);
