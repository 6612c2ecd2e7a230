import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { CommandError } from "../../../src/commands/command-error.js";
import { askAll } from "../../../src/commands/resolve/questions.js";
import type { UnresolvedCreate } from "../../../src/stack/unresolved.js";
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

it("asks about each webhook, again for another text than n, and again if none is refused", async () => {
  const io = terminalWith(["4711", "N", "none", "", " no "]);
  const accepted: UnresolvedCreate[] = [];
  const accept = (create: UnresolvedCreate) => {
    if (create === refunds) throw new CommandError("It may still take effect.");
    accepted.push(create);
  };
  await askAll({ asked: [orders, refunds, invoices], found, io, accept });
  expect(accepted).toEqual([orders, invoices]);
  const text = io.shown.join("");
  for (const line of [
    "Stack dev. Look for each webhook in the dashboard, by its name, url and time. If it is there, delete it there.",
    "1 of 3: orders (webhook Orders)",
    "https://example.com/refunds",
    "It may still take effect.",
  ]) {
    expect(text).toContain(line);
  }
  expect(text.match(/n if it is not there/g)).toHaveLength(5);
});

it("changes nothing when the input ends before all answers", async () => {
  const asked = { asked: [orders, refunds], found, io: terminalWith(["n"]), accept: () => {} };
  await expect(askAll(asked)).rejects.toThrow("Interrupted. The state was not changed.");
});
