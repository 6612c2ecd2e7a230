import { REQUIRED, UPDATED } from "../record/fields.js";
import { label, labelAtStart, shownName } from "../record/label.js";
import type { Past } from "../record/past.js";
import { hasMoved, isOfOtherAccount, isSameKey, SEEN_BY } from "../record/seen-by.js";
import { UNKNOWN } from "../record/special-values.js";
import { logicalNameOf, shownUrn } from "../record/urn.js";
import type { ParsedSettings, UsableSettings } from "../settings/settings.js";
import { resolveAdvice, stackOption } from "../wording/command.js";
import { failed, WebhookError } from "../wording/errors.js";
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
  if (earlier?.kind === "record import") return earlier;
  if (!isNew || known?.condition === "imported") return { kind: "keep", id: known?.id };
  if (known !== undefined && known.id === importId)
    return refuse(REFUSALS.importsWhatItReplaces({ ...known, urn }));
  if (importId !== undefined) return { kind: "import" };
  // The engine checks a replacement a second time.
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

/** Decides what a change of inputs does. @throws WebhookError if going on would touch another webhook, or lose one. */
export function decideDiff(
  { program }: Run,
  change: Change,
  { settings, drift, seenBy }: UsableSettings,
): Decision {
  const { resource, entry, mustRecord } = change;
  const { values: news } = change.news;
  const { id, past, state } = entry;
  const { import: importId } = news;
  const hasProgram = program !== undefined;
  const update = (because: Reason): Decision => ({ kind: "update", id, because });
  // A preview shows only that something is to be done.
  if (past.kind === "unresolved") return update("it cannot be read");
  if (importId !== undefined && importId !== UNKNOWN && importId !== id)
    throw REFUSALS.importsAnother(entry, importId);
  // Check does not know a resource that an alias renames.
  if (hasProgram && isOfOtherAccount(past.seenBy, seenBy)) throw REFUSALS.isOfOtherAccount(entry, drift);
  if (past.condition === "imported") {
    // Its update would send defaults for the others. In a refresh and with `pulumi import`, the program sets none.
    const { context, inputs = {} } = resource.declared ?? {};
    const missing = "url" in inputs ? REQUIRED.filter((field) => !context?.given.includes(field)) : [];
    if (missing.length > 0) throw REFUSALS.lacks(entry, missing);
    return update("it is imported");
  }
  if (state === undefined) return update("it cannot be read");
  if (replacesSecret(change, state)) {
    if (importId === id) throw REFUSALS.importsWhatItReplaces(entry);
    return { kind: "replace", old: past };
  }
  // Another key created it in the place of one that is deleted next: this key must see it first.
  const before = knownBefore(resource);
  const isUnproven = before?.obsolete !== undefined && !isSameKey(before.seenBy, seenBy);
  if (past.condition === "sent again" || isUnproven) return update("it may differ");
  const hasDrifted = state.changedOutsidePulumi !== undefined;
  if (hasDrifted || UPDATED.some((field) => news[field] !== state[field])) return update("it changed");
  // A full update proves that the webhook exists at the new URL, and records it.
  if (hasProgram && state.baseUrl !== settings.baseUrl) return update("the API moved");
  if (hasProgram && drift === "enforce") return update("it is enforced");
  const adds = {
    // A webhook that moves to another Provider with its key is not another one.
    ...(hasProgram && hasMoved(past.seenBy, seenBy) && { [SEEN_BY]: seenBy }),
    ...(addsSecret(entry, news) && { secret: news.secret }),
  };
  const isRecorded = !mustRecord && Object.keys(adds).length === 0;
  return isRecorded ? { kind: "keep", id } : { kind: "record only", id, adds };
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

type Recorded = Pick<Entry, "id" | "urn">;

const refusal = (summary: string, detail: string) => new WebhookError({ summary, detail });

/** The errors for a recorded webhook with which nothing is done, since going on would touch another one, or lose one. */
export const REFUSALS = {
  importsWhatItReplaces: ({ id, urn }: Recorded) =>
    refusal(
      `${labelAtStart(id, urn)} cannot be replaced`,
      "the option import would import the old one again. Remove import, then run pulumi up again.",
    ),

  importsAnother: ({ id, urn }: Recorded, importId: unknown) =>
    refusal(
      `The option import cannot turn ${label(id, urn)} into another webhook`,
      `its value is ${importId}. To manage only ${importId}, run pulumi state delete ${shownUrn(urn)}, then pulumi up. Webhook ${id} stays at the API: delete it in the dashboard if it is yours, or restore its fields there if an import has overwritten it. To manage both, declare another resource for ${importId}. If webhook ${id} has replaced ${importId}, as after a rotation, remove the option import.`,
    ),

  lacks: ({ id, urn }: Recorded, missing: readonly string[]) =>
    refusal(
      `${labelAtStart(id, urn)} was imported, and the program does not set ${missing.join(" and ")}`,
      `the next update sends all fields. Declare ${REQUIRED.join(", ")}, and name none of them in the option ignoreChanges.`,
    ),

  isOfOtherAccount({ id, urn }: Recorded, drift: string | undefined) {
    const probing = ` Or run pulumi refresh --run-program${stackOption()}, which records the new key.`;
    return refusal(
      `${labelAtStart(id, urn)} was managed by another Provider, with another API key`,
      `no request was sent. For another account, declare the webhook under another name. For the same one, undo the move, give both Providers one API key, change the name alone and run pulumi up, which records that key; then move it.${drift === "probe" ? probing : ""}`,
    );
  },

  hasTwin: ({ id, urn = "" }: Recorded, twin: string) =>
    refusal(
      `${labelAtStart(id, urn)} is also recorded for ${twin}`,
      `to remove either resource would delete the webhook of both. Decide whose it is. Remove the other one from the program, if it is still there, and its record from the state: pulumi state delete ${shownUrn(twin)}, if the webhook is that of ${shownName(logicalNameOf(urn))}, else pulumi state delete ${shownUrn(urn)}. If one of them had another account's API key, set the right one, delete that one's record, and import its webhook.`,
    ),
};

export function gateClosedError(action: string): WebhookError {
  return failed(action, `no request was sent: a webhook of this stack is unresolved. ${resolveAdvice()}.`);
}
