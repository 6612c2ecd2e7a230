import { expect, it } from "vitest";
import type { Past } from "../../src/stack/past.js";
import { readPast } from "../../src/stack/past.js";

const outputs = {
  url: "https://example.com",
  name: "Orders",
  enabled: true,
  baseUrl: "https://api.example.com",
};
const inDoubtId = "in-doubt:2026-01-01T12:00:00.123Z-abcd";
const at = "2026-01-01T12:00:00Z";
const entered = { kind: "unconfirmed", id: "1", by: "resolve" } as const;
const doubtful = { kind: "unresolved", name: "Orders", sentAt: at } as const;
const recorded = (marks: object) => ({ ...outputs, ...marks });
const imported: Past = { kind: "unconfirmed", id: "1", by: "import" };
const known: Past = { kind: "known", id: "1" };
const sendAgain: Past = { ...known, sendAgain: true };

it.each<[string, object, Past, string?]>([
  ["a webhook", outputs, known],
  ["a webhook of a newer version", recorded({ fromTheFuture: [1] }), known],
  ["one that Webhook.get has read", { name: "Orders", baseUrl: outputs.baseUrl }, known],
  ["an update or a create without a clear reply", { ...outputs, unconfirmed: true }, sendAgain],
  ["a confirmed one", { ...outputs, unconfirmed: false }, known],
  ["an earlier version's create without a clear reply", { ...outputs, unconfirmedCreate: true }, sendAgain],
  ["an earlier version's missing webhook", { ...outputs, notFound: true }, known],
  ["an earlier version's record of a secret", { ...outputs, secretDigest: "digest" }, known],
  ["a create in doubt", outputs, doubtful, inDoubtId],
  ["one whose name is a secret", recorded({ name: {} }), { ...doubtful, name: "" }, inDoubtId],
  [
    "an earlier version's entry in place of another one in doubt",
    recorded({ inDoubtId }),
    doubtful,
    inDoubtId,
  ],
  ["an entered id", recorded({ unconfirmed: true, inDoubtId }), { ...entered, sent: { name: "Orders", at } }],
  ["an earlier version's entered id", recorded({ inDoubtId }), { ...entered, sent: { name: "Orders", at } }],
  ["an entered id without a name", { baseUrl: "", inDoubtId }, { ...entered, sent: { at } }],
  [
    "an entered id of a create that only the notes know, so that the name is the resource's",
    recorded({ url: "", unconfirmed: true, inDoubtId }),
    { ...entered, sent: { at } },
  ],
  [
    "the id of a create in a killed run, which may have been earlier",
    recorded({ inDoubtId, interrupted: true }),
    { ...entered, sent: { name: "Orders" } },
  ],
  ["an import by the engine", { baseUrl: "", imported: true, unconfirmed: true }, imported],
  ["one with the url in its record by now", { ...outputs, imported: true, unconfirmed: true }, imported],
  ["an earlier version's import by the engine", { baseUrl: "", unconfirmed: true }, imported],
  ["one that a probe has confirmed", { baseUrl: "", name: "Orders", unconfirmed: true }, imported],
])("reads the record of %s", (_, record, past, id = "1") => {
  expect(readPast({ id, outputs: { ...record } })).toEqual(past);
});
