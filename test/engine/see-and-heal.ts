import { expect } from "vitest";
import type { Behaviour } from "../../src/simulator/index.js";
import type { Kind } from "./apis.js";
import { Apis, KINDS } from "./apis.js";
import { Stack } from "./stack.js";

/**
 * Lets each kind of drift happen at each API, and looks at what a person and a machine see of it in a preview, at the
 * requests by which an up heals it, and whether all is quiet before and after.
 */
export async function seeAndHeal(
  behaviours: Record<string, Partial<Behaviour>>,
  kinds: readonly Kind[] = KINDS,
): Promise<void> {
  await using apis = await Apis.start(behaviours, kinds);
  await using stack = await Stack.create({ program: apis.program });
  await stack.up();
  // Where a create tells no times, this is what tells them.
  await stack.ok("refresh", "--yes", "--skip-preview", "--expect-no-changes");

  apis.edit();
  const preview = await stack.run("preview", "--refresh", "--diff", "--expect-no-changes");
  expect(preview.code).toBe(7);
  expect(linesOf(preview.output)).toEqual(expectedLines(apis));

  // What was seen is still seen after any number of refreshes.
  await stack.ok("refresh", "--yes", "--skip-preview");
  await stack.ok("refresh", "--yes", "--skip-preview");
  const json = await stack.ok("preview", "--refresh", "--json");
  expect(stepsOf(json)).toEqual(expectedSteps(apis));

  apis.takeCalls();
  await stack.up("--refresh");
  expect(apis.takeCalls()).toEqual(healingCalls(apis));
  expect(apis.kept()).toEqual(seenOnly(apis));
  apis.pass(60);
  await stack.expectNoChanges("--refresh");
  const state = await stack.state();
  expect(state).not.toMatch(/changedOutsidePulumi|canary/);
}

/** Whether a changed address can be seen: where the probe sets the time of the last change, it cannot. */
const isDated = (apis: Apis, api: string) =>
  [...apis.webhooks()].find((one) => one.api === api)?.simulator.behaviour.emptyUpdate ===
  "leaves updated_at";

/** The webhooks of which something can be seen, and what. */
function* hasDrift(apis: Apis) {
  for (const webhook of apis.webhooks()) {
    const marked = webhook.kind !== "gone" && isDated(apis, webhook.api);
    if (webhook.kind !== "moved" || marked) yield { ...webhook, marked };
  }
}

function expectedLines(apis: Apis): Record<string, string[]> {
  const lines = [...hasDrift(apis)].map(({ kind, name, marked }): [string, string[]] => {
    if (kind === "gone") return [`${name} (create)`, []];
    const seen = {
      renamed: [`~ name: "Something else" => "${name}"`],
      disabled: ["~ enabled: false => true"],
      enabled: ["~ enabled: true => false"],
      moved: [],
    }[kind];
    return [`${name} (update)`, [...(marked ? ['- changedOutsidePulumi: "<time>"'] : []), ...seen]];
  });
  return Object.fromEntries(lines);
}

/** What a preview shows of each webhook that it would change, without the padding, and with `<time>` for a time. */
function linesOf(output: string): Record<string, string[]> {
  const parts = output.split(/^ *[~+-] pulumi-nodejs:dynamic\/webhooks:Webhook: \((\w+)\)$/m).slice(1);
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

function expectedSteps(apis: Apis): Record<string, unknown> {
  const time = expect.stringMatching(/^20\d\d-.*Z$/);
  const steps = [...hasDrift(apis)].map(({ kind, name, marked }) => {
    if (kind === "gone") return [name, { op: "create" }] as const;
    const was = {
      renamed: { name: "Something else" },
      disabled: { enabled: false },
      enabled: { enabled: true },
      moved: {},
    }[kind];
    return [name, { op: "update", was: { ...was, ...(marked && { changedOutsidePulumi: time }) } }] as const;
  });
  return Object.fromEntries(steps);
}

/** The steps of a preview in JSON that change something, and what of the recorded inputs differs from the declared. */
function stepsOf(json: string): Record<string, unknown> {
  const { steps } = JSON.parse(json.replace(/^[^{]*/, ""));
  const changes = steps.flatMap(({ op, urn, oldState, newState }: Record<string, unknown>) => {
    const name = /dynamic\/webhooks:Webhook::(.*)/.exec(String(urn))?.[1];
    if (name === undefined || op === "same" || op === "refresh") return [];
    if (op === "create") return [[name, { op }]];
    const [was, is] = [Object(oldState).inputs, Object(newState).inputs];
    const differing = Object.entries(was).filter(([key, value]) => value !== is[key]);
    return [[name, { op, was: Object.fromEntries(differing) }]];
  });
  return Object.fromEntries(changes);
}

/** A probe of each that is recorded, and then everything of each that was changed. */
function healingCalls(apis: Apis): Record<string, string[]> {
  const calls: Record<string, string[]> = {};
  for (const { api, kind } of apis.webhooks()) {
    calls[api] ??= [];
    if (kind !== "gone") calls[api].push("probe -> 200");
  }
  for (const { api, kind, name } of hasDrift(apis)) {
    const [operation, status] = kind === "gone" ? ["create", 201] : ["update", 200];
    const fields = `${name} ${kind !== "enabled"} https://example.com/${kind}/${apis.version}`;
    calls[api]?.push(`${operation} ${fields} -> ${status}`);
  }
  for (const shown of Object.values(calls)) shown.sort();
  return calls;
}

/** What is declared; but an address whose change could not be seen stays as it was changed. */
function seenOnly(apis: Apis): string[] {
  const unseen = [...apis.webhooks()].filter(({ api, kind }) => kind === "moved" && !isDated(apis, api));
  const names = new Set(unseen.map(({ name }) => name));
  const elsewhere = (line: string) => line.replace(/https:\S+/, "https://elsewhere.example.com");
  return apis.declared().map((line) => (names.has(line.split(" ")[0] ?? "") ? elsewhere(line) : line));
}
