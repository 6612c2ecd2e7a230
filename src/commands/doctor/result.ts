import { isGone } from "../../client/replies.js";
import { stackOption } from "../../wording/command.js";
import type { ConfigSource } from "../stack-config.js";
import { CHECKS, type Evaluation } from "./checks.js";
import { compareOmittedFields, comparesUrls, describeOutcome } from "./outcome.js";
import type { DoctorRun } from "./run.js";
import type { Leftover } from "./throwaway-webhook.js";

/** The result of a run. `--json` prints it as it is: its keys are the same in every release. */
export interface DoctorResult {
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
export interface CheckResult extends Evaluation {
  key: string;
  question: string;
  answer: string;
}

/** The answer of a check that the run did not get to. */
export const NOT_CHECKED = "not checked";

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

/** Describes the result of a check in one line. */
export function describeFinding({ question, answer, meaning }: CheckResult): string {
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
