import { expect, it } from "vitest";
import type { Past } from "../../src/record/past.js";
import { readPast } from "../../src/record/past.js";
import { BASE_URL, IN_DOUBT, sent } from "../stack/exported.js";

const outputs = { ...sent, baseUrl: BASE_URL };
const unresolved: Past = { kind: "unresolved", name: "Orders", sentAt: "2026-01-01T12:00:00Z" };
const known: Past = { kind: "known", id: "1" };
const imported: Past = { ...known, isImported: true };
const unclear = { ...outputs, unconfirmed: true };
const by = IN_DOUBT.replace(":", ":by-");

it.each<[string, object, Past, id?: string]>([
  ["a webhook", outputs, known],
  ["a webhook of a newer version", { ...outputs, fromTheFuture: [1] }, known],
  ["one that Webhook.get has read", { name: "Orders", baseUrl: BASE_URL }, known],
  ["an update or a create without a clear reply", unclear, { ...known, sendAgain: true }],
  ["one that was sent again", { ...outputs, unconfirmed: false }, known],
  ["a create without a clear reply", outputs, unresolved, IN_DOUBT],
  ["one whose name is a secret", { ...outputs, name: {} }, { ...unresolved, name: "" }, IN_DOUBT],
  ["one that may have been sent earlier", outputs, { ...unresolved, isSentEarlier: true }, by],
  ["an import by the engine", { baseUrl: "", unconfirmed: true }, imported],
  ["one that a probe has found", { baseUrl: "", name: "Orders", unconfirmed: true }, imported],
])("reads the record of %s", (_, record, past, id = "1") => {
  expect(readPast({ id, outputs: { ...record } })).toEqual(past);
});
