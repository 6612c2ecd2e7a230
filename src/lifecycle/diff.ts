import { label, labelAtStart } from "../record/label.js";
import { addsSecret, type Decision, decideDiff } from "./decision.js";
import { enforcedWarning } from "./drift.js";
import { SECRETS_NOT_SENT } from "./import.js";
import { refusalOf, shownProvider } from "./refusal.js";
import type { Resource } from "./run.js";
import type { Session } from "./session.js";
import type { Entry } from "./state.js";
import type { Properties } from "./values.js";

/** What diff receives. */
export interface DiffRequest {
  entry: Entry;
  news: Properties;
  /** What the option `ignoreChanges` names. Default: what the program has passed with the check. */
  ignored?: readonly string[] | undefined;
  /** Whether the engine must record the webhook again even if nothing changes. Its update then sends nothing. */
  mustRecord?: boolean;
}

/**
 * Compares the inputs of a webhook with its record, and decides what becomes of it.
 *
 * @throws WebhookError if going on would touch a webhook at another URL, or lose one.
 */
export async function diff(
  session: Session,
  resource: Resource,
  { entry, news, ignored, mustRecord = false }: DiffRequest,
): Promise<Decision> {
  const { id, outputs } = entry;
  const { urn, declared } = resource;
  const { run, key } = session;
  const action = `Comparing ${label(id, urn)}`;
  const { settings, guide } = session.accountForRecord({ action, id, urn, baseUrl: String(outputs.baseUrl) });
  const { past } = declared?.context ?? {};
  const decision = decideDiff({
    entry,
    wasCutOff: wasCutOff(resource),
    news,
    settings,
    key,
    seenBy: past?.kind === "known" ? past.seenBy : undefined,
    given: declared !== undefined && "url" in declared.inputs ? declared.context.given : undefined,
    ignored: ignored ?? declared?.context.ignored ?? [],
    hasProgram: run.program !== undefined,
    mustRecord,
  });
  if (decision.kind === "refuse")
    throw refusalOf(decision.because, {
      id,
      urn,
      importId: news.import,
      to: shownProvider(guide.provider),
    });
  // The engine imports a webhook only if nothing differs: the next run sends what is declared.
  if (resource.decision.kind === "record import") return { kind: "keep", id };
  // A refresh compares recorded inputs, and shows nothing.
  if (declared === undefined) return decision;
  run.decide(resource, decision);
  await explain(session, { resource, entry, decision, news });
  return decision;
}

/** Only the state shows that an update or a delete was cut off with its engine. An alias may have renamed the resource since. */
function wasCutOff({ declared }: Resource): boolean {
  const { past, hasCutOffChanges = false } = declared?.context ?? {};
  return past?.kind === "new" ? hasCutOffChanges : past?.kind === "known" && past.condition === "sent again";
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

interface Explained {
  resource: Resource;
  entry: Entry;
  decision: Decision;
  news: Properties;
}

/** Shows why a preview plans what the program's own changes do not explain. */
async function explain(session: Session, { resource, entry, decision, news }: Explained): Promise<void> {
  const webhook = label(entry.id, resource.urn);
  if (decision.kind !== "replace" && addsSecret(entry, news))
    await session.warnOfEach(SECRETS_NOT_SENT, webhook);
  // The CLI shows only outputs such as `- createdAt`.
  if (decision.kind === "replace")
    session.log.progress(
      `${labelAtStart(entry.id, resource.urn)} must be replaced: the API cannot change its secret.`,
    );
  if (decision.kind !== "update" || !("settings" in session.settings)) return;
  const { settings, guide } = session.settings;
  switch (decision.because) {
    case "it is imported":
      return session.warnOfEach(
        "pulumi up sends url, name and enabled to these imported webhooks, as declared:",
        webhook,
      );
    case "it may differ":
      return session.warnOfEach(SENT_AGAIN_HEADING, webhook);
    case "the API moved":
      return session.showOnce(
        "warn",
        `The API moved to ${settings.baseUrl}. pulumi up updates each webhook that is recorded at a previous URL once, and records the new URL. Then you can remove ${guide.name("previousBaseUrl")}.`,
      );
    case "it is enforced":
      return session.showOnce("warn", enforcedWarning(guide));
    case "it changed":
      if (resource.declared?.context.program?.closedGate === "warns") await warnOfUpdate(session);
  }
}

const SENT_AGAIN_HEADING =
  "pulumi up sends url, name and enabled of these webhooks again: an earlier run was interrupted or got no clear reply, or the API replied that an enabled webhook is disabled, or the reverse:";
