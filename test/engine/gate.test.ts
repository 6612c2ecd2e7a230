import { expect, it } from "vitest";
import { isAbout } from "../calls.js";
import { webhook } from "./support/programs.js";
import type { SDKS } from "./support/setup.js";
import type { Face } from "./support/stack.js";
import { IS_SLOW_RUN, SECRET, Stack } from "./support/stack.js";

const GATE =
  /pulumi up changes no webhook of this stack, because it is unknown whether the API created webhook doubt\. Run npx pulumi-webhooks resolve --stack dev: it asks about what it does not know\./;

/** What a program or a person may do beside an unresolved webhook. */
const changes: Record<
  string,
  (stack: Stack) => Promise<{ program?: string; args?: string[]; secret?: string }>
> = {
  "changes another webhook": async () => ({
    program: webhook("doubt") + webhook("other", ', name: "Other"'),
  }),
  "rotates the secret": async () => ({ secret: "whsec-canary-rotated" }),
  "reverts the rotation": async () => ({ secret: SECRET }),
  "asks for a replacement": async (stack) => ({ args: ["--replace", stack.urn("doubt")] }),
  "imports the webhook": async () => ({
    program: webhook("doubt", ', name: "doubt", enabled: true', '{ import: "2" }') + webhook("other"),
  }),
  "renames it without an alias": async () => ({
    program: webhook("doubt").replace('Webhook("doubt"', 'Webhook("renamed"') + webhook("other"),
  }),
  "renames it with an alias": async (stack) => ({
    program:
      webhook("doubt", "", `{ aliases: ["${stack.urn("doubt")}"] }`).replace(
        'Webhook("doubt"',
        'Webhook("renamed"',
      ) + webhook("other"),
  }),
  "triggers a replacement": async () => ({
    program: `${webhook("doubt", "", '{ replacementTrigger: "2" } as any')}${webhook("other")}`,
  }),
  "targets it": async (stack) => ({ args: ["--target", stack.urn("doubt")] }),
  "removes it": async () => ({ program: webhook("other") }),
};

/** The first is also one of npm test. With the oldest SDK, a program goes on after a failure. */
const RUNS: [Face, keyof typeof SDKS][] = [
  ["dynamic", "newest"],
  ["dynamic", "oldest"],
  ["plugin", "newest"],
];

it.each(IS_SLOW_RUN ? RUNS : RUNS.slice(0, 1))(
  "changes no webhook of the stack while one is unresolved, whatever the program does (%s, %s SDK)",
  async (face, sdk) => {
    const program = webhook("doubt") + webhook("other");
    const others = "new pulumi.ComponentResource('test:Other', 'component');\n";
    await using stack = await Stack.create({ face, sdk, program: webhook("other") + others });
    await stack.up();
    await stack.declare(program + others);
    stack.api.inject({
      operation: "create",
      match: isAbout("doubt"),
      fault: { kind: "reset", when: "after commit" },
    });
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook.");
    stack.takeCalls();
    const before = await stack.recorded();

    for (const [change, make] of Object.entries(changes)) {
      const { program: changed = program, args = [], secret } = await make(stack);
      await stack.declare(changed + others);
      if (secret !== undefined) await stack.configure({}, { hookSecret: secret });
      const output = await stack.upFails(...args, "--continue-on-error");
      expect(output, change).toMatch(GATE);
      expect(output).not.toContain("canary");
      expect(stack.takeCalls(), change).toEqual([]);
    }
    await stack.declare(program + others);
    expect(await stack.upFails()).toMatch(GATE);
    const now = await stack.recorded();
    expect(now.map(({ urn, id }) => [urn, id])).toEqual(before.map(({ urn, id }) => [urn, id]));

    // What changes no webhook goes on.
    expect(await stack.ok("preview")).toMatch(GATE);
    await stack.ok("refresh", "--yes", "--skip-preview");
    await stack.ok("refresh", "--yes", "--skip-preview", "--run-program");
    await stack.up("--target", "urn:pulumi:dev::test::test:Other::component");
    expect(stack.takeCalls()).toEqual([]);
    const destroyed = await stack.destroy("--run-program");
    expect(destroyed).toMatch(
      /Webhook doubt \(in-doubt:\S+\) was removed from the state, and no request was sent/,
    );
    expect(stack.takeCalls()).toEqual(["delete 1"]);
  },
);
