import { REQUIRED, UPDATED } from "../record/fields.js";
import type { Known, Past } from "../record/past.js";
import { hasMoved, isOfOtherAccount } from "../record/seen-by.js";
import { UNKNOWN } from "../record/special-values.js";
import type { Settings } from "../settings/settings.js";
import type { Entry, State } from "./state.js";
import type { Properties } from "./values.js";

/**
 * What this run does with the webhook of one resource. Check decides it for a create, diff for a webhook that is recorded; create and
 * update carry it out. Deletes, for which the engine asks by itself, have one decision of their own: `decideDelete`.
 */
export type Decision =
  /** Creates a webhook. */
  | { kind: "create" }
  /** Creates one in the place of another, which the engine deletes. */
  | { kind: "replace"; old: Known }
  /** Sends what is declared to the webhook that the program imports. */
  | { kind: "import"; id: string }
  /** Records a webhook that the engine imports by an option of its own: the next up sends what is declared. */
  | { kind: "record import"; id: string }
  /** Leaves a webhook as it is. Check does not know that of a resource which an alias renames. */
  | { kind: "keep"; id?: string | undefined }
  /** Records it again, with the secret that the program says it has, or the mark of the Provider to which it has moved. Nothing is sent. */
  | { kind: "record only"; id: string }
  /** Sends all fields that an update may send. */
  | { kind: "update"; id: string; because: Reason }
  | { kind: "refuse"; because: Refusal };

/** Why a webhook is updated. */
type Reason =
  | "it changed"
  | "it is imported"
  | "it may differ"
  | "the API moved"
  | "it is enforced"
  /** The update fails, and says why. */
  | "it cannot be read";

/** Why nothing is done with a webhook, and the run fails. */
export type Refusal =
  /** It would import the webhook that it replaces. */
  | "it imports what it replaces"
  | "it imports another webhook"
  | { missing: readonly string[] }
  | "it is of another account"
  /** Another record of the stack has it, too. */
  | { twin: string };

interface CheckFacts {
  past: Past;
  inputs: Properties;
  /** Whether the engine passes no recorded inputs: it is going to create. */
  isNew: boolean;
  /** What was decided before: the engine checks a replacement a second time. */
  earlier: Decision | undefined;
  /** The mark of this Provider and its key. Undefined if its settings have problems. */
  seenBy: string | undefined;
}

/** Decides what follows a check. */
export function decideCheck({ past, inputs, isNew, earlier, seenBy }: CheckFacts): Decision {
  const isDeleted = past.kind === "known" && past.condition === "deleted";
  const known = past.kind === "known" && !isDeleted ? past : undefined;
  const { import: importId } = inputs;
  if (known?.twin !== undefined) return { kind: "refuse", because: { twin: known.twin } };
  if (isOfOtherAccount(known?.seenBy, seenBy)) return { kind: "refuse", because: "it is of another account" };
  if (earlier?.kind === "record import") return earlier;
  if (!isNew || known?.condition === "imported") return { kind: "keep", id: known?.id };
  if (importId !== undefined)
    return known?.id === importId
      ? { kind: "refuse", because: "it imports what it replaces" }
      : { kind: "import", id: String(importId) };
  if (earlier?.kind === "replace" && !isDeleted) return earlier;
  return known === undefined ? { kind: "create" } : { kind: "replace", old: known };
}

interface DiffFacts {
  entry: Entry;
  news: Properties;
  settings: Pick<Settings, "baseUrl" | "drift">;
  /** The mark of this Provider and its key. */
  seenBy: string;
  /** The names of the inputs that the program sets. Undefined if it sets none, as in a refresh and with `pulumi import`. */
  given: readonly string[] | undefined;
  /** What the option `ignoreChanges` names. */
  ignored: readonly string[];
  /** Whether this is an up or its preview. */
  hasProgram: boolean;
  /** Whether another key created it in the place of one that is deleted next: this key must see it first. */
  isUnprovenReplacement: boolean;
  /** Whether the engine must record the webhook again even if nothing changes. */
  mustRecord: boolean;
}

/** Decides what a change of inputs does. The API's update accepts no secret. */
export function decideDiff(facts: DiffFacts): Decision {
  const { entry, news, settings, given, hasProgram, mustRecord } = facts;
  const { id, past, state } = entry;
  const { import: importId } = news;
  const update = (because: Reason): Decision => ({ kind: "update", id, because });
  // A preview shows only that something is to be done.
  if (past.kind === "unresolved") return update("it cannot be read");
  if (importId !== undefined && importId !== UNKNOWN && importId !== id)
    return { kind: "refuse", because: "it imports another webhook" };
  // Check does not know a resource that an alias renames.
  if (hasProgram && isOfOtherAccount(past.seenBy, facts.seenBy))
    return { kind: "refuse", because: "it is of another account" };
  if (past.condition === "imported") {
    // Its update would send defaults for the others.
    const missing = REQUIRED.filter((field) => given?.includes(field) === false);
    return missing.length > 0 ? { kind: "refuse", because: { missing } } : update("it is imported");
  }
  if (state === undefined) return update("it cannot be read");
  if (replacesSecret(facts, state))
    return importId === id
      ? { kind: "refuse", because: "it imports what it replaces" }
      : { kind: "replace", old: past };
  if (past.condition === "sent again" || facts.isUnprovenReplacement) return update("it may differ");
  const hasDrifted = state.changedOutsidePulumi !== undefined;
  if (hasDrifted || UPDATED.some((field) => news[field] !== state[field])) return update("it changed");
  // A full update proves that the webhook exists at the new URL, and records it.
  if (hasProgram && state.baseUrl !== settings.baseUrl) return update("the API moved");
  if (hasProgram && settings.drift === "enforce") return update("it is enforced");
  const isRecorded =
    !mustRecord && !addsSecret(entry, news) && !(hasProgram && hasMoved(past.seenBy, facts.seenBy));
  return { kind: isRecorded ? "keep" : "record only", id };
}

/** Reports whether the program says which secret a webhook has: of one that it imports, none is recorded. */
export function addsSecret({ id, past, state }: Entry, news: Properties): boolean {
  const isImported = past.kind === "known" && past.condition === "imported";
  const addsOwn = news.import === id && state?.secret === undefined;
  return news.secret !== undefined && (isImported || addsOwn);
}

/** Reports whether the secret changes, which the API cannot do. */
function replacesSecret({ entry, news, ignored }: DiffFacts, state: State): boolean {
  if (news.secret === state.secret || addsSecret(entry, news) || ignored.includes("secret")) return false;
  // A value that a preview does not know yet may be the recorded one: an import is not refused because of it.
  return news.secret !== UNKNOWN || news.import !== entry.id;
}
