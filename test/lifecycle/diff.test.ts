import { expect, it } from "vitest";
import { decideDiff } from "../../src/lifecycle/diff.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { REPLACE_ON_CHANGES } from "../../src/stack/hidden-properties.js";
import {
  api,
  declare,
  ENTERED,
  failureOf,
  IMPORTED,
  operations,
  PASTS,
  progress,
  startRun,
  useSimulator,
  warnings,
  withSecret,
} from "./setup.js";

type Question = Parameters<typeof decideDiff>[0];
const baseUrl = "https://api.example.com";
const recorded = { ...withSecret, baseUrl };
const replaceOn = (...fields: string[]) => ({ [REPLACE_ON_CHANGES]: fields });

/** Writes a decision as the rows do. */
function describeDecision(question: Partial<Question> & Pick<Question, "past">): string {
  const decision = decideDiff({
    id: "1",
    recorded,
    news: withSecret,
    settings: { baseUrl, drift: "off" },
    given: ["url", "name", "enabled"],
    hasProgram: true,
    ...question,
  });
  const details = Object.entries(decision).flatMap(([key, value]) =>
    key === "kind" || value.length === 0 ? [] : [key === "because" ? value : `${key} ${value.join(", ")}`],
  );
  return [decision.kind, ...details].join(": ");
}

const enforced = { settings: { baseUrl, drift: "enforce" } } as const;
const moved = { recorded: { ...recorded, baseUrl: "https://old.example.com" } };
const changed = (fields: object) => ({ news: { ...withSecret, ...fields } });

it.each<[string, Partial<Question>, known: string, cutOff: string, unconfirmed?: string]>([
  ["nothing", {}, "same", "update: it may differ"],
  ["nothing with the option import", changed({ import: "1" }), "same", "update: it may differ"],
  [
    "nothing with an import that is not known yet",
    changed({ import: UNKNOWN }),
    "same",
    "update: it may differ",
  ],
  ["url", changed({ url: "https://example.com/b" }), "update: it changed", "update: it may differ"],
  ["name", changed({ name: "B" }), "update: it changed", "update: it may differ"],
  ["enabled", changed({ enabled: false }), "update: it changed", "update: it may differ"],
  ["a url that is not known yet", changed({ url: UNKNOWN }), "update: it changed", "update: it may differ"],
  [
    "a secret",
    changed({ secret: "b" }),
    "replace: fields secret",
    "replace: fields secret",
    "confirm: waiting secret",
  ],
  [
    "no secret any more",
    changed({ secret: undefined }),
    "replace: fields secret",
    "replace: fields secret",
    "confirm: waiting secret",
  ],
  [
    "a secret that is not known yet",
    changed({ secret: UNKNOWN }),
    "replace: fields secret",
    "replace: fields secret",
    "confirm: waiting secret",
  ],
  [
    "a secret that is not known yet, with import",
    changed({ secret: UNKNOWN, import: "1" }),
    "same",
    "update: it may differ",
  ],
  [
    "a secret, with import",
    changed({ secret: "b", import: "1" }),
    "refuse: it would be imported again: fields secret",
    "refuse: it would be imported again: fields secret",
    "confirm: waiting secret",
  ],
  [
    "the import to another webhook",
    changed({ import: "2" }),
    "refuse: it imports another webhook",
    "refuse: it imports another webhook",
    "refuse: it imports another webhook",
  ],
  [
    "name, which replaceOnChanges lists",
    changed({ name: "B", ...replaceOn("url", "name") }),
    "replace: fields name",
    "replace: fields name",
    "confirm: waiting name",
  ],
  [
    "name and secret, with replaceOnChanges of everything",
    changed({ name: "B", secret: "b", ...replaceOn("*") }),
    "replace: fields name, secret",
    "replace: fields name, secret",
    "confirm: waiting name, secret",
  ],
  [
    "name, which replaceOnChanges does not list",
    changed({ name: "B", ...replaceOn("url") }),
    "update: it changed",
    "update: it may differ",
  ],
  [
    "nothing, after a change outside Pulumi",
    { recorded: { ...recorded, changedOutsidePulumi: "2026" } },
    "update: it changed",
    "update: it may differ",
  ],
  [
    "nothing, after an earlier version's probe missed it",
    { recorded: { ...recorded, notFound: true } },
    "replace: fields notFound",
    "replace: fields notFound",
  ],
  [
    "nothing, after an earlier version's probe missed an imported one",
    { recorded: { ...recorded, notFound: true }, ...changed({ import: "1" }) },
    "update: it changed",
    "update: it may differ",
  ],
  ["nothing, at a new URL", moved, "update: the API moved", "update: it may differ"],
  ["nothing, at a new URL, in a refresh", { ...moved, hasProgram: false }, "same", "update: it may differ"],
  ["nothing, with enforce", enforced, "update: it is enforced", "update: it may differ"],
  [
    "nothing, with enforce, in a refresh",
    { ...enforced, hasProgram: false },
    "same",
    "update: it may differ",
  ],
  [
    "name, with enforce",
    { ...enforced, ...changed({ name: "B" }) },
    "update: it changed",
    "update: it may differ",
  ],
])("decides what a program does that changes %s", (_, question, known, cutOff, unconfirmed = "confirm") => {
  expect({
    known: describeDecision({ past: PASTS.known, ...question }),
    "cut off": describeDecision({ past: PASTS["cut off"], ...question }),
    entered: describeDecision({ past: PASTS.entered, ...question }),
    imported: describeDecision({ past: PASTS.imported, ...question }),
  }).toEqual({ known, "cut off": cutOff, entered: unconfirmed, imported: unconfirmed });
});

it("requires the fields of an import, which has no inputs, and lets no secret of it wait", () => {
  const question = { recorded: undefined, given: ["url"] };
  expect(describeDecision({ ...question, past: PASTS.imported })).toBe(
    "refuse: its import needs all fields: fields name, enabled",
  );
  expect(describeDecision({ ...question, past: PASTS.imported, given: undefined })).toBe("confirm");
  expect(describeDecision({ ...question, past: PASTS.entered })).toBe("confirm");
});

useSimulator();

interface How extends Partial<Declared> {
  settings?: Record<string, string>;
  olds?: object;
}

/** Plans an up for webhook 1. */
function plan(news: object, { settings, olds, ...described }: How = {}) {
  const webhook = declare(startRun(settings), { past: PASTS.known, ...described });
  return webhook.plan("1", { ...withSecret, baseUrl: api.url, ...olds }, { ...withSecret, ...news });
}

it.each<[string, object, How, object, string[]]>([
  ["nothing", {}, {}, { changes: false }, []],
  ["nothing that a newer version recorded", {}, { olds: { fromTheFuture: [1] } }, { changes: false }, []],
  ["nothing that ignoreChanges names", {}, { ignored: ["url"] }, { changes: false }, []],
  ["a change", { enabled: false }, {}, { changes: true }, []],
  [
    "a change that sends ignored fields",
    { enabled: false },
    { ignored: ["url", "name", "secret"] },
    { changes: true },
    ["The update of webhook 1 (Orders) also sends url and name, as recorded"],
  ],
  ["a change of a record that is not readable", {}, { olds: { url: 1 } }, { changes: true }, []],
  [
    "a replacement",
    { secret: "b" },
    {},
    { changes: true, replaces: ["secret"] },
    ["must be replaced: the API cannot change its secret."],
  ],
  [
    "a change that was cut off",
    {},
    { past: PASTS["cut off"] },
    { changes: true },
    ["An earlier update or delete of webhooks was cut off"],
  ],
  [
    "an update without a clear reply",
    {},
    { olds: { unconfirmed: true } },
    { changes: true },
    ["An earlier update or delete of webhooks was cut off"],
  ],
  [
    "the confirmation of an entered id",
    { secret: "b" },
    { olds: ENTERED, past: PASTS.entered },
    { changes: true },
    [
      "The id of webhook 1 (Orders) is not confirmed yet. The next pulumi up confirms it: it sends url, name and enabled to this webhook. The change of secret must wait",
    ],
  ],
  [
    "the confirmation of an import",
    {},
    { olds: { ...IMPORTED, url: undefined }, past: PASTS.imported },
    { changes: true },
    ["The id of webhook 1 (Orders) is not confirmed yet."],
  ],
  [
    "updates of all",
    {},
    { settings: { drift: "enforce" } },
    { changes: true },
    ["webhooks:drift is enforce"],
  ],
  [
    "updates after the API moved",
    {},
    {
      settings: { previousBaseUrl: "https://old.example.com/, https://older.example.com" },
      olds: { baseUrl: "https://older.example.com" },
    },
    { changes: true },
    ["The API moved to"],
  ],
])("plans %s, sends no request, and says why", async (_, news, how, planned, lines) => {
  expect(await plan(news, how)).toEqual(planned);
  expect([...warnings, ...progress]).toEqual(lines.map((line) => expect.stringContaining(line)));
  expect(operations()).toEqual([]);
});

it("says once what holds for all webhooks", async () => {
  const run = startRun();
  for (const id of ["1", "2"]) {
    const webhook = declare(run, { key: id, past: { kind: "known", id } });
    await webhook.plan(id, { ...withSecret, baseUrl: api.url, unconfirmed: true }, withSecret);
  }
  expect(warnings).toHaveLength(1);
});

it.each<[string, object, How, string]>([
  [
    "a webhook of another URL",
    {},
    { olds: { baseUrl: "https://old.example.com" } },
    "was created at https://old.example.com, but webhooks:baseUrl is",
  ],
  [
    "an entered one of another URL",
    {},
    { olds: { ...ENTERED, baseUrl: "https://old.example.com" } },
    "was created at https://old.example.com",
  ],
  ["an import into a webhook", { import: "2" }, {}, "To import that webhook, declare another resource"],
  ["an import of what is replaced", { import: "1", secret: "b" }, {}, "Remove import"],
  [
    "an import without its fields",
    {},
    { olds: { ...IMPORTED, url: undefined }, given: ["name"] },
    "Webhook 1 was imported, and the program does not set url and enabled",
  ],
])("refuses %s", async (_, news, how, message) => {
  expect((await failureOf(plan(news, how))).message).toContain(message);
  expect(operations()).toEqual([]);
});

it("shows nothing and refuses nothing in a refresh, which compares recorded inputs", async () => {
  const webhook = declare(startRun({ drift: "enforce" }));
  const olds = { ...withSecret, baseUrl: api.url };
  expect(await webhook.diff("1", olds, withSecret)).toEqual({ changes: false });
  expect(await webhook.diff("1", { ...olds, ...ENTERED }, withSecret)).toEqual({ changes: true });
  expect(await webhook.diff("1", { ...IMPORTED, baseUrl: api.url }, {})).toEqual({ changes: true });
  expect(await webhook.diff("in-doubt:2026-01-01T12:00:00.000Z-abcd", {}, withSecret)).toEqual({
    changes: true,
  });
  expect([...warnings, ...progress]).toEqual([]);
});
