import { type Known, readPast, type Unresolved } from "../record/past.js";
import { label, type Named, toNamed } from "../record/shown-name.js";
import { UNKNOWN } from "../record/special-values.js";
import type { Settings } from "../settings/settings.js";
import { FIELDS } from "./inputs.js";
import * as accounts from "./messages/accounts.js";
import * as changes from "./messages/changes.js";
import * as drift from "./messages/drift.js";
import * as imports from "./messages/imports.js";
import type { Properties, Resource } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, type State } from "./state.js";

/** What diff receives. */
export interface DiffRequest {
  id: string;
  /** The recorded outputs. */
  olds: Properties;
  news: Properties;
}

/** What a change of inputs does. */
type DiffDecision =
  | Difference
  | { kind: "refuse"; because: "it imports another webhook" | "it would be imported again" }
  | { kind: "refuse"; because: "its import needs all fields"; missing: string[] };

type Difference =
  | { kind: "same" }
  /** Its secret is recorded. Nothing is sent. */
  | { kind: "record" }
  | { kind: "update"; because: Reason }
  /** Its secret changed. */
  | { kind: "replace" };

type Reason = "it changed" | "it is imported" | "it may differ" | "the API moved" | "it is enforced";

interface Facts {
  past: Known;
  recorded: State | undefined;
  news: Properties;
  settings: Pick<Settings, "baseUrl" | "drift">;
  /** The names of the inputs that the program sets. Undefined if it sets none, as in a refresh and with `pulumi import`. */
  given: readonly string[] | undefined;
  /** What the option `ignoreChanges` names. */
  ignored?: readonly string[] | undefined;
  /** Whether this is an up or its preview. */
  hasProgram: boolean;
}

/** Decides what a change of inputs does. The API's update accepts url, name and enabled, and no secret. */
export function decideDiff(facts: Facts): DiffDecision {
  const { past, recorded, news, settings, given, hasProgram } = facts;
  const { id } = past;
  const { import: importId } = news;
  if (importId !== undefined && importId !== UNKNOWN && importId !== id) {
    return { kind: "refuse", because: "it imports another webhook" };
  }
  if (past.condition === "imported") {
    // Its update would send defaults for the others.
    const missing = FIELDS.filter((field) => given?.includes(field) === false);
    return missing.length > 0
      ? { kind: "refuse", because: "its import needs all fields", missing }
      : { kind: "update", because: "it is imported" };
  }
  if (replacesSecret(facts))
    return importId === id ? { kind: "refuse", because: "it would be imported again" } : { kind: "replace" };
  if (past.condition === "sent again") return { kind: "update", because: "it may differ" };
  const hasDrifted = recorded?.changedOutsidePulumi !== undefined;
  if (hasDrifted || FIELDS.some((field) => news[field] !== recorded?.[field])) {
    return { kind: "update", because: "it changed" };
  }
  // A full update proves that the webhook exists at the new URL, and records it.
  if (hasProgram && recorded?.baseUrl !== settings.baseUrl)
    return { kind: "update", because: "the API moved" };
  if (hasProgram && settings.drift === "enforce") return { kind: "update", because: "it is enforced" };
  return { kind: addsSecret(id, recorded, news) ? "record" : "same" };
}

/** Reports whether the program says, by an import of the webhook's own id, which secret it has: none is recorded. */
export function addsSecret(id: string, recorded: State | undefined, news: Properties): boolean {
  return news.import === id && news.secret !== undefined && recorded?.secret === undefined;
}

/** Reports whether the secret changes, which the API cannot do. */
function replacesSecret({ past: { id }, recorded, news, ignored = [] }: Facts): boolean {
  if (news.secret === recorded?.secret || addsSecret(id, recorded, news) || ignored.includes("secret"))
    return false;
  // A value that a preview does not know yet may be the recorded one: an import is not refused because of it.
  return news.secret !== UNKNOWN || news.import !== id;
}

/**
 * Compares the inputs of a webhook with its record.
 *
 * @throws WebhookError if going on would touch a webhook at another URL, or lose one.
 */
export async function diff(session: Session, resource: Resource, request: DiffRequest): Promise<Difference> {
  const { id, olds, news } = request;
  const past = readKnown(resource, request);
  const recorded = parseState(olds);
  // Its update fails. A preview shows only that something is to be done.
  if (past.kind === "unresolved" || (recorded === undefined && past.condition !== "imported"))
    return { kind: "update", because: "it may differ" };
  const { baseUrl } = olds;
  const named = { ...toNamed({ ...news, ...recorded }), baseUrl: String(baseUrl) };
  const account = session.accountForRecord({ action: `Comparing ${label(id, named)}`, id, recorded: named });
  const { run } = session;
  const decision = decideDiff({
    past,
    recorded,
    news,
    settings: account.settings,
    given: "url" in (resource.approved ?? {}) ? resource.context?.given : undefined,
    ignored: resource.context?.ignored,
    hasProgram: run.hasProgram,
  });
  if (decision.kind === "refuse") {
    if (decision.because === "its import needs all fields")
      throw imports.missingFieldsError(id, decision.missing);
    throw decision.because === "it imports another webhook"
      ? imports.otherImportError({ id, webhook: named, importId: news.import, urn: resource.urn })
      : changes.replacementWithImportError(id, named);
  }
  // The engine imports a webhook only if nothing differs: the next run sends what is declared.
  if (resource.engineImportId === id) return { kind: "same" };
  // A refresh compares recorded inputs, and shows nothing.
  if (resource.approved !== undefined) {
    if (decision.kind !== "replace") run.own(resource, id);
    else resource.replacedId = id;
    await explain(session, { resource, id, webhook: named, decision, account });
  }
  return decision;
}

/** Returns what is known of a webhook: only the state shows that an update or a delete was cut off; the record shows everything else. */
export function readKnown(
  { past, context }: Resource,
  { id, olds }: Pick<DiffRequest, "id" | "olds">,
): Known | Unresolved {
  const recorded = readPast({ id, outputs: olds });
  if (recorded.kind === "unresolved" || recorded.condition === "imported") return recorded;
  const isRenamed = past.kind === "new";
  const wasCutOff = isRenamed
    ? context?.hasCutOffChanges
    : past.kind === "known" && past.condition === "sent again";
  return wasCutOff ? { ...recorded, condition: "sent again" } : recorded;
}

/** Warns in the preview of an update that it also sends what was not compared. */
export async function warnOfUpdate(session: Session): Promise<void> {
  const { settings } = session;
  if (!("settings" in settings) || settings.settings.drift !== "off") return;
  await session.showOnce("warn", changes.allFieldsWarning(settings.guide));
}

interface Explained {
  resource: Resource;
  id: string;
  webhook: Named;
  decision: DiffDecision;
  account: Account;
}

/** Shows why a preview plans what the program's own changes do not explain. */
async function explain(
  session: Session,
  { resource, id, webhook, decision, account }: Explained,
): Promise<void> {
  if (decision.kind === "replace") session.log.progress(changes.replacementProgress(id, webhook));
  if (decision.kind !== "update") return;
  const { because } = decision;
  if (because === "it is imported") await session.log.warn(imports.sendingWarning(id, webhook));
  if (because === "it may differ") await session.showOnce("warn", changes.SENT_AGAIN_WARNING);
  if (because === "the API moved") await session.showOnce("warn", accounts.movedWarning(account));
  if (because === "it is enforced") await session.showOnce("warn", drift.enforcedWarning(account.guide));
  const isPreview = resource.context?.program?.closedGate === "warns";
  if (because === "it changed" && isPreview) await warnOfUpdate(session);
}
