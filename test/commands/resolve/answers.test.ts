import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { askNone, parseNone } from "../../../src/commands/resolve/answers.js";
import { UNTIL, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => {
  vi.useRealTimers();
});

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
  expect(() => parseNone([name], creates)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseNone([name], creates)).toThrow(`${which} called ${name}. Use a URN:${urns}`);
  expect(() => parseNone([name], [])).toThrow(
    `No unresolved webhook is called ${name}. Nothing is unresolved.`,
  );
});

it("accepts none once a create can no longer take effect", () => {
  vi.useFakeTimers({ now: Date.parse(UNTIL) });
  expect(parseNone(true, creates)).toEqual(creates);
  vi.setSystemTime(Date.parse(UNTIL) - 1);
  expect(() => parseNone(["orders"], creates)).toThrow(`Look again after ${UNTIL}, in `);
});

/** Answers each question with the next line. */
function terminalWith(lines: string[]) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  stderr.on("data", (chunk) => {
    const text = String(chunk);
    shown.push(text);
    if (!text.includes("n: none of these webhooks is in the dashboard")) return;
    const line = lines.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  return { stdin, stderr, shown };
}

const later = new Date(Date.now() + 60_000).toISOString();
const young = unresolvedOf("young", { until: later });
const all = [orders, known, young, refunds];

it.each([
  ["n for all that is asked", "N", [orders, refunds]],
  ["names for these only, also one that would be recorded", "refunds, known", [refunds, known]],
  ["nothing to decide later", "", []],
] as const)("asks once about all, and accepts %s", async (_, line, expected) => {
  const io = terminalWith([line]);
  expect(await askNone(all, io)).toEqual(expected);
  expect(io.shown).toHaveLength(1);
});

it("asks again after a name that means nothing, or an answer that is too early", async () => {
  const io = terminalWith(["4711", "orders, young", "orders"]);
  expect(await askNone(all, io)).toEqual([orders]);
  expect(io.shown.join("")).toMatch(
    /No unresolved webhook is called 4711\. .*may still take effect\. Look again after/s,
  );
});

it("changes nothing when the input ends before an answer", async () => {
  await expect(askNone(all, terminalWith([]))).rejects.toThrow("Interrupted. The state was not changed.");
});
