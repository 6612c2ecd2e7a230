import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { askAll } from "../../src/cli/resolve-ask.js";
import { describeQuestion, formatJson, titleOf } from "../../src/cli/resolve-report.js";
import { CommandError } from "../../src/command-error.js";
import type { Answer } from "../../src/resolve/answers.js";
import type { Asked, Question } from "../../src/resolve/questions.js";

const SENT = "2026-01-01T12:00:00Z";
const ask = (resource: string, fields: Partial<Question> = {}): Asked => ({
  provider: undefined,
  question: { urn: `urn:${resource}`, resource, name: resource, reason: "killed", sentAt: SENT, ...fields },
});
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

const check = async (_: Asked, answer: Answer) => {
  if (answer !== "none" && answer.found === "wrong")
    throw new CommandError("Webhook wrong is not that of orders.");
};

it("asks about each webhook, and again for what is no id, or a wrong one", async () => {
  const entered = ask("a", { reason: "entered", id: "7" });
  const noted = ["b", "c", "d"].map((name) => ask(name, { createdId: "8" }));
  const all = [orders, refunds, entered, ...noted];
  const io = terminalWith(["4 2", "wrong", " 42 ", "", "N", "", "l", "9"]);
  expect([...(await askAll({ all, stack: "dev", io, check }))]).toEqual([
    [orders, { found: "42" }],
    [entered, "none"],
    [noted[0], { found: "8" }],
    [noted[2], { found: "9" }],
  ]);
  const text = io.shown.join("");
  for (const line of [
    "Stack dev. Look for each webhook in the dashboard",
    "1 of 6: orders (webhook Orders)",
    "https://example.com/refunds",
    "An id contains no spaces.",
    "Webhook wrong is not that of orders.",
    "n if it is not there, Enter to decide later",
    "n if it is not there, Enter to keep 7",
    "n if it is not there, l to decide later, Enter to accept 8",
  ]) {
    expect(text).toContain(line);
  }
});

it("changes nothing when the input ends before all answers", async () => {
  await expect(
    askAll({ all: [orders, refunds], stack: "dev", io: terminalWith(["42"]), check }),
  ).rejects.toThrow("Interrupted. The state was not changed.");
});

it("prints no name that controls the terminal", () => {
  const { question } = ask("x\u001b[2J\nall fine", { url: "https://example.com/\u202e" });
  const lines = `${titleOf(question)}\n${describeQuestion(question)}`.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("reports as the JSON that the help describes", () => {
  const answers = new Map<Asked, Answer>([
    [orders, { found: "42" }],
    [refunds, "none"],
  ]);
  const open = [ask("a").question, ask("b", { reason: "entered", id: "7" }).question];
  const sendAgain = [{ urn: "urn:c", type: "", id: "9" }];
  const report = { stack: "dev", isSelected: true, answers, open, sendAgain, backup: "copy.json" };
  expect(JSON.parse(formatJson(report))).toEqual({
    stack: "dev",
    resolved: [
      { urn: "urn:orders", name: "Orders", found: "42" },
      { urn: "urn:refunds", name: "refunds", none: true },
    ],
    unresolved: [open[0]],
    unconfirmed: [open[1]],
    sendAgain: [{ urn: "urn:c", id: "9" }],
    backup: "copy.json",
  });
  expect(Object.keys(JSON.parse(formatJson({ ...report, sendAgain: [] })))).not.toContain("sendAgain");
});
