import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { askNone, parseNone, QUESTION } from "../../../src/commands/resolve/answers.js";
import { UNTIL, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => void vi.useRealTimers());

const orders = unresolvedOf("orders", { name: "Orders" });
const refunds = unresolvedOf("refunds", { url: "https://example.com/refunds" });
const twins = ["a", "b"].map((name) => unresolvedOf(name, { name: "Twin" }));
const creates = [orders, refunds, ...twins];
/** One that would be recorded. */
const known = unresolvedOf("known", { made: { id: "7" } });

it.each([
  ["all that is a question, without names", true, creates],
  ["one that would be recorded, by its name", ["known"], [known]],
  ["names and URNs", ["Orders", "refunds", urnOf("a")], [orders, refunds, twins[0]]],
  ["each once", ["orders", "Orders"], [orders]],
] as const)("accepts as not there %s", (_, none, unresolved) => {
  expect(parseNone(none, [...creates, known])).toEqual(unresolved);
});

it.each([
  // A second answer to one alert, or an id: whether a known webhook is gone, the API itself says.
  ["legacy", "No unresolved webhook is"],
  ["Twin", "Several unresolved webhooks are"],
])("refuses %s as wrong usage, and lists the URNs: %s called so", (name, which) => {
  const urns = creates.map(({ urn }) => `\n  ${urn}`).join("");
  const message = `${which} called ${name}. Use a URN:${urns}`;
  expect(() => parseNone([name], creates)).toThrow(expect.objectContaining({ exitCode: 2, message }));
  expect(() => parseNone([name], [])).toThrow("No unresolved webhook is called");
});

it("accepts none once a create can no longer take effect", () => {
  vi.useFakeTimers({ now: Date.parse(UNTIL) });
  expect(parseNone(true, creates)).toEqual(creates);
  vi.setSystemTime(Date.parse(UNTIL) - 1);
  expect(() => parseNone(["orders"], creates)).toThrow(`Look again after ${UNTIL}, in `);
});

const young = unresolvedOf("young", { until: new Date(Date.now() + 60_000).toISOString() });

it.each([
  ["n for all that is asked", "N\n", [orders, refunds]],
  ["names for these only, also one that would be recorded", "refunds, known\n", [refunds, known]],
  ["nothing to decide later", "\n", []],
  ["nothing before the input ends", "", "Interrupted. The state was not changed."],
  ["no answer that is too early", "orders, young\n", "may still take effect. Look again after"],
] as const)("asks once about all, and accepts %s", async (_, line, expected) => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  stdin.end(line);
  const answer = askNone([orders, known, young, refunds], { stdin, stderr });
  if (typeof expected === "string") await expect(answer).rejects.toThrow(expected);
  else expect(await answer).toEqual(expected);
  expect(String(stderr.read())).toContain(QUESTION);
});
