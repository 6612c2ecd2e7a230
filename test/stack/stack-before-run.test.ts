import { expect, it } from "vitest";
import type { Past } from "../../src/record/past.js";
import { SEEN_BY, seenByOf } from "../../src/record/seen-by.js";
import { StackBeforeRun } from "../../src/stack/stack-before-run.js";
import { BASE_URL, exported, IN_DOUBT, pending, providerOf, sent, urnOf, webhook } from "./exported.js";

const found: Past = { kind: "known", id: "1", baseUrl: BASE_URL };
const { url, name, enabled } = sent;
const known: Past = { ...found, fields: { url, name, enabled } };
const sentAgain: Past = { ...known, condition: "sent again" };

/** A state of the webhook orders, perhaps with others. */
const orders = (fields: Parameters<typeof webhook>[1] = {}, ...others: ReturnType<typeof webhook>[]) =>
  exported([webhook("orders", fields), ...others]);
/** A state of that webhook, with an operation that was cut off. */
const cutOff = (...operation: Parameters<typeof pending>) =>
  exported([webhook("orders"), webhook("other", { id: "2" })], [pending(...operation)]);

const unresolved: Past = { kind: "unresolved" };
const older = webhook("orders", { id: "0", delete: true });
const moved = { provider: providerOf("eu"), outputs: { baseUrl: BASE_URL, [SEEN_BY]: seenByOf("key") } };
const imported = { outputs: { baseUrl: BASE_URL, imported: true } };
const renamed = { id: "1", aliases: [urnOf("orders")] };
it.each<[string, ReturnType<typeof exported>, Past]>([
  ["a new resource", exported(), { kind: "new" }],
  ["one that was only read", orders({ external: true }), { kind: "new" }],
  ["one whose webhook waits for its deletion", orders({ delete: true }), { kind: "new" }],
  ["a webhook", orders(), known],
  ["one beside the older one that it replaced", orders({}, older), { ...known, obsolete: ["0"] }],
  ["one beside that of another Provider", orders({}, { ...older, provider: "urn:p::1" }), known],
  ["one that a refresh has moved to another Provider", orders(moved), { ...found, seenBy: seenByOf("key") }],
  ["one deleted for a replacement", orders({ pendingReplacement: true }), { ...known, condition: "deleted" }],
  ["one that is unresolved", orders({ id: IN_DOUBT }), unresolved],
  ["one whose create is pending", exported([], [pending("creating", "orders")]), unresolved],
  ["an import", orders(imported), { ...found, condition: "imported" }],
  ["a cut-off update", cutOff("updating", "orders", { id: "1" }), sentAgain],
  ["a cut-off update without an id", cutOff("updating", "orders"), sentAgain],
  ["a cut-off delete", cutOff("deleting", "orders", { id: "1" }), sentAgain],
  ["a cut-off delete of what it replaced", cutOff("deleting", "orders", { id: "0" }), known],
  ["a cut-off update that renamed it", cutOff("updating", "renamed", renamed), sentAgain],
  ["a webhook beside the cut-off update of another one", cutOff("updating", "other"), known],
])("returns the past of %s", (_, state, past) => {
  expect(new StackBeforeRun(state).pastOf(urnOf("orders"))).toEqual(past);
});

it("lists the records that have an id, also one that waits for its deletion, and none that was only read", () => {
  const stack = new StackBeforeRun(
    exported([
      webhook("orders"),
      webhook("eu", { provider: providerOf("eu"), outputs: { baseUrl: { ciphertext: "" } } }),
      webhook("replaced", { delete: true }),
      webhook("read", { external: true }),
      webhook("other", { id: "2" }),
    ]),
  );
  const baseUrl = BASE_URL;
  expect(stack.ownersOf("1")).toEqual([
    { urn: urnOf("orders"), baseUrl },
    { urn: urnOf("eu") },
    { urn: urnOf("replaced"), baseUrl },
  ]);
  expect(stack.ownersOf("3")).toEqual([]);
});

const KEY_A = { [SEEN_BY]: "aaaa" };
const WHOLE = { createdAt: "2026-01-01T12:00:00Z" };

it.each<[string, object, object, boolean]>([
  ["created at one time", {}, {}, true],
  ["created at another time", {}, { createdAt: "2026-01-01T12:00:00.123457Z" }, false],
  ["created in one second, as two accounts may number alike", WHOLE, WHOLE, false],
  ["created in one second, if one key has seen both", { ...WHOLE, ...KEY_A }, { ...WHOLE, ...KEY_A }, true],
  ["with no time, if one key has seen both", KEY_A, { ...KEY_A, createdAt: undefined }, true],
  ["at another base URL", KEY_A, { ...KEY_A, baseUrl: "https://eu.example.com" }, false],
  ["at a base URL that is a secret", {}, { baseUrl: { ciphertext: "" } }, true],
])("finds another record of one webhook: with its id, and %s", (_, own, others, isFound) => {
  const outputs = { baseUrl: BASE_URL, createdAt: "2026-01-01T12:00:00.123456Z" };
  const copy = webhook("copy", { provider: providerOf("eu"), outputs: { ...outputs, ...others } });
  const past = new StackBeforeRun(
    exported([webhook("orders", { outputs: { ...outputs, ...own } }), copy]),
  ).pastOf(urnOf("orders"));
  expect("twin" in past && past.twin).toBe(isFound && copy.urn);
});
