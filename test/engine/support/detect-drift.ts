import { expect } from "vitest";
import type { Behavior } from "../../../src/simulator/index.js";
import type { Kind } from "./apis.js";
import { Apis, show } from "./apis.js";
import type { Face } from "./stack.js";
import { Stack } from "./stack.js";

/**
 * Makes each kind of drift happen at each API, and checks what a preview shows, which requests correct it, and that there is no
 * change before and afterwards.
 */
export async function detectAndCorrectDrift(
  behaviors: Record<string, Partial<Behavior>>,
  { face = "dynamic", kinds }: { face?: Face; kinds?: readonly Kind[] } = {},
): Promise<void> {
  await using apis = await Apis.start(behaviors, kinds);
  await using stack = await Stack.create({ face, program: apis.program });
  await stack.up();
  // If a create returns no times, this refresh records them.
  await stack.ok("refresh", "--yes", "--skip-preview", "--expect-no-changes");

  apis.edit();
  const preview = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(preview.code).toBe(7);
  expect(linesOf(preview.output)).toEqual(expectedLines(apis));

  // Refreshes do not hide the drift.
  await stack.ok("refresh", "--yes", "--skip-preview");
  await stack.ok("refresh", "--yes", "--skip-preview");
  expect(linesOf(await stack.ok("preview", "--refresh", "--diff"))).toEqual(expectedLines(apis));

  apis.takeCalls();
  await stack.up("--refresh");
  expect(apis.takeCalls()).toEqual(correctingCalls(apis));
  expect(apis.stored()).toEqual(corrected(apis));
  apis.pass(60);
  await stack.expectNoChanges("--refresh");
  const state = await stack.state();
  expect(state).not.toMatch(/changedOutsidePulumi|canary/);
}

/** Lists the expected changes of each webhook. */
function expectedLines(apis: Apis): Record<string, string[]> {
  const found = apis.webhooks().filter(({ isFound }) => isFound);
  const lines = found.map(({ kind, declared, edited, isDated }): [string, string[]] => {
    if (kind === "gone") return [`${declared.name} (create)`, []];
    const fields = (["name", "enabled"] as const).filter((field) => field in edited);
    return [
      `${declared.name} (update)`,
      [
        ...(isDated ? ['- changedOutsidePulumi: "<time>"'] : []),
        ...fields.map(
          (key) => `~ ${key}: ${JSON.stringify(edited[key])} => ${JSON.stringify(declared[key])}`,
        ),
      ],
    ];
  });
  return Object.fromEntries(lines);
}

/** Reads the changes of each webhook from a preview, without the padding, and with `<time>` for a time. */
function linesOf(output: string): Record<string, string[]> {
  const parts = output.split(/^ *[~+-] \S*webhooks:(?:index:)?Webhook: \((\w+)\)$/m).slice(1);
  const sections: [string, string[]][] = [];
  for (let n = 0; n + 1 < parts.length; n += 2) {
    const [op, text = ""] = [parts[n], parts[n + 1]];
    const changes = text.match(/^ {6}[~+-] .*$/gm) ?? [];
    const lines = changes.map((line) =>
      line
        .trim()
        .replace(/ *: /, ": ")
        .replace(/"20\d\d-[^"]*Z"/, '"<time>"'),
    );
    if (op !== "refresh") sections.push([`${/Webhook::(\S+)\]/.exec(text)?.[1]} (${op})`, lines]);
  }
  return Object.fromEntries(sections);
}

/** Lists the expected requests: a probe of each webhook, then all fields of each one that was found to have drifted. */
function correctingCalls(apis: Apis): string[] {
  const calls = apis.webhooks().flatMap(({ api, kind, declared, isFound }) => {
    if (kind === "gone") return [`create ${show(declared)} -> 201`];
    return [`probe of ${api} -> 200`, ...(isFound ? [`update ${show(declared)} -> 200`] : [])];
  });
  return calls.sort();
}

/** Lists the expected webhooks: those that the program declares, but with the changed URL if nothing could detect it. */
function corrected(apis: Apis): string[] {
  const all = apis.webhooks();
  return all.map(({ declared, edited, isFound }) => show({ ...declared, ...(!isFound && edited) })).sort();
}
