import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { CommandError } from "../../../src/commands/command-error.js";
import type { Answer } from "../../../src/commands/resolve/answers.js";
import { askAll } from "../../../src/commands/resolve/ask.js";
import type { Question } from "../../../src/commands/resolve/questions.js";
import { describeQuestion, formatJson, titleOf } from "../../../src/commands/resolve/report.js";
import { ask } from "./ask.js";

const orders = ask("orders", { name: "Orders" });
const refunds = ask("refunds", { url: "https://example.com/refunds" });

/** Answers each question with the next line. */
function terminalWith(lines: string[]) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  stderr.on("data", (chunk) => {
    const text = String(chunk);
    shown.push(text);
    if (!text.includes("Its id in the dashboard")) return;
    const line = lines.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  return { stdin, stderr, shown };
}

/** Settles answers, as the command does. */
function settleInto(answers: Map<Question, Answer>) {
  return async (question: Question, answer: Answer) => {
    if (answer !== "none" && answer.id === "wrong")
      throw new CommandError("Webhook wrong is not that of orders.");
    answers.set(question, answer);
  };
}

it("asks about each webhook, and again for what is no id, or a wrong one", async () => {
  const invoices = ask("invoices");
  const io = terminalWith(["4 2", "wrong", " 42 ", "", "N"]);
  const answers = new Map<Question, Answer>();
  await askAll({ all: [orders, refunds, invoices], stack: "dev", io, check: settleInto(answers) });
  expect([...answers]).toEqual([
    [orders, { id: "42" }],
    [invoices, "none"],
  ]);
  const text = io.shown.join("");
  for (const line of [
    "Stack dev. Look for each webhook in the dashboard",
    "The webhook whose id you enter is overwritten at once",
    "1 of 3: orders (webhook Orders)",
    "https://example.com/refunds",
    "An id contains no spaces.",
    "Webhook wrong is not that of orders.",
    "n if it is not there, Enter to decide later",
  ]) {
    expect(text).toContain(line);
  }
});

it("changes nothing when the input ends before all answers", async () => {
  await expect(
    askAll({ all: [orders, refunds], stack: "dev", io: terminalWith(["42"]), check: settleInto(new Map()) }),
  ).rejects.toThrow("Interrupted. The state was not changed.");
});

it("prints no name that controls the terminal", () => {
  const question = ask("x\u001b[2J\nall fine", { url: "https://example.com/\u202e" });
  const lines = `${titleOf(question)}\n${describeQuestion(question)}`.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("reports as the JSON that the help describes", () => {
  const answers = new Map<Question, Answer>([
    [orders, { id: "42" }],
    [refunds, "none"],
  ]);
  const open = [ask("a")];
  const sendAgain = [{ urn: "urn:c", type: "", id: "9" }];
  const lock = { holders: ["me@host (pid 1) at noon"], isOfDeadProcess: false };
  const report = { stack: "dev", isSelected: true, answers, open, lock, sendAgain, backup: "copy.json" };
  expect(JSON.parse(formatJson(report))).toEqual({
    stack: "dev",
    locked: lock.holders,
    resolved: [
      { urn: "urn:orders", name: "Orders", found: "42" },
      { urn: "urn:refunds", name: "refunds", none: true },
    ],
    unresolved: [open[0]?.shown],
    sendAgain: [{ urn: "urn:c", id: "9" }],
    backup: "copy.json",
  });
  const without = JSON.parse(formatJson({ ...report, sendAgain: [], lock: undefined }));
  expect(Object.keys(without)).toEqual(["stack", "resolved", "unresolved", "backup"]);
});
