import { styleText } from "node:util";
import type { Diagnosis } from "./diagnosis.js";
import type { Finding } from "./finding.js";

/** Where a report is written to. */
export type Output = NodeJS.WritableStream & { columns?: number };

const WIDEST = 132;
const NARROWEST_TABLE = 80;
const NARROWEST = 24;
const USUAL = 100;

const MARKS = {
  good: ["✓", "green"],
  limit: ["!", "yellow"],
  bad: ["✗", "red"],
  open: ["?", "gray"],
} as const;

/** The diagnosis for a person: a table of what was asked, the verdict, and the commands that follow. */
export function reportOf(diagnosis: Diagnosis, stream: Output): string {
  const { baseUrl, ok, problems, findings, config, leftovers } = diagnosis;
  const bold = (text: string) => styleText("bold", text, { stream });
  const asked = findings.filter(({ answer }) => answer !== "not asked");
  // A terminal that does not know its size says 0.
  const width = Math.max(NARROWEST, Math.min(WIDEST, stream.columns || USUAL));
  const rows = asked.map((finding) => (width < NARROWEST_TABLE ? stacked : row)(finding, width, stream));
  const header = width < NARROWEST_TABLE ? [] : [bold(line(columnsOf(width), HEADERS, " "))];
  const verdict = ok
    ? [styleText(["bold", "green"], `pulumi-webhooks works with the API at ${baseUrl}.`, { stream })]
    : [
        styleText(["bold", "red"], `Not all is well with the API at ${baseUrl}:`, { stream }),
        ...problems.flatMap((problem) => wrap(problem, width - 2).map((text) => `  ${text}`)),
      ];
  const left = leftovers.length === 0 ? ["No webhook of the doctor is left there."] : [];
  const next =
    config.length > 0
      ? ["", "What follows, for a stack with these settings:", ...config.map(({ command }) => `  ${command}`)]
      : [];
  return [...header, ...rows, ...(rows.length > 0 ? [""] : []), ...verdict, ...left, ...next, ""].join("\n");
}

const HEADERS = ["Question", "Answer", "What it means for you"] as const;

function columnsOf(width: number): [number, number, number] {
  const rest = width - 6;
  const question = Math.min(34, Math.floor(rest * 0.29));
  const answer = Math.min(40, Math.floor(rest * 0.33));
  return [question, answer, rest - question - answer];
}

function row({ question, answer, meaning, level }: Finding, width: number, stream: Output): string {
  const columns = columnsOf(width);
  const cells = [question, answer, meaning].map((text, index) => wrap(text, columns[index] ?? 0));
  const height = Math.max(...cells.map((cell) => cell.length));
  const lines = Array.from({ length: height }, (_, index) => {
    const texts = cells.map((cell) => cell[index] ?? "");
    return line(columns, texts, index === 0 ? mark(level, stream) : " ");
  });
  return lines.join("\n");
}

function line(columns: readonly number[], texts: readonly string[], first: string): string {
  const padded = texts.map((text, index) => text.padEnd(columns[index] ?? 0));
  return `${first} ${padded.join("  ")}`.trimEnd();
}

/** For a narrow terminal: the answer and its meaning below the question. */
function stacked({ question, answer, meaning, level }: Finding, width: number, stream: Output): string {
  const below = [...wrap(answer, width - 4), ...wrap(meaning, width - 4)];
  return [`${mark(level, stream)} ${question}`, ...below.map((text) => `    ${text}`)].join("\n");
}

function mark(level: Finding["level"], stream: Output): string {
  const [sign, colour] = MARKS[level];
  return styleText(colour, sign, { stream });
}

/** Breaks a text between words; a word that is too long is broken where JSON has a comma or a colon, or else anywhere. */
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
