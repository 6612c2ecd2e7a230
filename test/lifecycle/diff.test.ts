import { expect, it } from "vitest";
import { decideDiff } from "../../src/lifecycle/diff.js";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { fingerprintOf } from "../../src/notes/fingerprint.js";
import type { Declared } from "../../src/stack/hidden-properties.js";
import { FINGERPRINT, REPLACE_ON_CHANGES } from "../../src/stack/hidden-properties.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, progress, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, orders, PASTS, SECRET, withSecret } from "./webhooks.js";

type Question = Parameters<typeof decideDiff>[0];
const baseUrl = "https://api.example.com";
const recorded = { ...withSecret, baseUrl };
const replaceOn = (...fields: string[]) => ({ [REPLACE_ON_CHANGES]: fields });

/** Writes a decision as the rows do. */
function describeDecision(question: Partial<Question> & Pick<Question, "past">): string {
  const decision = decideDiff({
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
/** The record of a create that only a note knew. */
const noted = { recorded: { ...orders, baseUrl, [FINGERPRINT]: fingerprintOf(SECRET) } };
const edited = { recorded: { ...recorded, changedOutsidePulumi: "2026" } };
const changed = (fields: object) => ({ news: { ...withSecret, ...fields } });
const inRefresh = { hasProgram: false };

const CHANGED = "update: it changed";
const MAY_DIFFER = "update: it may differ";
const OTHER = "refuse: it imports another webhook";
const AGAIN = "refuse: it would be imported again: fields secret";
const ROTATED = "replace: fields secret";

/** What may differ is sent again, whatever else would be updated, or nothing. An import is sent before a replacement, too. */
it.each<[string, Partial<Question>, known: string, imported?: string]>([
  ["nothing", {}, "same"],
  ["nothing with the option import", changed({ import: "1" }), "same"],
  ["nothing with an import that is not known yet", changed({ import: UNKNOWN }), "same"],
  ["url", changed({ url: "https://example.com/b" }), CHANGED],
  ["name", changed({ name: "B" }), CHANGED],
  ["enabled", changed({ enabled: false }), CHANGED],
  ["a url that is not known yet", changed({ url: UNKNOWN }), CHANGED],
  ["a secret", changed({ secret: "b" }), ROTATED],
  ["to no secret", changed({ secret: undefined }), ROTATED],
  ["to an unknown secret", changed({ secret: UNKNOWN }), ROTATED],
  ["to an unknown secret, with import", changed({ secret: UNKNOWN, import: "1" }), "same"],
  ["a secret, with import", changed({ secret: "b", import: "1" }), AGAIN],
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
  ],
  ["name, which replaceOnChanges does not list", changed({ name: "B", ...replaceOn("url") }), CHANGED],
  ["nothing, after a change outside Pulumi", edited, CHANGED],
  ["nothing, if only a note knew of its secret", noted, "same"],
  ["a secret of which only a note knew", { ...noted, ...changed({ secret: "b" }) }, ROTATED],
  ["to no secret, if only a note knew of one", { ...noted, news: orders }, ROTATED],
  ["nothing, with ignoreChanges", { ...noted, news: orders, ignored: ["secret"] }, "same"],
  ["a secret, with ignoreChanges", { ...changed({ secret: "b" }), ignored: ["secret"] }, "same"],
  ["nothing, at a new URL", moved, "update: the API moved"],
  ["nothing, at a new URL, in a refresh", { ...moved, ...inRefresh }, "same"],
  ["nothing, with enforce", enforced, "update: it is enforced"],
  ["nothing, with enforce, in a refresh", { ...enforced, ...inRefresh }, "same"],
  ["name, with enforce", { ...enforced, ...changed({ name: "B" }) }, CHANGED],
])(
  "decides what a program does that changes %s",
  (_, question, known, imported = "update: it is imported") => {
    expect({
      known: describeDecision({ past: PASTS.known, ...question }),
      "sent again": describeDecision({ past: PASTS["sent again"], ...question }),
      imported: describeDecision({ past: PASTS.imported, ...question }),
    }).toEqual({
      known,
      "sent again": /^(?:same|update)/.test(known) ? MAY_DIFFER : known,
      imported,
    });
  },
);

it("requires the fields of an import, which has no inputs", () => {
  const decide = (given: Question["given"]) =>
    describeDecision({ recorded: undefined, past: PASTS.imported, given });
  expect(decide(["url"])).toBe("refuse: its import needs all fields: fields name, enabled");
  expect(decide(undefined)).toBe("update: it is imported");
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

const AGAIN_LINE = "pulumi up sends url, name and enabled of these webhooks again.";
const imported = { url: undefined, unconfirmed: true };
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
  ["a change that was cut off", {}, { past: PASTS["sent again"] }, true, AGAIN_LINE],
  [
    "one that an alias may have renamed to a new resource",
    {},
    { past: PASTS.new, hasCutOffChanges: true },
    true,
    AGAIN_LINE,
  ],
  ["an update without a clear reply", {}, { olds: { unconfirmed: true } }, true, AGAIN_LINE],
  [
    "what an import sends, before it replaces a secret",
    { secret: "b" },
    { olds: imported, past: PASTS.imported },
    true,
    "Webhook 1 (Orders) was imported. pulumi up sends url, name and enabled to it, as declared.",
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
    const webhook = declare(run, { urn: id, past: { kind: "known", id } });
    await webhook.plan(id, { ...withSecret, baseUrl: api.url, unconfirmed: true }, withSecret);
  }
  expect(warnings).toHaveLength(1);
});

it.each<[string, object, How, string]>([
  ["a webhook of another URL", {}, { olds: { baseUrl: old } }, `created at ${old}, but webhooks:baseUrl is`],
  ["an imported one of another URL", {}, { olds: { ...imported, baseUrl: old } }, `was created at ${old}`],
  ["an import into a webhook", { import: "2" }, {}, "To import that webhook, declare another resource"],
  ["an import of what is replaced", { import: "1", secret: "b" }, {}, "Remove import"],
  [
    "an import without its fields",
    {},
    { olds: imported, given: ["name"] },
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
  for (const [id, record] of [
    ["1", { ...olds, unconfirmed: true }],
    ["1", { baseUrl: api.url, unconfirmed: true }],
    [IN_DOUBT, olds],
  ] as const)
    expect(await webhook.diff(id, record, withSecret)).toEqual({ changes: true });
  expect([...warnings, ...progress]).toEqual([]);
});
