import { expect, it } from "vitest";
import { decideDiff } from "../../src/lifecycle/diff.js";
import type { ResourceContext } from "../../src/record/properties.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, progress, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, PASTS, withSecret } from "./webhooks.js";

type Facts = Parameters<typeof decideDiff>[0];
const baseUrl = "https://api.example.com";
const recorded = { ...withSecret, baseUrl };

/** Writes a decision as the rows do. */
function describeDecision(facts: Partial<Facts> & Pick<Facts, "past">): string {
  const decision = decideDiff({
    recorded,
    news: withSecret,
    settings: { baseUrl, drift: "off" },
    given: ["url", "name", "enabled"],
    hasProgram: true,
    ...facts,
  });
  const details = Object.entries(decision).flatMap(([key, value]) =>
    key === "kind" || value.length === 0 ? [] : [key === "because" ? value : `${key} ${value.join(", ")}`],
  );
  return [decision.kind, ...details].join(": ");
}

const enforced = { settings: { baseUrl, drift: "enforce" } } as const;
const moved = { recorded: { ...recorded, baseUrl: "https://old.example.com" } };
const edited = { recorded: { ...recorded, changedOutsidePulumi: "2026" } };
const changed = (fields: object) => ({ news: { ...withSecret, ...fields } });
const inRefresh = { hasProgram: false };

const CHANGED = "update: it changed";
const MAY_DIFFER = "update: it may differ";
const OTHER = "refuse: it imports another webhook";
const AGAIN = "refuse: it would be imported again";
const ROTATED = "replace";

/** What may differ is sent again, whatever else would be updated, or nothing. An import is sent before a replacement, too. */
it.each<[string, Partial<Facts>, known: string, imported?: string]>([
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
  ["nothing, after a change outside Pulumi", edited, CHANGED],
  ["a secret, with ignoreChanges", { ...changed({ secret: "b" }), ignored: ["secret"] }, "same"],
  ["nothing, at a new URL", moved, "update: the API moved"],
  ["nothing, at a new URL, in a refresh", { ...moved, ...inRefresh }, "same"],
  ["nothing, with enforce", enforced, "update: it is enforced"],
  ["nothing, with enforce, in a refresh", { ...enforced, ...inRefresh }, "same"],
  ["name, with enforce", { ...enforced, ...changed({ name: "B" }) }, CHANGED],
])("decides what a program does that changes %s", (_, facts, known, imported = "update: it is imported") => {
  expect({
    known: describeDecision({ past: PASTS.known, ...facts }),
    "sent again": describeDecision({ past: PASTS["sent again"], ...facts }),
    imported: describeDecision({ past: PASTS.imported, ...facts }),
  }).toEqual({
    known,
    "sent again": /^(?:same|update)/.test(known) ? MAY_DIFFER : known,
    imported,
  });
});

it("requires the fields of an import, which has no inputs", () => {
  const decide = (given: Facts["given"]) =>
    describeDecision({ recorded: undefined, past: PASTS.imported, given });
  expect(decide(["url"])).toBe("refuse: its import needs all fields: missing name, enabled");
  expect(decide(undefined)).toBe("update: it is imported");
});

useSimulator();

interface How extends Partial<ResourceContext> {
  news?: object;
  settings?: Record<string, string>;
  olds?: object;
}

/** Plans an up for webhook 1. */
function plan({ news, settings, olds, ...described }: How) {
  const webhook = declare(startRun(settings), { past: PASTS.known, ...described });
  return webhook.plan("1", { ...withSecret, baseUrl: api.url, ...olds }, { ...withSecret, ...news });
}

const imported = { url: undefined, imported: true };
const [old, older] = ["https://old.example.com", "https://older.example.com"];

it.each<[string, object, How]>([
  ["nothing, of what a newer version recorded", { changes: false }, { olds: { fromTheFuture: [1] } }],
  ["nothing, of what ignoreChanges names", { changes: false }, { ignored: ["url"] }],
  ["a change", { changes: true }, { news: { enabled: false } }],
  ["a change of a record that is not readable", { changes: true }, { olds: { url: 1 } }],
])("plans %s, and says nothing", async (_, difference, how) => {
  expect(await plan(how)).toEqual(difference);
  expect([...warnings, ...progress]).toEqual([]);
});

const SENT_AGAIN =
  "The API has not confirmed url, name and enabled of these webhooks, so pulumi up sends them again.";
const update = { changes: true };
const rotated = { news: { secret: "b" } };
const SENT_FIRST =
  "Webhook 1 (Orders) was imported. pulumi up sends url, name and enabled to it, as declared.";
const movedApi = { settings: { previousBaseUrl: `${old}/, ${older}` }, olds: { baseUrl: older } };
const importedWith = (news: object) => ({ news, olds: imported, past: PASTS.imported });

it.each<[string, object, line: string, How]>([
  ["a replacement", { ...update, replaces: ["secret"] }, "cannot change its secret.", rotated],
  ["what was cut off", update, SENT_AGAIN, { past: PASTS["sent again"] }],
  ["what was cut off and renamed", update, SENT_AGAIN, { past: PASTS.new, hasCutOffChanges: true }],
  ["an update without a clear reply", update, SENT_AGAIN, { olds: { unconfirmed: true } }],
  ["what an import sends, before a replacement", update, SENT_FIRST, importedWith({ secret: "b" })],
  ["updates of all", update, "webhooks:drift is enforce", { settings: { drift: "enforce" } }],
  ["updates after the API moved", update, "The API moved to", movedApi],
])("plans %s, sends no request, and says why", async (_, difference, line, how) => {
  expect(await plan(how)).toEqual(difference);
  expect([...warnings, ...progress]).toEqual([expect.stringContaining(line)]);
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

it.each<[string, message: string, How]>([
  ["a webhook of another URL", `created at ${old}, but webhooks:baseUrl is`, { olds: { baseUrl: old } }],
  ["an imported one of another URL", `created at ${old}`, { olds: { ...imported, baseUrl: old } }],
  ["an import into a webhook", "If webhook 1 was imported by mistake", { news: { import: "2" } }],
  ["an import of what is replaced", "Remove import", { news: { import: "1", secret: "b" } }],
  ["an import without its fields", "does not set url and enabled", { olds: imported, given: ["name"] }],
])("refuses %s", async (_, message, how) => {
  expect(await messageOf(plan(how))).toContain(message);
  expect(operations()).toEqual([]);
});

it("shows nothing and refuses nothing in a refresh, which compares recorded inputs", async () => {
  const webhook = declare(startRun({ drift: "enforce" }));
  const olds = { ...withSecret, baseUrl: api.url };
  expect(await webhook.diff("1", olds, withSecret)).toEqual({ changes: false });
  for (const [id, record] of [
    ["1", { ...olds, unconfirmed: true }],
    ["1", { baseUrl: api.url, imported: true }],
    [IN_DOUBT, olds],
  ] as const)
    expect(await webhook.diff(id, record, withSecret)).toEqual({ changes: true });
  expect([...warnings, ...progress]).toEqual([]);
});
