import { expect, it } from "vitest";
import type { Past } from "../../src/stack/past.js";
import { readPast } from "../../src/stack/past.js";

const outputs = {
  url: "https://example.com",
  name: "Orders",
  enabled: true,
  baseUrl: "https://api.example.com",
};
const inDoubt = "in-doubt:2026-01-01T12:00:00.123Z-abcd";
const unresolved: Past = { kind: "unresolved", name: "Orders", sentAt: "2026-01-01T12:00:00Z" };
const known: Past = { kind: "known", id: "1" };
const imported: Past = { ...known, isImported: true };

it.each<[string, object, Past, string?]>([
  ["a webhook", outputs, known],
  ["a webhook of a newer version", { ...outputs, fromTheFuture: [1] }, known],
  ["one that Webhook.get has read", { name: "Orders", baseUrl: outputs.baseUrl }, known],
  [
    "an update or a create without a clear reply",
    { ...outputs, unconfirmed: true },
    { ...known, sendAgain: true },
  ],
  ["one that was sent again", { ...outputs, unconfirmed: false }, known],
  ["a create without a clear reply", outputs, unresolved, inDoubt],
  ["one whose name is a secret", { ...outputs, name: {} }, { ...unresolved, name: "" }, inDoubt],
  [
    "one in a killed run, which may have been sent earlier",
    outputs,
    { ...unresolved, isSentEarlier: true },
    inDoubt.replace(":", ":by-"),
  ],
  ["an import by the engine", { baseUrl: "", unconfirmed: true }, imported],
  ["one that a probe has found", { baseUrl: "", name: "Orders", unconfirmed: true }, imported],
])("reads the record of %s", (_, record, past, id = "1") => {
  expect(readPast({ id, outputs: { ...record } })).toEqual(past);
});
