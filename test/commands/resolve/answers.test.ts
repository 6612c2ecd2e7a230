import { afterEach, expect, it, vi } from "vitest";
import { parseNone, requireOldEnough } from "../../../src/commands/resolve/answers.js";
import { exported, IN_DOUBT, UNTIL, urnOf, webhook } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => {
  vi.useRealTimers();
});

const [orders, refunds] = [unresolvedOf("orders", { name: "Orders" }), unresolvedOf("refunds")];
const twins = ["a", "b"].map((name) => unresolvedOf(name, { name: "Twin" }));
const creates = [orders, refunds, ...twins];
const named = (name: string, id: string, outputs = { name }) => webhook(name, { id, outputs });
const [legacy, waiting] = [named("legacy", "1", { name: "Legacy" }), { ...named("old", "2"), delete: true }];
const others = [webhook("doubt", { id: IN_DOUBT }), webhook("read", { id: "5", external: true })];
const known = [legacy, waiting];
const numbered = [
  webhook("7", { id: "8" }),
  webhook("8", { id: "9", outputs: { name: "7" } }),
  named("b", "7"),
];
const stack = { exported: exported([...known, ...others, ...numbered]), creates };

it.each([
  ["all that is unresolved, without names", true, creates, []],
  ["names and URNs", ["Orders", "refunds", urnOf("a")], [orders, refunds, twins[0]], []],
  ["each once", ["orders", "Orders", "1", "1"], [orders], [legacy]],
  ["the id of a known one", ["1"], [], [legacy]],
  ["one that waits for its deletion", ["2"], [], [waiting]],
] as const)("accepts as not there %s", (_, none, ...[unresolved, gone]) => {
  expect(parseNone(none, stack)).toEqual({ creates: unresolved, known: gone });
});

it.each([
  [
    "other",
    "No unresolved webhook is named other, and no other one has this id. Unresolved: orders, refunds,",
  ],
  // A second answer to one alert must not remove the webhook that the first one has brought back.
  ["legacy", "No unresolved webhook is named legacy"],
  ["5", "No unresolved webhook is named 5"],
  ["8", `and one has this id. If that one is gone, run pulumi state delete '${urnOf("7")}'.`],
  ["7", `A webhook of the stack is named 7, and one has this id.`],
  [IN_DOUBT, `No unresolved webhook is named ${IN_DOUBT}`],
  ["Twin", `--none Twin may mean several webhooks. Use the URN or the id:\n  ${urnOf("a")}\n  ${urnOf("b")}`],
])("refuses %s as wrong usage", (name, message) => {
  expect(() => parseNone([name], stack)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseNone([name], stack)).toThrow(message);
});

it("accepts none once a create can no longer take effect", () => {
  vi.useFakeTimers({ now: Date.parse(UNTIL) });
  expect(() => requireOldEnough([orders, refunds])).not.toThrow();
  vi.setSystemTime(Date.parse(UNTIL) - 1);
  expect(() => requireOldEnough([orders])).toThrow(`Look again after ${UNTIL}, and answer then: orders.`);
});
