import { isGone } from "../../client/gone.js";
import type { Settings } from "../../settings/settings.js";
import { stackOption } from "../../wording/command.js";
import type { Check, CheckResult } from "./check.js";
import { createChecks } from "./checks/create.js";
import { errorChecks } from "./checks/errors.js";
import { compareOmittedFields, comparesUrls, updateChecks } from "./checks/update.js";
import { describeOutcome, statusOf } from "./outcome.js";
import type { DoctorRun, Outcomes } from "./run.js";
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

/** The answer of a check that the run did not get to. */
export const NOT_CHECKED = "not checked";

/** Evaluates a run. */
export function evaluate(options: {
  run: DoctorRun;
  settings: Settings;
  interrupted: boolean;
  stack: string | undefined;
  configFile?: string | undefined;
}): DoctorResult {
  const { run, settings, interrupted, stack, configFile } = options;
  const { leftovers, outcomes } = run;
  const checks = Object.entries({ ...createChecks, ...updateChecks, ...errorChecks });
  const findings = checks.map(([key, check]) => ({ key, ...toResult(check, run) }));
  const problems = [
    ...(interrupted ? ["The run was interrupted before all checks were done."] : []),
    ...findings.filter(({ level }) => level === "bad" || level === "failed").map(describeFinding),
    ...leftovers.map(describeLeftover),
  ];
  const ok = problems.length === 0;
  const key = "webhooks:drift";
  const config = recommendedDrift(outcomes, settings, ok).map((value) => {
    return { key, value, command: `pulumi config set ${key} ${value}${stackOption(stack, configFile)}` };
  });
  return { baseUrl: settings.baseUrl, ok, problems, findings, config, leftovers };
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

function toResult({ question, request, evaluate }: Check, run: DoctorRun): Omit<CheckResult, "key"> {
  const outcome = run.outcomes[request];
  const evaluation = outcome && evaluate(outcome, run);
  if (!outcome || !evaluation) return { question, answer: NOT_CHECKED, meaning: "", level: "open" };
  const { answer = describeOutcome(outcome, run.context.secrets), meaning, level } = evaluation;
  return { question, answer, meaning, level };
}

function recommendedDrift(outcomes: Outcomes, { drift }: Settings, ok: boolean): string[] {
  const { emptyUpdate, wrongKey } = outcomes;
  const isConclusive = emptyUpdate !== undefined && (statusOf(emptyUpdate) ?? 500) < 500;
  if (!isConclusive) return [];
  if (!ok) return drift === "probe" ? ["off"] : [];
  const isWrongKeyDetected = wrongKey !== undefined && !isGone(wrongKey);
  const isSafe = isWrongKeyDetected && compareOmittedFields(outcomes).areKept;
  return [isSafe && comparesUrls(outcomes) ? "probe" : "enforce"];
}
