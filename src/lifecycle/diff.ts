import { label, labelAtStart } from "../record/label.js";
import { isSameKey } from "../record/seen-by.js";
import type { UsableSettings } from "../settings/settings.js";
import { addsSecret, type Decision, decideDiff } from "./decision.js";
import { enforcedWarning } from "./drift.js";
import { SECRETS_NOT_SENT } from "./import.js";
import { refusalOf } from "./refusal.js";
import type { Resource, Run } from "./run.js";
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
  mustRecord?: boolean | undefined;
}

/**
 * Compares the inputs of a webhook with its record, decides what becomes of it, and shows why.
 *
 * @throws WebhookError if going on would touch a webhook at another URL, or lose one.
 */
export async function diff(session: Session, resource: Resource, request: DiffRequest): Promise<Decision> {
  const { entry } = request;
  const { id, urn } = entry;
  const account = session.requireSameApi(`Comparing ${label(id, urn)}`, entry);
  const decision = decide(session.run, resource, { ...request, account });
  // The engine imports a webhook only if nothing differs: the next run sends what is declared.
  if (resource.decision?.kind === "record import") return { kind: "keep", id };
  // A refresh compares recorded inputs, and shows nothing.
  if (resource.declared === undefined) return decision;
  resource.decision = decision;
  await explain(session, { ...request, account }, decision);
  return decision;
}

/** Decides what becomes of a recorded webhook. @throws WebhookError if going on would touch another one, or lose one. */
export function decide(
  { program }: Run,
  { declared }: Resource,
  { entry, news, ignored, mustRecord = false, account }: DiffRequest & { account: UsableSettings },
): Decision {
  const { settings, seenBy } = account;
  const { past } = declared?.context ?? {};
  const isOfOtherKey = past?.kind === "known" && !isSameKey(past.seenBy, seenBy);
  const decision = decideDiff({
    entry,
    news,
    settings,
    seenBy,
    given: declared !== undefined && "url" in declared.inputs ? declared.context.given : undefined,
    ignored: ignored ?? declared?.context.ignored ?? [],
    hasProgram: program !== undefined,
    isUnprovenReplacement: isOfOtherKey && past.obsolete !== undefined,
    mustRecord,
  });
  if (decision.kind !== "refuse") return decision;
  const { id, urn } = entry;
  const isProbed = settings.drift === "probe";
  throw refusalOf(decision.because, { id, urn, importId: news.import, isProbed });
}

/** Shows why a preview plans what the program's own changes do not explain. */
async function explain(
  session: Session,
  { entry, news, account: { settings, guide } }: DiffRequest & { account: UsableSettings },
  decision: Decision,
): Promise<void> {
  const { id, urn } = entry;
  // The CLI shows only outputs such as `- createdAt`.
  if (decision.kind === "replace")
    return session.log.progress(
      `${labelAtStart(id, urn)} must be replaced: the API cannot change its secret.`,
    );
  if (addsSecret(entry, news))
    await session.warnOfEach(SECRETS_NOT_SENT, `${label(id, urn)}: secret not sent`);
  if (decision.kind !== "update") return;
  switch (decision.because) {
    case "it is imported":
      return session.warnOfEach(IMPORTED_HEADING, `${label(id, urn)}: sent as declared`);
    case "it may differ":
      return session.warnOfEach(SENT_AGAIN_HEADING, `${label(id, urn)}: sent again`);
    case "the API moved":
      return session.showOnce(
        "warn",
        `The API moved to ${settings.baseUrl}. pulumi up updates each webhook that is recorded at a previous URL once, and records the new URL. Then you can remove ${guide.name("previousBaseUrl")}.`,
      );
    case "it is enforced":
      return session.showOnce("warn", enforcedWarning(guide));
  }
}

const IMPORTED_HEADING = "pulumi up sends all fields but the secret to these imported webhooks, as declared:";

const SENT_AGAIN_HEADING =
  "pulumi up sends all fields of these webhooks again: an earlier run was interrupted, got no clear reply or used another API key, or the API replied that an enabled webhook is disabled, or the reverse:";
