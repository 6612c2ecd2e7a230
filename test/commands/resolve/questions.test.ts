import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { askAll } from "../../../src/commands/resolve/questions.js";
import { unresolvedOf } from "./unresolved-create.js";

const orders = unresolvedOf("orders", { name: "Orders" });
const refunds = unresolvedOf("refunds", { url: "https://example.com/refunds" });
const invoices = unresolvedOf("invoices");
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
  expect(await askAll({ asked: [orders, refunds, invoices], found, io })).toEqual([orders, invoices]);
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
  const asked = { asked: [orders, refunds], found, io: terminalWith(["n"]) };
  await expect(askAll(asked)).rejects.toThrow("Interrupted. The state was not changed.");
});
