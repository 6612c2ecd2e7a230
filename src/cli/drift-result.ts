import { styleText } from "node:util";
import { STORED_KEY, stackOption, UNKNOWN_STACK } from "../settings/setting-guide.js";
import { DRIFTED_FIELDS } from "../stack/hidden-properties.js";
import { NOTHING_COMPARED, PROBE_CLEARED_FIELDS, URLS_NOT_COMPARED } from "../stack/message-beginnings.js";
import type { StackExport } from "../stack/stack-export.js";
import { explainNotCompared, findDeleted, listNotRead, listSkipped, nameOf } from "./not-compared.js";
import { printable, printableLines } from "./printable.js";
import type { EngineEvent, RefreshedWebhook } from "./refresh-events.js";
import { findRefreshed, isGone, messagesOf } from "./refresh-events.js";

const CUT_OFF =
  "pulumi refresh wrote an incomplete log, so there may be drift that is not listed. Run the command again.";

/** Stands for a secret value, which the engine does not show. */
const SECRET = "[secret]";

/** What someone changed at a webhook. */
interface Drift {
  urn: string;
  id: string;
  /** The webhook's name, or that of its resource if the name is a secret. */
  name: string;
  change: "deleted" | "changed";
  /** A value that is a secret is `"[secret]"`. */
  fields: Partial<Record<"name" | "enabled", { recorded: string | boolean; actual: string | boolean }>>;
  /** When the webhook was changed, if that shows that something other than name and enabled may have changed. */
  changedAt?: string;
}

/** The result of a comparison; `--json` prints it as it is. */
export interface DriftResult {
  stack?: string;
  result: "no drift" | "drift" | "not compared" | "failed";
  /** How many webhooks of the stack the refresh read, with those that are not compared. */
  webhooks: number;
  drift: Drift[];
  /** What was not compared, and why, a sentence each. */
  notCompared: string[];
  warnings: string[];
  errors: string[];
}

/** A previewed refresh. */
export interface Refresh {
  events: readonly EngineEvent[];
  /** Why it failed; undefined if it succeeded. */
  problem?: string;
}

/** The state of the stack and its name, or why they could not be read. */
export type StateReading = { exported: StackExport; name: string } | { problem: string };

interface Sources {
  refresh: Refresh;
  state: StateReading;
  /** The name of the stack, if the user gave one. */
  stack?: string | undefined;
}

/** Reads from the events of a previewed refresh, and from the state, what has drifted. */
export function toDriftResult({ refresh: { events, problem }, state, stack }: Sources): DriftResult {
  const { exported, name: stackName } = "exported" in state ? state : { exported: {}, name: stack };
  // The engine shows them as refreshed, although it reads none of them.
  const deleted = new Set(findDeleted(exported).map(({ urn }) => urn));
  const webhooks = findRefreshed(events).filter(({ urn, old }) => !deleted.has(old.urn ?? urn));
  const compared = webhooks.filter((webhook) => explainNotCompared(webhook) === undefined);
  const drift = compared.flatMap((webhook) => toDrift(webhook) ?? []);
  // The provider knows neither the stack nor the options of the command.
  const adapt = (text: string) =>
    text.replaceAll(stackOption(UNKNOWN_STACK), stackOption(stackName)).replace(` ${STORED_KEY}`, "");
  const messages = (...severities: string[]) => messagesOf(events, severities).map(adapt);
  const warnings = messages("warning");
  const errors = messages("error")
    .filter((text) => text !== "preview failed")
    .map((text) => text.replace(/^Preview failed: /, ""));
  const isComplete = events.some(({ summaryEvent }) => summaryEvent !== undefined);
  const stateProblem = "problem" in state ? state.problem : undefined;
  const otherError = problem ?? stateProblem ?? (isComplete ? undefined : CUT_OFF);
  if (errors.length === 0 && otherError !== undefined) errors.push(otherError);
  const notCompared = [
    ...webhooks.flatMap((webhook) => explainNotCompared(webhook, stack) ?? []),
    ...listNotRead(exported, stack),
    // A refresh that failed has an error for what it did not read.
    ...(errors.length === 0 ? listSkipped(exported, webhooks) : []),
    ...messages("warning", "info").filter(isNotCompared),
  ];
  errors.push(...warnings.filter(isCleared));
  return {
    ...(stack !== undefined && { stack }),
    result: toResult({ errors, drift, notCompared }),
    webhooks: webhooks.length,
    drift,
    notCompared,
    warnings: warnings.filter((text) => !isNotCompared(text) && !isCleared(text)),
    errors,
  };
}

function isNotCompared(message: string): boolean {
  return message.startsWith(NOTHING_COMPARED) || message.startsWith(URLS_NOT_COMPARED);
}

function isCleared(message: string): boolean {
  return message.startsWith(PROBE_CLEARED_FIELDS);
}

function toResult({ errors, drift, notCompared }: Pick<DriftResult, "errors" | "drift" | "notCompared">) {
  if (errors.length > 0) return "failed";
  if (drift.length > 0) return "drift";
  return notCompared.length > 0 ? "not compared" : "no drift";
}

function toDrift(webhook: RefreshedWebhook): Drift | undefined {
  const { urn, old, new: after } = webhook;
  const { id, outputs: recorded } = old;
  const drift: Drift = { urn, id, name: nameOf(urn, recorded), change: "changed", fields: {} };
  if (isGone(webhook)) return { ...drift, change: "deleted" };
  if (!after) return undefined;
  const actual = after.outputs;
  for (const field of ["name", "enabled"] as const) {
    const { [field]: before } = recorded;
    const { [field]: now } = actual;
    const differs = before !== undefined && now !== undefined && before !== now;
    if (differs || actual[DRIFTED_FIELDS].includes(field))
      drift.fields[field] = { recorded: before ?? SECRET, actual: now ?? SECRET };
  }
  if (actual.changedOutsidePulumi !== undefined) drift.changedAt = actual.changedOutsidePulumi;
  const hasChanged = Object.keys(drift.fields).length > 0 || drift.changedAt !== undefined;
  return hasChanged ? drift : undefined;
}

/**
 * Formats a result for a terminal.
 *
 * @param name the stack's, such as `stack dev`.
 */
export function formatDriftResult(result: DriftResult, name: string): string {
  const { stack, webhooks, drift, notCompared, warnings, errors } = result;
  const count = `${webhooks} webhook${webhooks === 1 ? "" : "s"}`;
  const verdicts = {
    "no drift": ["green", `No drift: ${count} of ${name} compared.`],
    drift: ["red", `Drift: ${drift.length} of ${count} of ${name} changed outside Pulumi.`],
    "not compared": [
      "yellow",
      notCompared.some((text) => text.startsWith(NOTHING_COMPARED))
        ? `No webhook of ${name} was compared.`
        : `Not everything was compared in ${name}; the rest has no drift.`,
    ],
    failed: ["red", `The comparison of ${name} failed. The list below may be incomplete.`],
  } as const;
  const [color, verdict] = verdicts[result.result];
  const restore =
    drift.length === 0
      ? []
      : [
          "",
          `To restore what the stack records, run pulumi up --refresh --run-program${stackOption(stack)}.`,
          "It also applies changes of the program that are not applied yet. To keep a change, make it in",
          "the program, too.",
        ];
  return [
    styleText(["bold", color], printable(verdict)),
    ...drift.map(formatDrift).map(printable),
    ...[...notCompared, ...warnings].map((text) => formatMessage("!", text)),
    ...errors.map((text) => formatMessage("✗", text)),
    ...restore,
  ].join("\n");
}

/** Formats a message of one or more lines. Only its first line begins like one of ours. */
function formatMessage(sign: string, text: string): string {
  return `${sign} ${printableLines(text).replaceAll("\n", "\n  ")}`;
}

/** Formats a change, such as `~ Orders (42): name "Orders" → "Renamed"`. */
function formatDrift({ name, id, change, fields, changedAt }: Drift): string {
  if (change === "deleted") return `- ${name} (${id}): deleted`;
  const texts = Object.entries(fields).map(([field, { recorded, actual }]) =>
    [recorded, actual].includes(SECRET)
      ? `${field} changed (secret)`
      : `${field} ${JSON.stringify(recorded)} → ${JSON.stringify(actual)}`,
  );
  if (changedAt !== undefined)
    texts.push(`changed at ${changedAt}; check its URL, which the API does not return`);
  return `~ ${name} (${id}): ${texts.join(", ")}`;
}
