import { type Known, readPast, type Unresolved } from "../record/past.js";
import { label, type Named, shownName, toNamed } from "../record/shown-name.js";
import { UNKNOWN } from "../record/special-values.js";
import type { Settings } from "../settings/settings.js";
import { WebhookError } from "../wording/errors.js";
import { enforcedWarning } from "./drift.js";
import { otherImportError } from "./import.js";
import { UPDATE_FIELDS } from "./inputs.js";
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
    const missing = UPDATE_FIELDS.filter((field) => given?.includes(field) === false);
    return missing.length > 0
      ? { kind: "refuse", because: "its import needs all fields", missing }
      : { kind: "update", because: "it is imported" };
  }
  if (replacesSecret(facts))
    return importId === id ? { kind: "refuse", because: "it would be imported again" } : { kind: "replace" };
  if (past.condition === "sent again") return { kind: "update", because: "it may differ" };
  const hasDrifted = recorded?.changedOutsidePulumi !== undefined;
  if (hasDrifted || UPDATE_FIELDS.some((field) => news[field] !== recorded?.[field])) {
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
    given: "url" in (resource.checked ?? {}) ? resource.context?.given : undefined,
    ignored: resource.context?.ignored,
    hasProgram: run.context !== undefined,
  });
  if (decision.kind === "refuse") throw refusal(decision, { id, webhook: named, news, urn: resource.urn });
  // The engine imports a webhook only if nothing differs: the next run sends what is declared.
  if (resource.engineImportId === id) return { kind: "same" };
  // A refresh compares recorded inputs, and shows nothing.
  if (resource.checked !== undefined) {
    if (decision.kind !== "replace") run.own(resource, id);
    else resource.replacedId = id;
    await explain(session, { resource, webhook: `Webhook ${id} (${shownName(named)})`, decision, account });
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
  await session.showOnce(
    "warn",
    `An update sends url, name and enabled, and overwrites what was changed in the dashboard. This preview does not show that: ${settings.guide.name("drift")} is off.`,
  );
}

function refusal(
  decision: Extract<DiffDecision, { kind: "refuse" }>,
  { id, webhook, news, urn }: { id: string; webhook: Named; news: Properties; urn: string | undefined },
): WebhookError {
  if (decision.because === "it imports another webhook")
    return otherImportError({ id, webhook, importId: news.import, urn });
  if (decision.because === "its import needs all fields")
    return new WebhookError({
      summary: `Webhook ${id} was imported, and the program does not set ${decision.missing.join(" and ")}`,
      detail:
        "the next update sends all fields. Declare url, name and enabled, and name none of them in the option ignoreChanges.",
    });
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(webhook)}) cannot be replaced`,
    detail:
      "a change of its secret replaces the webhook, but the option import would import the old one again. Remove import, then run pulumi up again.",
  });
}

/** Shows why a preview plans what the program's own changes do not explain. */
async function explain(
  session: Session,
  {
    resource,
    webhook,
    decision,
    account,
  }: { resource: Resource; webhook: string; decision: Difference; account: Account },
): Promise<void> {
  const { settings, guide } = account;
  // The CLI shows only outputs such as `- createdAt`.
  if (decision.kind === "replace")
    session.log.progress(`${webhook} must be replaced: the API cannot change its secret.`);
  if (decision.kind !== "update") return;
  switch (decision.because) {
    case "it is imported":
      return session.log.warn(
        `${webhook} was imported. pulumi up sends url, name and enabled to it, as declared.`,
      );
    case "it may differ":
      return session.showOnce("warn", SENT_AGAIN_WARNING);
    case "the API moved":
      return session.showOnce(
        "warn",
        `The API moved to ${settings.baseUrl}. pulumi up updates each webhook that is recorded at a previous URL once, and records the new URL. Then you can remove ${guide.name("previousBaseUrl")}.`,
      );
    case "it is enforced":
      return session.showOnce("warn", enforcedWarning(guide));
    case "it changed":
      if (resource.context?.program?.closedGate === "warns") await warnOfUpdate(session);
  }
}

const SENT_AGAIN_WARNING =
  "The API has not confirmed url, name and enabled of these webhooks, so pulumi up sends them again. An earlier run was interrupted or got no clear reply, or the API replied that an enabled webhook is disabled, or the reverse.";
