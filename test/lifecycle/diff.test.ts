import { expect, it } from "vitest";
import { decideDiff } from "../../src/lifecycle/diff.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { REPLACE_ON_CHANGES } from "../../src/stack/hidden-properties.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, progress, useSimulator, warnings } from "./simulator.js";
import { ENTERED, IMPORTED, PASTS, withSecret } from "./webhooks.js";

type Question = Parameters<typeof decideDiff>[0];
const baseUrl = "https://api.example.com";
const recorded = { ...withSecret, baseUrl };
const replaceOn = (...fields: string[]) => ({ [REPLACE_ON_CHANGES]: fields });

const SECRET_WAITS = "confirm: the secret waits";

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
  if (decision.kind === "confirm") return decision.isSecretWaiting ? SECRET_WAITS : "confirm";
  const details = Object.entries(decision).flatMap(([key, value]) =>
    key === "kind" || value.length === 0 ? [] : [key === "because" ? value : `${key} ${value.join(", ")}`],
  );
  return [decision.kind, ...details].join(": ");
}

const enforced = { settings: { baseUrl, drift: "enforce" } } as const;
const moved = { recorded: { ...recorded, baseUrl: "https://old.example.com" } };
const missed = { recorded: { ...recorded, notFound: true as const } };
const edited = { recorded: { ...recorded, changedOutsidePulumi: "2026" } };
const changed = (fields: object) => ({ news: { ...withSecret, ...fields } });
const inRefresh = { hasProgram: false };

const CHANGED = "update: it changed";
const MAY_DIFFER = "update: it may differ";
const OTHER = "refuse: it imports another webhook";
const AGAIN = "refuse: it would be imported again: fields secret";

/** An update that was cut off is sent again, whatever else would be updated, or nothing. */
it.each<[string, Partial<Question>, known: string, unconfirmed?: string]>([
  ["nothing", {}, "same"],
  ["nothing with the option import", changed({ import: "1" }), "same"],
  ["nothing with an import that is not known yet", changed({ import: UNKNOWN }), "same"],
  ["url", changed({ url: "https://example.com/b" }), CHANGED],
  ["name", changed({ name: "B" }), CHANGED],
  ["enabled", changed({ enabled: false }), CHANGED],
  ["a url that is not known yet", changed({ url: UNKNOWN }), CHANGED],
  ["a secret", changed({ secret: "b" }), "replace: fields secret", SECRET_WAITS],
  ["to no secret", changed({ secret: undefined }), "replace: fields secret", SECRET_WAITS],
  ["to an unknown secret", changed({ secret: UNKNOWN }), "replace: fields secret", SECRET_WAITS],
  ["to an unknown secret, with import", changed({ secret: UNKNOWN, import: "1" }), "same"],
  ["a secret, with import", changed({ secret: "b", import: "1" }), AGAIN, SECRET_WAITS],
  ["the import to another webhook", changed({ import: "2" }), OTHER, OTHER],
  [
    "name, which replaceOnChanges lists",
    changed({ name: "B", ...replaceOn("url", "name") }),
    "replace: fields name",
  ],
  [
    "name and secret, with replaceOnChanges of everything",
    changed({ name: "B", secret: "b", ...replaceOn("*") }),
    "replace: fields name, secret",
    SECRET_WAITS,
  ],
  ["name, which replaceOnChanges does not list", changed({ name: "B", ...replaceOn("url") }), CHANGED],
  ["nothing, after a change outside Pulumi", edited, CHANGED],
  ["nothing, after an earlier version's probe missed it", missed, "replace: fields notFound"],
  ["nothing, after one missed an import", { ...missed, ...changed({ import: "1" }) }, CHANGED],
  ["nothing, at a new URL", moved, "update: the API moved"],
  ["nothing, at a new URL, in a refresh", { ...moved, ...inRefresh }, "same"],
  ["nothing, with enforce", enforced, "update: it is enforced"],
  ["nothing, with enforce, in a refresh", { ...enforced, ...inRefresh }, "same"],
  ["name, with enforce", { ...enforced, ...changed({ name: "B" }) }, CHANGED],
])("decides what a program does that changes %s", (_, question, known, unconfirmed = "confirm") => {
  expect({
    known: describeDecision({ past: PASTS.known, ...question }),
    "cut off": describeDecision({ past: PASTS["cut off"], ...question }),
    entered: describeDecision({ past: PASTS.entered, ...question }),
    imported: describeDecision({ past: PASTS.imported, ...question }),
  }).toEqual({
    known,
    "cut off": /^(?:same|update)/.test(known) ? MAY_DIFFER : known,
    entered: unconfirmed,
    imported: unconfirmed,
  });
});

it("requires the fields of an import, which has no inputs, and lets no secret of it wait", () => {
  const decide = (question: Parameters<typeof describeDecision>[0]) =>
    describeDecision({ recorded: undefined, ...question });
  expect(decide({ past: PASTS.imported, given: ["url"] })).toBe(
    "refuse: its import needs all fields: fields name, enabled",
  );
  expect(decide({ past: PASTS.imported, given: undefined })).toBe("confirm");
  expect(decide({ past: PASTS.entered, given: ["url"] })).toBe("confirm");
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

const CUT_OFF = "An earlier update or delete of webhooks was interrupted";
const UNCONFIRMED = "The id of webhook 1 (Orders) is not confirmed yet.";
const [old, older] = ["https://old.example.com", "https://older.example.com"];

it.each<[string, object, How, changes: boolean, line?: string]>([
  ["nothing that a newer version recorded", {}, { olds: { fromTheFuture: [1] } }, false],
  ["nothing that ignoreChanges names", {}, { ignored: ["url"] }, false],
  ["a change", { enabled: false }, {}, true],
  [
    "a change that sends ignored fields",
    { enabled: false },
    { ignored: ["url", "name", "secret"] },
    true,
    "The update of webhook 1 (Orders) also sends url and name, as recorded",
  ],
  ["a change of a record that is not readable", {}, { olds: { url: 1 } }, true],
  ["a replacement", { secret: "b" }, {}, true, "must be replaced: the API cannot change its secret."],
  ["a change that was cut off", {}, { past: PASTS["cut off"] }, true, CUT_OFF],
  ["an update without a clear reply", {}, { olds: { unconfirmed: true } }, true, CUT_OFF],
  [
    "the confirmation of an entered id",
    { secret: "b" },
    { olds: ENTERED, past: PASTS.entered },
    true,
    `${UNCONFIRMED} pulumi up confirms it by sending url, name and enabled to this webhook. The change of the secret must wait`,
  ],
  [
    "the confirmation of an import",
    {},
    { olds: { ...IMPORTED, url: undefined }, past: PASTS.imported },
    true,
    UNCONFIRMED,
  ],
  ["updates of all", {}, { settings: { drift: "enforce" } }, true, "webhooks:drift is enforce"],
  [
    "updates after the API moved",
    {},
    { settings: { previousBaseUrl: `${old}/, ${older}` }, olds: { baseUrl: older } },
    true,
    "The API moved to",
  ],
])("plans %s, sends no request, and says why", async (what, news, how, changes, line) => {
  const replaces = what === "a replacement" ? { replaces: ["secret"] } : {};
  expect(await plan(news, how)).toEqual({ changes, ...replaces });
  const lines = line === undefined ? [] : [expect.stringContaining(line)];
  expect([...warnings, ...progress]).toEqual(lines);
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
  ["a webhook of another URL", {}, { olds: { baseUrl: old } }, `created at ${old}, but webhooks:baseUrl is`],
  ["an entered one of another URL", {}, { olds: { ...ENTERED, baseUrl: old } }, `was created at ${old}`],
  ["an import into a webhook", { import: "2" }, {}, "To import that webhook, declare another resource"],
  ["an import of what is replaced", { import: "1", secret: "b" }, {}, "Remove import"],
  [
    "an import without its fields",
    {},
    { olds: { ...IMPORTED, url: undefined }, given: ["name"] },
    "Webhook 1 was imported, and the program does not set url and enabled",
  ],
])("refuses %s", async (_, news, how, message) => {
  expect(await messageOf(plan(news, how))).toContain(message);
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
