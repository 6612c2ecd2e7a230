import { label, labelAtStart } from "../record/label.js";
import type { UsableSettings } from "../settings/settings.js";
import { addsSecret, type Change, decideDiff } from "./decision.js";
import { enforcedWarning } from "./drift.js";
import { SECRETS_NOT_SENT } from "./import.js";
import type { Decision } from "./run.js";
import type { Session } from "./session.js";

/**
 * Compares the inputs of a webhook with its record, decides what becomes of it, and shows why.
 *
 * @throws WebhookError if going on would touch a webhook at another URL, or lose one.
 */
export async function diff(session: Session, change: Change): Promise<Decision> {
  const { resource, entry } = change;
  const { id, urn } = entry;
  const account = session.account(`Comparing ${label(id, urn)}`, entry);
  const decision = decideDiff(session.run, change, account);
  // The engine imports a webhook only if nothing differs: the next run sends what is declared.
  if (resource.decision?.kind === "record import") return { kind: "keep", id };
  // A refresh compares recorded inputs, and shows nothing.
  if (resource.declared === undefined) return decision;
  resource.decision = decision;
  await explain(session, { ...change, account, decision });
  return decision;
}

/** Shows why a preview plans what the program's own changes do not explain. */
async function explain(
  session: Session,
  { entry, news, account, decision }: Change & { account: UsableSettings; decision: Decision },
): Promise<void> {
  const webhook = label(entry.id, entry.urn);
  // The CLI shows only outputs such as `- createdAt`.
  if (decision.kind === "replace")
    return session.log.progress(
      `${labelAtStart(entry.id, entry.urn)} must be replaced: the API cannot change its secret.`,
    );
  if (addsSecret(entry, news.values))
    await session.warnOfEach(SECRETS_NOT_SENT, `${webhook}: secret not sent`);
  if (decision.kind !== "update") return;
  const { settings, guide } = account;
  switch (decision.because) {
    case "it is imported":
      return session.warnOfEach(IMPORTED_HEADING, `${webhook}: sent as declared`);
    case "it may differ":
      return session.warnOfEach(SENT_AGAIN_HEADING, `${webhook}: sent again`);
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
