import { styleText } from "node:util";
import { Help } from "commander";
import { isGone } from "../../client/replies.js";
import { stackOption } from "../../wording/command.js";
import type { ConfigSource } from "../stack-config.js";
import { CHECKS, type Evaluation } from "./checks.js";
import { compareOmittedFields, comparesUrls, describeOutcome } from "./outcome.js";
import type { DoctorRun } from "./run.js";
import type { Leftover } from "./throwaway-webhook.js";

/** The result of a run. `--json` prints it as it is: its keys are the same in every release. */
interface DoctorResult {
  baseUrl: string;
  /** Whether the package works with this API, all checks were done, and no webhook of the doctor is left. */
  ok: boolean;
  /** Why not, a line each. */
  problems: string[];
  findings: CheckResult[];
  /** The recommended settings of a stack, each with the command that sets it. */
  config: { key: string; value: string; command: string }[];
  /** The doctor's webhook, if it is left at the API, or may be. */
  leftovers: readonly Leftover[];
}

/** A check with its result. */
interface CheckResult extends Evaluation {
  key: string;
  question: string;
  answer: string;
}

/** The answer of a check that the run did not get to. */
const NOT_CHECKED = "not checked";

/** Evaluates a run, with the settings of a stack. */
export function evaluate(run: DoctorRun, { stack, configFile }: Partial<ConfigSource>): DoctorResult {
  const { leftovers, outcomes, context } = run;
  const findings = Object.entries(CHECKS).map(([key, { question, request, evaluate }]): CheckResult => {
    const outcome = outcomes[request];
    const evaluation = outcome && evaluate(outcome, run);
    if (!evaluation) return { key, question, answer: NOT_CHECKED, meaning: "", level: "open" };
    const { answer = describeOutcome(outcome, context.secrets), meaning, level } = evaluation;
    return { key, question, answer, meaning, level };
  });
  const problems = [
    ...(run.options.signal.aborted ? ["The run was interrupted before all checks were done."] : []),
    ...findings.filter(({ level }) => level === "bad" || level === "failed").map(describeFinding),
    ...leftovers.map(describeLeftover),
  ];
  const ok = problems.length === 0;
  const key = "webhooks:drift";
  const config = recommendedDrift(run, ok).map((value) => {
    return { key, value, command: `pulumi config set ${key} ${value}${stackOption(stack, configFile)}` };
  });
  return { baseUrl: context.baseUrl, ok, problems, findings, config, leftovers };
}

function describeFinding({ question, answer, meaning }: CheckResult): string {
  return `${question} ${answer}. ${meaning}`;
}

/** Describes a webhook that is left at the API, or may be, and what to do about it. */
export function describeLeftover({ id, name, why }: Leftover): string {
  return id === undefined
    ? `A webhook named ${JSON.stringify(name)} may be left at the API: ${why}. Look for it in the dashboard, and delete it there.`
    : `Webhook ${id}, named ${JSON.stringify(name)}, could not be deleted: ${why}. Delete it in the dashboard.`;
}

function recommendedDrift({ outcomes, options }: DoctorRun, ok: boolean): string[] {
  const { emptyUpdate, wrongKey } = outcomes;
  const isConclusive = (emptyUpdate?.result.status ?? 500) < 500;
  if (!isConclusive) return [];
  if (!ok) return options.settings.drift === "probe" ? ["off"] : [];
  const isWrongKeyDetected = wrongKey !== undefined && !isGone(wrongKey);
  const isSafe = isWrongKeyDetected && compareOmittedFields(outcomes).areKept;
  return [isSafe && comparesUrls(outcomes) ? "probe" : "enforce"];
}

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
