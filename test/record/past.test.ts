import { expect, it } from "vitest";
import { type Past, readPast } from "../../src/record/past.js";
import { BASE_URL, IN_DOUBT, sent } from "../stack/exported.js";

const outputs = { ...sent, baseUrl: BASE_URL };
const unresolved: Past = { kind: "unresolved" };
const found: Past = { kind: "known", id: "1", baseUrl: BASE_URL };
const { url, name, enabled } = sent;
const known: Past = { ...found, fields: { url, name, enabled } };
const imported: Past = { ...found, baseUrl: "", condition: "imported" };
const unclear = { ...outputs, unconfirmed: true };

it.each<[string, object, Past, id?: string]>([
  ["a webhook", outputs, known],
  ["a webhook of a newer version", { ...outputs, fromTheFuture: [1] }, known],
  ["one that version 0.1.0 has only read", { name: "Orders", baseUrl: BASE_URL }, found],
  ["an update or a create without a clear reply", unclear, { ...known, condition: "sent again" }],
  ["one that was sent again", { ...outputs, unconfirmed: false }, known],
  ["a create without a clear reply", outputs, unresolved, IN_DOUBT],
  ["an import by the engine", { baseUrl: "", imported: true }, imported],
  ["one of version 0.1.0", { baseUrl: "", name: "Orders", unconfirmed: true }, imported],
])("reads the record of %s", (_, record, past, id = "1") => {
  expect(readPast(id, { ...record })).toEqual(past);
});
