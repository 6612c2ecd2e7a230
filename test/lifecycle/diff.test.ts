import { expect, it } from "vitest";
import type { ResourceContext } from "../../src/record/properties.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, progress, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, PASTS, withSecret } from "./webhooks.js";

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

const SENT_AGAIN = "pulumi up sends url, name and enabled of these webhooks again:";
const update = { changes: true };
const rotated = { news: { secret: "b" } };
const SENT_FIRST = "pulumi up sends url, name and enabled to these imported webhooks, as declared:";
const movedApi = { settings: { previousBaseUrl: `${old}/, ${older}` }, olds: { baseUrl: older } };
const importedWith = (news: object) => ({ news, olds: imported, past: PASTS.imported });

it.each<[string, object, line: string | undefined, How]>([
  [
    "nothing, of what a newer version recorded",
    { changes: false },
    undefined,
    { olds: { fromTheFuture: [1] } },
  ],
  ["nothing, of what ignoreChanges names", { changes: false }, undefined, { ignored: ["url"] }],
  ["a change", update, undefined, { news: { enabled: false } }],
  ["a change of a record that is not readable", update, undefined, { olds: { url: 1 } }],
  ["a replacement", { ...update, replaces: ["secret"] }, "cannot change its secret.", rotated],
  ["what was cut off", update, SENT_AGAIN, { past: PASTS["sent again"] }],
  ["what was cut off and renamed", update, SENT_AGAIN, { past: PASTS.new, hasCutOffChanges: true }],
  ["an update without a clear reply", update, SENT_AGAIN, { olds: { unconfirmed: true } }],
  ["what an import sends, before a replacement", update, SENT_FIRST, importedWith({ secret: "b" })],
  ["updates of all", update, "webhooks:drift is enforce", { settings: { drift: "enforce" } }],
  ["updates after the API moved", update, "The API moved to", movedApi],
])("plans %s, sends no request, and says why if the program does not", async (_, difference, line, how) => {
  expect(await plan(how)).toEqual(difference);
  const items = line?.endsWith(":") ? ["- webhook 1 (orders)"] : [];
  const lines = line === undefined ? [] : [expect.stringContaining(line), ...items];
  expect([...warnings, ...progress].slice(-lines.length)).toEqual(lines);
  expect(operations()).toEqual([]);
});

it.each<[string, message: string, How]>([
  ["a webhook of another URL", `created at ${old}, but webhooks:baseUrl is`, { olds: { baseUrl: old } }],
  ["an imported one of another URL", `created at ${old}`, { olds: { ...imported, baseUrl: old } }],
  ["an import into a webhook", "To manage both, declare another resource for 2.", { news: { import: "2" } }],
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
