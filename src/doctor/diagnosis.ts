import type { Settings } from "../settings.js";
import { isGone, statusOf } from "./conversation.js";
import type { Answers, Examination, Leftover } from "./examination.js";
import type { Finding, Reading } from "./finding.js";
import { onCreate } from "./on-create.js";
import { onRefusal } from "./on-refusal.js";
import { keepsOmittedFields, onUpdate } from "./on-update.js";

/** All that the doctor found out; `--json` prints it as it is. */
export interface Diagnosis {
  baseUrl: string;
  /** Whether the package works with this API, all was asked, and nothing of the doctor is left there. */
  ok: boolean;
  /** Why not, a line each. */
  problems: string[];
  findings: Finding[];
  /** The settings that follow. */
  config: Setting[];
  /** The doctor's webhooks that are still at the API, or may be. */
  leftovers: readonly Leftover[];
}

/** A setting of a stack, and the command that sets it. */
export interface Setting {
  key: string;
  value: string;
  command: string;
}

/** Reads what an examination means. */
export function diagnose(options: {
  examination: Examination;
  settings: Settings;
  interrupted: boolean;
  stack: string | undefined;
}): Diagnosis {
  const { examination, settings, interrupted, stack } = options;
  const { leftovers } = examination;
  const findings = [...onCreate, ...onUpdate, ...onRefusal].map((reading) => find(reading, examination));
  const problems = [
    ...(interrupted ? ["It was interrupted before everything was asked."] : []),
    ...findings
      .filter(({ level }) => level === "bad")
      .map(({ question, answer, meaning }) => `${question} ${answer}. ${meaning}`),
    ...leftovers.map(tellLeftover),
  ];
  const ok = problems.length === 0;
  const drift = driftSetting(examination.answers, settings, ok);
  const option = stack === undefined ? "" : ` --stack ${stack}`;
  const config = drift === undefined ? [] : [{ key: "webhooks:drift", value: drift }];
  return {
    baseUrl: settings.baseUrl,
    ok,
    problems,
    findings,
    config: config.map(({ key, value }) => ({
      key,
      value,
      command: `pulumi config set ${key} ${value}${option}`,
    })),
    leftovers,
  };
}

/** What has to be done about a webhook that could not be deleted, or may have been made. */
export function tellLeftover({ id, name, why }: Leftover): string {
  return id === undefined
    ? `A webhook ${JSON.stringify(name)} may exist: ${why}. Look for it in the platform's dashboard, and delete it there.`
    : `Webhook ${id}, ${JSON.stringify(name)}, could not be deleted: ${why}. Delete it in the platform's dashboard.`;
}

function find({ key, question, read }: Reading, examination: Examination): Finding {
  const found = read(examination) ?? { answer: "not asked", meaning: "", level: "open" };
  return { key, question, ...found };
}

/** The value that webhooks:drift should get; undefined where nothing follows. */
function driftSetting(answers: Answers, { drift }: Settings, ok: boolean): "probe" | "off" | undefined {
  const { emptyUpdate, wrongKey } = answers;
  const keyIsTold = wrongKey !== undefined && !isGone(wrongKey);
  if (ok && keyIsTold && keepsOmittedFields(answers)) return "probe";
  const isKnown = emptyUpdate !== undefined && (statusOf(emptyUpdate) ?? 500) < 500;
  return drift === "probe" && isKnown ? "off" : undefined;
}
