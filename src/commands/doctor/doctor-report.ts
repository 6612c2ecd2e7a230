import { styleText } from "node:util";
import { isGone } from "../../client/replies.js";
import { stackOption } from "../../wording/command.js";
import type { ConfigSource } from "../stack-config.js";
import { CHECKS, type Evaluation } from "./checks.js";
import type { DoctorRun } from "./doctor-run.js";
import { compareOmittedFields, comparesUrls, describeOutcome, isRefused, isTouchedByApi } from "./outcome.js";
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
    ...findings.filter(({ level }) => level === "bad").map(describeFinding),
    ...leftovers.map(describeLeftover),
  ];
  const ok = problems.length === 0;
  const config = recommendedSettings(run, ok).map(([name, value]) => {
    const key = `webhooks:${name}`;
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

function recommendedSettings({ outcomes, options }: DoctorRun, ok: boolean): [name: string, value: string][] {
  const { emptyUpdate, wrongKey, deleteOfDeleted } = outcomes;
  const isConclusive = (emptyUpdate?.result.status ?? 500) < 500;
  if (!isConclusive) return [];
  if (!ok) return options.settings.drift === "probe" ? [["drift", "off"]] : [];
  const isWrongKeyDetected = wrongKey !== undefined && !isGone(wrongKey);
  const isSafe = isWrongKeyDetected && compareOmittedFields(outcomes).areKept && comparesUrls(outcomes);
  return [
    ["drift", isSafe ? "probe" : "enforce"],
    ...(isSafe && isTouchedByApi(outcomes) ? [["ignoreUpdatedAt", "true"] as [string, string]] : []),
    ...(deleteOfDeleted && isRefused(deleteOfDeleted)
      ? [["unknownIdStatus", `${deleteOfDeleted.result.status}`] as [string, string]]
      : []),
  ];
}

const MARKS = {
  good: ["✓", "green"],
  limit: ["!", "yellow"],
  bad: ["✗", "red"],
  open: ["?", "gray"],
} as const;

const UNSEEN =
  "It cannot see whether URLs must be unique, a limit of webhooks, one change at a time, a rate limit, or real deliveries.";

/** Formats a result for a person: the checks, a verdict, and the commands that set what is recommended. */
export function formatReport(result: DoctorResult, stream: NodeJS.WritableStream): string {
  const { baseUrl, ok, problems, findings, config, leftovers } = result;
  const formatLine = (level: CheckResult["level"], text: string) => {
    const [sign, color] = MARKS[level];
    return `${styleText(color, sign, { stream })} ${styleText("bold", text, { stream })}`;
  };
  const done = findings.filter(({ answer }) => answer !== NOT_CHECKED);
  const checks = done.flatMap(({ question, answer, meaning, level }) => [
    formatLine(level, `${question} ${answer}`),
    `  ${meaning}`,
  ]);
  const skipped = findings.length - done.length;
  if (skipped > 0) checks.push(formatLine("open", `${skipped} other checks could not be done.`));
  // The checks above show the others.
  const described = findings.map(describeFinding);
  const others = problems.filter((problem) => !described.includes(problem)).map((problem) => `- ${problem}`);
  const verdict = ok
    ? [formatLine("good", `pulumi-webhooks works with the API at ${baseUrl}.`), `  ${UNSEEN}`]
    : [formatLine("bad", `There are problems with the API at ${baseUrl}.`), ...others];
  const left = leftovers.length === 0 ? ["  The doctor left no webhook behind."] : [];
  const commands = config.map(({ command }) => `  ${command}`);
  const next = commands.length > 0 ? ["", "Recommended settings:", ...commands] : [];
  return [...checks, "", ...verdict, ...left, ...next, ""].join("\n");
}
