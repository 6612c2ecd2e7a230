import { styleText } from "node:util";
import { Help } from "commander";
import { type CheckResult, type DoctorResult, describeFinding, NOT_CHECKED } from "./result.js";

/** A stream that a report is written to. */
export type Output = NodeJS.WritableStream & { columns?: number };

const MAX_WIDTH = 100;
const INDENT = "  ";

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
  const width = Math.min(MAX_WIDTH, stream.columns || MAX_WIDTH) - INDENT.length;
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  /** Wraps a text, and indents its lines; the first begins with a mark. */
  const block = (text: string, mark = INDENT, format?: "bold") => {
    const lines = text === "" ? [] : new Help().boxWrap(text, width).split("\n");
    return lines.map((line, index) => (index === 0 ? mark : INDENT) + (format ? style(format, line) : line));
  };
  const formatLine = (level: CheckResult["level"], text: string) => {
    const [sign, color] = MARKS[level];
    return block(text, `${style(color, sign)} `, "bold");
  };
  const done = findings.filter(({ answer }) => answer !== NOT_CHECKED);
  const checks = done.flatMap(({ question, answer, meaning, level }) => [
    ...formatLine(level, `${question} ${answer}`),
    ...block(meaning),
  ]);
  const skipped = findings.length - done.length;
  if (skipped > 0) checks.push(...formatLine("failed", `${skipped} other checks could not be done.`));
  const levels = findings.map(({ level }) => level);
  const heading =
    levels.includes("failed") && !levels.includes("bad")
      ? `The API at ${baseUrl} could not be checked.`
      : `There are problems with the API at ${baseUrl}.`;
  // The checks above show the others.
  const described = findings.map(describeFinding);
  const others = problems.filter((problem) => !described.includes(problem));
  const verdict = ok
    ? [style(["bold", "green"], `pulumi-webhooks works with the API at ${baseUrl}.`)]
    : [style(["bold", "red"], heading), ...others.flatMap((problem) => block(problem, "- "))];
  const left = leftovers.length === 0 ? ["The doctor left no webhook behind."] : [];
  const commands = config.map(({ command }) => `  ${command}`);
  const next = commands.length > 0 ? ["", "Recommended settings:", ...commands] : [];
  return [...checks, ...(checks.length > 0 ? [""] : []), ...verdict, ...left, ...next, ""].join("\n");
}
