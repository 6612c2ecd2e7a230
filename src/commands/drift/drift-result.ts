import { BEGINNINGS, olderStateWarning } from "../../lifecycle/messages/drift.js";
import { DRIFTED_FIELDS } from "../../record/properties.js";
import { STORED_SETTINGS, UNKNOWN_STACK_OPTION } from "../../settings/setting-guide.js";
import { findCurrentWebhooks, type StackExport } from "../../stack/stack-export.js";
import { stackOption } from "../../wording/command.js";
import type { ConfigSource } from "../stack-config.js";
import { explainNotCompared, findDeleted, listNotRead, listSkipped, webhookName } from "./not-compared.js";
import {
  type EngineEvent,
  findRefreshed,
  messagesOf,
  type RefreshedWebhook,
  wasDeleted,
} from "./refresh-events.js";

const CUT_OFF =
  "pulumi refresh wrote an incomplete log, so there may be drift that is not listed. Run the command again.";

/** Stands for a secret value, which the engine does not show. */
export const SECRET = "[secret]";

/** What someone changed at a webhook. */
export interface Drift {
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
  /** What to know before the state is restored at the API, a sentence each. */
  warnings: string[];
  errors: string[];
  /** The command that restores what the stack records, if there is drift. */
  restore?: string;
}

/** A previewed refresh. */
export interface Refresh {
  events: readonly EngineEvent[];
  /** Why it failed; undefined if it succeeded. */
  problem?: string;
  /** What has ended it, if something has. */
  signal?: NodeJS.Signals;
}

/** The state of the stack and its name, or why they could not be read. */
export type StateReading = { exported: StackExport; name: string } | { problem: string };

/** The name of the stack and its config file are given if the user gave them. */
interface Sources extends Partial<ConfigSource> {
  refresh: Refresh;
  state: StateReading;
}

/** Reads from the events of a previewed refresh, and from the state, what has drifted. */
export function toDriftResult(sources: Sources): DriftResult {
  const { refresh, state, stack: given, configFile } = sources;
  const { events, problem } = refresh;
  const { exported, name: stack } = "exported" in state ? state : { exported: {}, name: given };
  const option = stackOption(stack, configFile);
  // The engine shows them as refreshed, although it reads none of them.
  const deleted = new Set(findDeleted(exported).map(({ urn }) => urn));
  const webhooks = findRefreshed(events).filter(({ urn, old }) => !deleted.has(old.urn ?? urn));
  const reasons = webhooks.map((webhook) => explainNotCompared(webhook, option));
  const compared = webhooks.filter((_, index) => reasons[index] === undefined);
  const drift = compared.flatMap((webhook) => toDrift(webhook) ?? []);
  // The provider knows neither the stack nor the options of the command.
  const messages = (...severities: string[]) =>
    messagesOf(events, severities).map((text) =>
      text.replaceAll(UNKNOWN_STACK_OPTION, () => option).replace(` ${STORED_SETTINGS}`, ""),
    );
  const errors = messages("error")
    .filter((text) => text !== "preview failed")
    .map((text) => text.replace(/^Preview failed: /, ""));
  const isComplete = events.some(({ summaryEvent }) => summaryEvent !== undefined);
  const cutOff = isComplete ? undefined : CUT_OFF;
  const otherError = problem ?? ("problem" in state ? state.problem : cutOff);
  if (errors.length === 0 && otherError !== undefined) errors.push(otherError);
  const notCompared = [
    ...reasons.filter((reason) => reason !== undefined),
    ...listNotRead(exported, option),
    // A refresh that failed has an error for what it did not read.
    ...(errors.length === 0 ? listSkipped(exported, webhooks) : []),
    ...messages("warning", "info").filter((text) =>
      NOT_COMPARED.some((beginning) => text.startsWith(beginning)),
    ),
  ];
  // What else is a warning is about the program, or about what is listed here already.
  errors.push(...messages("warning").filter((text) => text.startsWith(BEGINNINGS.fieldsCleared)));
  if (webhooks.length + notCompared.length + errors.length === 0) notCompared.push(NONE_RECORDED);
  return {
    ...(stack !== undefined && { stack }),
    result: toResult({ errors, drift, notCompared }),
    webhooks: webhooks.length,
    drift,
    notCompared,
    warnings: explainOldState(exported, compared),
    errors,
    ...(drift.length > 0 && { restore: restoreCommand(exported, drift, option) }),
  };
}

const NOT_COMPARED = [BEGINNINGS.nothingCompared, BEGINNINGS.urlsNotCompared, BEGINNINGS.tooYoung];
const NONE_RECORDED =
  "The state has no webhooks. If it should have some, check the stack, and the backend with pulumi whoami --verbose.";

function toResult({ errors, drift, notCompared }: Pick<DriftResult, "errors" | "drift" | "notCompared">) {
  if (errors.length > 0) return "failed";
  if (drift.length > 0) return "drift";
  return notCompared.length > 0 ? "not compared" : "no drift";
}

function toDrift(webhook: RefreshedWebhook): Drift | undefined {
  const { urn, old, new: after } = webhook;
  const { id, outputs: recorded } = old;
  const drift: Drift = { urn, id, name: webhookName(urn, recorded), change: "changed", fields: {} };
  if (wasDeleted(webhook)) return { ...drift, change: "deleted" };
  if (!after) return undefined;
  const actual = after.outputs;
  for (const field of ["name", "enabled"] as const) {
    const [before, now] = [recorded[field], actual[field]];
    const differs = before !== undefined && now !== undefined && before !== now;
    if (differs || actual[DRIFTED_FIELDS].includes(field))
      drift.fields[field] = { recorded: before ?? SECRET, actual: now ?? SECRET };
  }
  if (actual.changedOutsidePulumi !== undefined) drift.changedAt = actual.changedOutsidePulumi;
  const hasChanged = Object.keys(drift.fields).length > 0 || drift.changedAt !== undefined;
  return hasChanged ? drift : undefined;
}

/** The clocks of the API and of the machine that saved the state may differ. */
const CLOCK_MILLISECONDS = 60_000;

/** Says why the state may be older than the API: it does not know webhooks that were created since, and would create them again. */
function explainOldState({ deployment }: StackExport, compared: readonly RefreshedWebhook[]): string[] {
  const savedAt = Date.parse(deployment?.manifest?.time ?? "");
  const isNewer = ({ new: after }: RefreshedWebhook) =>
    Date.parse(after?.outputs.createdAt ?? "") > savedAt + CLOCK_MILLISECONDS;
  if (compared.filter(wasDeleted).length > 1) return [olderStateWarning("Several webhooks are gone at once")];
  return compared.some(isNewer) ? [olderStateWarning("A webhook was created after the state was saved")] : [];
}

/** Returns the command that reverts drift. It refreshes, unless each up does so for these webhooks. */
function restoreCommand(state: StackExport, drift: readonly Drift[], option: string): string {
  const recorded = findCurrentWebhooks(state);
  const isRefreshed = drift.every(({ urn }) => recorded.get(urn)?.refreshBeforeUpdate);
  return `pulumi up${isRefreshed ? "" : " --refresh --run-program"}${option}`;
}
