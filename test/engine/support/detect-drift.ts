import { expect } from "vitest";
import type { Behavior } from "../../../src/simulator/index.js";
import type { Kind } from "./apis.js";
import { Apis, KINDS } from "./apis.js";
import type { Face } from "./stack.js";
import { Stack } from "./stack.js";

/**
 * Makes each kind of drift happen at each API, and checks what a preview shows as text and as JSON, which requests correct
 * it, and that there is no change before and afterwards.
 */
export async function detectAndCorrectDrift(
  behaviors: Record<string, Partial<Behavior>>,
  { face = "dynamic", kinds = KINDS }: { face?: Face; kinds?: readonly Kind[] } = {},
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
  const json = await stack.ok("preview", "--refresh", "--json");
  expect(stepsOf(json)).toEqual(expectedSteps(apis));

  apis.takeCalls();
  await stack.up("--refresh");
  expect(apis.takeCalls()).toEqual(correctingCalls(apis));
  expect(apis.stored()).toEqual(corrected(apis));
  apis.pass(60);
  await stack.expectNoChanges("--refresh");
  const state = await stack.state();
  expect(state).not.toMatch(/changedOutsidePulumi|canary/);
}

/** Reports whether a changed URL can be detected: not if the probe itself sets the time of the last change. */
const isDated = (apis: Apis, api: string) =>
  [...apis.webhooks()].find((one) => one.api === api)?.simulator.behavior.emptyUpdate === "leaves updated_at";

/** Lists the webhooks whose drift can be detected. */
function* detectable(apis: Apis) {
  for (const webhook of apis.webhooks()) {
    const marked = webhook.kind !== "gone" && isDated(apis, webhook.api);
    if (webhook.kind !== "moved" || marked) yield { ...webhook, marked };
  }
}

function expectedLines(apis: Apis): Record<string, string[]> {
  const lines = [...detectable(apis)].map(({ kind, name, marked }): [string, string[]] => {
    if (kind === "gone") return [`${name} (create)`, []];
    const changes = {
      renamed: [`~ name: "Something else" => "${name}"`],
      disabled: ["~ enabled: false => true"],
      enabled: ["~ enabled: true => false"],
      moved: [],
    }[kind];
    return [`${name} (update)`, [...(marked ? ['- changedOutsidePulumi: "<time>"'] : []), ...changes]];
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

function expectedSteps(apis: Apis): Record<string, unknown> {
  const time = expect.stringMatching(/^20\d\d-.*Z$/);
  const steps = [...detectable(apis)].map(({ kind, name, marked }) => {
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

/** Reads the changing steps of a preview in JSON, with the recorded inputs that differ from the declared ones. */
function stepsOf(json: string): Record<string, unknown> {
  const { steps } = JSON.parse(json.replace(/^[^{]*/, ""));
  const changes = steps.flatMap(({ op, urn, oldState, newState }: Record<string, unknown>) => {
    const name = /webhooks:(?:index:)?Webhook::(.*)/.exec(String(urn))?.[1];
    if (name === undefined || op === "same" || op === "refresh") return [];
    if (op === "create") return [[name, { op }]];
    const [was, is] = [Object(oldState).inputs, Object(newState).inputs];
    const differing = Object.entries(was).filter(([key, value]) => value !== is[key]);
    return [[name, { op, was: Object.fromEntries(differing) }]];
  });
  return Object.fromEntries(changes);
}

/** Lists the expected requests: a probe of each webhook, then all fields of each one that drifted. */
function correctingCalls(apis: Apis): Record<string, string[]> {
  const calls: Record<string, string[]> = {};
  for (const { api, kind } of apis.webhooks()) {
    calls[api] ??= [];
    if (kind !== "gone") calls[api].push("probe -> 200");
  }
  for (const { api, kind, name } of detectable(apis)) {
    const [operation, status] = kind === "gone" ? ["create", 201] : ["update", 200];
    const fields = `${name} ${kind !== "enabled"} https://example.com/${kind}/${apis.version}`;
    calls[api]?.push(`${operation} ${fields} -> ${status}`);
  }
  for (const shown of Object.values(calls)) shown.sort();
  return calls;
}

/** Lists the expected webhooks: those that the program declares, but with the changed URL if nothing could detect it. */
function corrected(apis: Apis): string[] {
  const undetected = [...apis.webhooks()].filter(({ api, kind }) => kind === "moved" && !isDated(apis, api));
  const names = new Set(undetected.map(({ name }) => name));
  const elsewhere = (line: string) => line.replace(/https:\S+/, "https://elsewhere.example.com");
  return apis.declared().map((line) => (names.has(line.split(" ")[0] ?? "") ? elsewhere(line) : line));
}
