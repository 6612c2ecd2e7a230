import { expect, it } from "vitest";
import type { ResourceContext } from "../../src/record/properties.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, progress, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, PASTS, seen, withSecret } from "./webhooks.js";

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

const SENT_AGAIN = "pulumi up sends all fields of these webhooks again:";
const update = { changes: true };
const replacement = { ...update, replaces: ["secret"] };
const rotated = { news: { secret: "b" } };
const SENT_FIRST = "pulumi up sends all fields but the secret to these imported webhooks, as declared:";
const rotatedAgain = { ...rotated, olds: { unconfirmed: true } };
const ofOtherProvider = { explicitProvider: "eu", apiKey: "another" };
const movedToEu = { settings: ofOtherProvider, olds: seen() };
const movedWithKey = { settings: { explicitProvider: "eu" }, olds: seen() };
const unproven = { past: { ...PASTS.known, seenBy: "0000", obsolete: ["0"] } };
const movedApi = { settings: { previousBaseUrl: `${old}/, ${older}` }, olds: { baseUrl: older } };
const importedWith = (news: object) => ({ news, olds: imported, past: PASTS.imported });

it.each<[string, How]>([
  ["what a newer version recorded", { olds: { fromTheFuture: [1] } }],
  ["the option import", { news: { import: "1" } }],
  ["an import that is not known yet", { news: { import: UNKNOWN } }],
  ["an unknown secret with the option import", { news: { secret: UNKNOWN, import: "1" } }],
  ["what ignoreChanges names", { ...rotated, ignored: ["url", "secret"] }],
  ["a rotated key", { settings: { apiKey: "rotated" }, olds: seen() }],
])("plans nothing because of %s", async (_, how) => {
  expect(await plan(how)).toEqual({ changes: false });
  expect([...warnings, ...progress, ...operations()]).toEqual([]);
});

it.each<[string, object, line: string | undefined, How]>([
  ["a change of enabled", update, undefined, { news: { enabled: false } }],
  ["a change of the name", update, undefined, { news: { name: "B" } }],
  ["a change of the url", update, undefined, { news: { url: "https://example.com/b" } }],
  ["a url that is not known yet", update, undefined, { news: { url: UNKNOWN } }],
  ["an update after a change outside Pulumi", update, undefined, { olds: { changedOutsidePulumi: "2026" } }],
  ["a change of a record that is not readable", update, undefined, { olds: { url: 1 } }],
  ["a replacement", replacement, "cannot change its secret.", rotated],
  ["one by no secret", replacement, "cannot change its secret.", { news: { secret: undefined } }],
  ["one by an unknown secret", replacement, "cannot change its secret.", { news: { secret: UNKNOWN } }],
  ["one of what was cut off", replacement, "cannot change its secret.", rotatedAgain],
  ["what was cut off", update, SENT_AGAIN, { past: PASTS["sent again"] }],
  ["an update without a clear reply", update, SENT_AGAIN, { olds: { unconfirmed: true } }],
  ["what an import sends, before a replacement", update, SENT_FIRST, importedWith({ secret: "b" })],
  ["the new mark of what moves with its key", update, undefined, movedWithKey],
  ["an update of what another key created, before what it replaced goes", update, SENT_AGAIN, unproven],
  ["updates of all", update, "webhooks:drift is enforce", { settings: { drift: "enforce" } }],
  ["updates after the API moved", update, "The API moved to", movedApi],
])("plans %s, sends no request, and says why if the program does not", async (_, difference, line, how) => {
  expect(await plan(how)).toEqual(difference);
  const item = expect.stringMatching(/^- webhook 1 \(orders\): sent (?:again|as declared)$/);
  const lines =
    line === undefined ? [] : [expect.stringContaining(line), line.endsWith(":") ? item : []].flat();
  expect([...warnings, ...progress].slice(-lines.length)).toEqual(lines);
  expect(operations()).toEqual([]);
});

it.each<[string, message: string, How]>([
  ["a webhook of another URL", `created at ${old}, but webhooks:baseUrl is`, { olds: { baseUrl: old } }],
  ["an imported one of another URL", `created at ${old}`, { olds: { ...imported, baseUrl: old } }],
  ["an import into a webhook", "To manage both, declare another resource for 2.", { news: { import: "2" } }],
  ["an import of what is replaced", "Remove import", { news: { import: "1", secret: "b" } }],
  ["another Provider with another key", "was managed by another Provider", movedToEu],
  ["an import without its fields", "does not set url and enabled", { olds: imported, given: ["name"] }],
])("refuses %s", async (_, message, how) => {
  expect(await messageOf(plan(how))).toContain(message);
  expect(operations()).toEqual([]);
});

it("shows nothing and refuses nothing in a refresh, which compares recorded inputs", async () => {
  const webhook = declare(startRun({ drift: "enforce", previousBaseUrl: old, ...ofOtherProvider }));
  const olds = { ...withSecret, baseUrl: api.url };
  for (const record of [olds, { ...olds, baseUrl: old }, { ...olds, ...seen() }])
    expect(await webhook.diff("1", record, withSecret)).toEqual({ changes: false });
  for (const [id, record] of [
    ["1", { ...olds, unconfirmed: true }],
    ["1", { baseUrl: api.url, imported: true }],
    [IN_DOUBT, olds],
  ] as const)
    expect(await webhook.diff(id, record, withSecret)).toEqual({ changes: true });
  expect([...warnings, ...progress]).toEqual([]);
});
