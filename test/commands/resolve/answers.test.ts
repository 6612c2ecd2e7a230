import { afterEach, expect, it, vi } from "vitest";
import { parseNone, requireOldEnough } from "../../../src/commands/resolve/answers.js";
import { UNTIL, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => {
  vi.useRealTimers();
});

const [orders, refunds] = [unresolvedOf("orders", { name: "Orders" }), unresolvedOf("refunds")];
const twins = ["a", "b"].map((name) => unresolvedOf(name, { name: "Twin" }));
const creates = [orders, refunds, ...twins];

it.each([
  ["all that is unresolved, without names", true, creates],
  ["names and URNs", ["Orders", "refunds", urnOf("a")], [orders, refunds, twins[0]]],
  ["each once", ["orders", "Orders"], [orders]],
] as const)("accepts as not there %s", (_, none, unresolved) => {
  expect(parseNone(none, creates)).toEqual(unresolved);
});

it.each([
  // A second answer to one alert, or an id: whether a known webhook is gone, the API itself says.
  ["legacy", "No unresolved webhook is named legacy. Unresolved: orders, refunds, a, b."],
  ["Twin", `--none Twin may mean several webhooks. Use the URN:\n  ${urnOf("a")}\n  ${urnOf("b")}`],
])("refuses %s as wrong usage", (name, message) => {
  expect(() => parseNone([name], creates)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseNone([name], creates)).toThrow(message);
});

it("accepts none once a create can no longer take effect", () => {
  vi.useFakeTimers({ now: Date.parse(UNTIL) });
  expect(() => requireOldEnough([orders, refunds])).not.toThrow();
  vi.setSystemTime(Date.parse(UNTIL) - 1);
  expect(() => requireOldEnough([orders])).toThrow(`Look again after ${UNTIL}, in `);
});
