import { REQUIRED, UPDATED } from "../record/fields.js";
import type { Past } from "../record/past.js";
import { hasMoved, isOfOtherAccount, isSameKey } from "../record/seen-by.js";
import { UNKNOWN } from "../record/special-values.js";
import type { ParsedSettings, UsableSettings } from "../settings/settings.js";
import type { WebhookError } from "../wording/errors.js";
import { REFUSALS } from "./refusal.js";
import { type Decision, knownBefore, type Reason, type Resource, type Run } from "./run.js";
import type { Entry, State } from "./state.js";
import type { Properties, Received } from "./values.js";

const refuse = (error: WebhookError): Decision => ({ kind: "refuse", error });

/** Decides what follows a check. @param isNew whether the engine passes no recorded inputs: it is going to create. */
export function decideCheck(
  { decision: earlier, urn }: Resource,
  { past, inputs, isNew }: { past: Past; inputs: Properties; isNew: boolean },
  { drift, seenBy }: ParsedSettings,
): Decision {
  const isDeleted = past.kind === "known" && past.condition === "deleted";
  const known = past.kind === "known" && !isDeleted ? past : undefined;
  const { import: importId } = inputs;
  if (known?.twin !== undefined) return refuse(REFUSALS.hasTwin({ ...known, urn }, known.twin));
  if (known !== undefined && isOfOtherAccount(known.seenBy, seenBy))
    return refuse(REFUSALS.isOfOtherAccount({ ...known, urn }, drift));
  // The engine checks a replacement a second time.
  if (earlier?.kind === "record import") return earlier;
  if (!isNew || known?.condition === "imported") return { kind: "keep", id: known?.id };
  if (importId !== undefined) {
    const id = String(importId);
    return known?.id === importId
      ? refuse(REFUSALS.importsWhatItReplaces({ id, urn }))
      : { kind: "import", id };
  }
  if (earlier?.kind === "replace" && !isDeleted) return earlier;
  return known === undefined ? { kind: "create" } : { kind: "replace", old: known };
}

/** A recorded webhook, and the inputs that check has approved. */
export interface Change {
  resource: Resource;
  entry: Entry;
  news: Received;
  /** What the option `ignoreChanges` names. Default: what the program has passed with the check. */
  ignored?: readonly string[] | undefined;
  /** Whether the engine must record the webhook again even if nothing changes. Its update then sends nothing. */
  mustRecord?: boolean | undefined;
}

/** Decides what a change of inputs does. The API's update accepts no secret. */
export function decideDiff(
  { program }: Run,
  change: Change,
  { settings, drift, seenBy }: UsableSettings,
): Decision {
  const { resource, entry, mustRecord } = change;
  const { id, past, state } = entry;
  const { values: news } = change.news;
  const { import: importId } = news;
  const hasProgram = program !== undefined;
  const update = (because: Reason): Decision => ({ kind: "update", id, because });
  // A preview shows only that something is to be done.
  if (past.kind === "unresolved") return update("it cannot be read");
  if (importId !== undefined && importId !== UNKNOWN && importId !== id)
    return refuse(REFUSALS.importsAnother(entry, importId));
  // Check does not know a resource that an alias renames.
  if (hasProgram && isOfOtherAccount(past.seenBy, seenBy))
    return refuse(REFUSALS.isOfOtherAccount(entry, drift));
  if (past.condition === "imported") {
    // Its update would send defaults for the others. In a refresh and with `pulumi import`, the program sets none.
    const { context, inputs = {} } = resource.declared ?? {};
    const missing = "url" in inputs ? REQUIRED.filter((field) => !context?.given.includes(field)) : [];
    return missing.length > 0 ? refuse(REFUSALS.lacks(entry, missing)) : update("it is imported");
  }
  if (state === undefined) return update("it cannot be read");
  if (replacesSecret(change, state))
    return importId === id ? refuse(REFUSALS.importsWhatItReplaces(entry)) : { kind: "replace", old: past };
  // Another key created it in the place of one that is deleted next: this key must see it first.
  const before = knownBefore(resource);
  const isUnproven = before?.obsolete !== undefined && !isSameKey(before.seenBy, seenBy);
  if (past.condition === "sent again" || isUnproven) return update("it may differ");
  const hasDrifted = state.changedOutsidePulumi !== undefined;
  if (hasDrifted || UPDATED.some((field) => news[field] !== state[field])) return update("it changed");
  // A full update proves that the webhook exists at the new URL, and records it.
  if (hasProgram && state.baseUrl !== settings.baseUrl) return update("the API moved");
  if (hasProgram && drift === "enforce") return update("it is enforced");
  const isRecorded =
    !mustRecord && !addsSecret(entry, news) && !(hasProgram && hasMoved(past.seenBy, seenBy));
  return { kind: isRecorded ? "keep" : "record only", id };
}

/** Reports whether the program says which secret a webhook has: of one that it imports, none is recorded. */
export function addsSecret({ id, past, state }: Entry, news: Properties): boolean {
  const isImported = past.kind === "known" && past.condition === "imported";
  const addsOwn = news.import === id && state?.secret === undefined;
  return news.secret !== undefined && (isImported || addsOwn);
}

/** Reports whether the secret changes, which the API cannot do. */
function replacesSecret({ resource, entry, news: { values }, ignored }: Change, state: State): boolean {
  const { secret, import: importId } = values;
  const isIgnored = (ignored ?? resource.declared?.context.ignored)?.includes("secret") === true;
  if (secret === state.secret || addsSecret(entry, values) || isIgnored) return false;
  // A value that a preview does not know yet may be the recorded one: an import is not refused because of it.
  return secret !== UNKNOWN || importId !== entry.id;
}
