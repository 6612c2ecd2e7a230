import { styleText } from "node:util";
import type { CheckResult } from "./check.js";
import type { DoctorResult } from "./result.js";
import { NOT_CHECKED } from "./result.js";

/** A stream that a report is written to. */
export type Output = NodeJS.WritableStream & { columns?: number };

/** A longer line is hard to read. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 24;

const MARKS = {
  good: ["✓", "green"],
  limit: ["!", "yellow"],
  bad: ["✗", "red"],
  failed: ["○", "magenta"],
  open: ["?", "gray"],
} as const;

/** Formats a result for a person: the checks, a verdict, and the commands that set what is recommended. */
export function formatReport(result: DoctorResult, stream: Output): string {
  const { baseUrl, ok, problems, findings, config, leftovers } = result;
  // A terminal of unknown size reports 0.
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, stream.columns || MAX_WIDTH));
  const checks = findings
    .filter(({ answer }) => answer !== NOT_CHECKED)
    .flatMap((finding) => formatCheck(finding, width, stream));
  const skipped = findings.filter(({ answer }) => answer === NOT_CHECKED).map(({ question }) => question);
  const notChecked =
    skipped.length === 0 ? [] : formatLine("failed", `Not checked: ${skipped.join(" ")}`, width, stream);
  const isUnclear = findings.some(({ level }) => level === "failed");
  const isUnsuitable = findings.some(({ level }) => level === "bad");
  const heading =
    isUnclear && !isUnsuitable
      ? `The API at ${baseUrl} could not be checked:`
      : `There are problems with the API at ${baseUrl}:`;
  const verdict = ok
    ? [styleText(["bold", "green"], `pulumi-webhooks works with the API at ${baseUrl}.`, { stream })]
    : [
        styleText(["bold", "red"], heading, { stream }),
        ...problems.flatMap((problem) => indent(wrap(problem, width - 2), "- ")),
      ];
  const left = leftovers.length === 0 ? ["The doctor left no webhook behind."] : [];
  const commands = config.map(({ command }) => `  ${command}`);
  const next = commands.length > 0 ? ["", "Recommended settings:", ...commands] : [];
  const top = [...checks, ...notChecked];
  return [...top, ...(top.length > 0 ? [""] : []), ...verdict, ...left, ...next, ""].join("\n");
}

/** Formats a check: the question with its answer, and below it what the answer means. */
function formatCheck(
  { question, answer, meaning, level }: CheckResult,
  width: number,
  stream: Output,
): string[] {
  const head = formatLine(level, `${question} ${answer}`, width, stream);
  return [...head, ...indent(wrap(meaning, width - 2))];
}

function formatLine(level: CheckResult["level"], text: string, width: number, stream: Output): string[] {
  const [sign, color] = MARKS[level];
  const lines = wrap(text, width - 2).map((line) => styleText("bold", line, { stream }));
  return indent(lines, `${styleText(color, sign, { stream })} `);
}

/** Indents lines by two columns; the first begins with a mark. */
function indent(lines: readonly string[], mark = "  "): string[] {
  return lines.map((line, index) => `${index === 0 ? mark : "  "}${line}`);
}

/** Breaks a text between words. A word that is too long is broken after a comma or a colon of JSON, or else anywhere. */
function wrap(text: string, width: number): string[] {
  const piece = new RegExp(`.{1,${width}}(?:$|(?<=[,:])(?!/))|.{1,${width}}`, "gu");
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ").flatMap((whole) => whole.match(piece) ?? [])) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current += current === "" ? word : ` ${word}`;
  }
  return current === "" ? lines : [...lines, current];
}
