import { afterEach, expect, it, vi } from "vitest";
import { noneFrom, parseNone, requireOldEnough } from "../../../src/commands/resolve/answers.js";
import { exported, IN_DOUBT, provider, urnOf, webhook } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
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

const timeouts = (...seconds: unknown[]) => {
  const names = seconds.map((_, index) => `p${index}`);
  const providers = names.map((name, index) => {
    const made = provider(name);
    return { ...made, inputs: { ...made.inputs, "webhooks:timeoutSeconds": seconds[index] } };
  });
  // In the first run of a stack, no webhook is recorded yet.
  return exported(providers);
};

it.each([
  ["30 s, by default", timeouts(undefined), "12:01:00"],
  ["that of the Provider", timeouts("45"), "12:01:15"],
  ["the longest of several", timeouts("5", "90", undefined), "12:02:00"],
  ["that of the environment", timeouts("5"), "12:01:30", "60"],
])("accepts none half a minute after the time-out, which is %s", (_, state, time, environment = "") => {
  vi.stubEnv("WEBHOOKS_TIMEOUT_SECONDS", environment);
  const from = `2026-01-01T${time}.000Z`;
  expect(noneFrom(orders, state)).toBe(from);
  vi.useFakeTimers({ now: Date.parse(from) });
  expect(() => requireOldEnough([orders, refunds], state)).not.toThrow();
  vi.setSystemTime(Date.parse(from) - 1);
  expect(() => requireOldEnough([orders], state)).toThrow(
    `Look again after ${from}, and answer then: orders.`,
  );
});
