import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { askAll, parseNone, requireOldEnough } from "../../../src/commands/resolve/answers.js";
import { UNTIL, urnOf } from "../../stack/exported.js";
import { unresolvedOf } from "./unresolved-create.js";

afterEach(() => {
  vi.useRealTimers();
});

const orders = unresolvedOf("orders", { name: "Orders" });
const refunds = unresolvedOf("refunds", { url: "https://example.com/refunds" });
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
  expect(() => requireOldEnough([orders, refunds])).not.toThrow();
  vi.setSystemTime(Date.parse(UNTIL) - 1);
  expect(() => requireOldEnough([orders])).toThrow(`Look again after ${UNTIL}, in `);
});

const found = { stack: "dev", exported: {}, creates: [] };

/** Answers each question with the next line. */
function terminalWith(lines: string[]) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  stderr.on("data", (chunk) => {
    const text = String(chunk);
    shown.push(text);
    if (!text.includes("n if it is not there")) return;
    const line = lines.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  return { stdin, stderr, shown };
}

it("asks about each webhook, again for another text than n", async () => {
  const io = terminalWith(["4711", "N", "", " no "]);
  expect(await askAll([orders, refunds, ...twins.slice(1)], { ...found, io })).toEqual([orders, twins[1]]);
  const text = io.shown.join("");
  for (const line of [
    "Stack dev. Look for each webhook in the dashboard, by its name, url and time. If it is there, delete it there.",
    "1 of 3: orders (webhook Orders)",
    "https://example.com/refunds",
    "If it is there, delete it in the dashboard. Then enter n.",
  ])
    expect(text).toContain(line);
  expect(text.match(/n if it is not there/g)).toHaveLength(4);
});

it("changes nothing when the input ends before all answers", async () => {
  const asked = askAll([orders, refunds], { ...found, io: terminalWith(["n"]) });
  await expect(asked).rejects.toThrow("Interrupted. The state was not changed.");
});
