import { readInDoubtId } from "../record/in-doubt-id.js";
import { label, labelAtStart } from "../record/label.js";
import type { Known } from "../record/past.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import { askFirst } from "./account.js";
import { explainYoung, isMissingYoung } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import { knownBefore, type Resource, type Run } from "./run.js";
import type { Session } from "./session.js";
import type { Entry } from "./state.js";
import type { Action } from "./values.js";

type DeleteDecision =
  | { kind: "send"; past: Known }
  /** Only its entry leaves the state. */
  | { kind: "drop"; warning?: string }
  | { kind: "refuse"; because: string };

/** Decides about a delete. The engine passes a dynamic provider neither a URN nor the reason, and may pass the webhook of another entry. */
function decideDelete(run: Run, { id, past }: Pick<Entry, "id" | "past">): DeleteDecision {
  const refuse = (because: string): DeleteDecision => ({ kind: "refuse", because });
  const isKnown = past.kind === "known";
  const owner = run.ownerOf(id);
  if (isKnown && owner !== undefined)
    return {
      kind: "drop",
      warning: `${labelAtStart(id, owner.urn)} was not deleted: a resource of the program manages it. Only an outdated entry was removed from the state.`,
    };
  if (isKnown && run.importerOf(id) !== undefined) return refuse(IMPORTED);
  const wasDeleted = ({ id: own, condition }: Partial<Known> = {}) => own === id && condition === "deleted";
  if (run.find((resource) => wasDeleted(knownBefore(resource))) !== undefined) return { kind: "drop" };
  const hadReplaced = (resource: Resource) => knownBefore(resource)?.obsolete?.includes(id) === true;
  const replaces = ({ decision }: Resource) => decision?.kind === "replace" && decision.old.id === id;
  const successor = run.find((resource) => replaces(resource) || hadReplaced(resource));
  const ended = successor?.ending?.kind;
  if (ended === "waiting") return refuse(WAITING);
  // Else a rotation at the API's limit would never end.
  const isFree = successor !== undefined && hadReplaced(successor) && ended !== "failed";
  // With `--continue-on-error`, the engine would delete what has no replacement yet.
  if (run.find(({ ending }) => ending?.kind === "failed") !== undefined && !isFree) return refuse(FAILED);
  if (isKnown) return { kind: "send", past };
  return {
    kind: "drop",
    warning: `An unresolved webhook (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook with the url of this resource, created at about ${readInDoubtId(id).sentAt}, delete it there.`,
  };
}

const IMPORTED =
  "the program imports this webhook. To replace it with a new one, remove the option import; deleteBeforeReplace does not work with import.";

const WAITING =
  "its replacement does not deliver yet: the API replied that it is disabled. Verify its receiver, then run pulumi up again.";

const FAILED =
  "a create or an update of this Provider failed in this run, so this webhook stays. The next successful pulumi up deletes it.";

/**
 * Deletes a webhook; one that the API no longer has counts as deleted.
 *
 * Requests, in their order: a question by the id, if this key has not seen the webhook; the delete. The engine asks for it after the create
 * of a replacement, or before, with `deleteBeforeReplace`.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(
  session: Session,
  { action, entry, deadlineSeconds }: Action & { entry: Entry },
): Promise<void> {
  const { id, urn, state } = entry;
  const decision = decideDelete(session.run, entry);
  // At another URL, the id is that of another webhook.
  if (entry.past.kind === "known") session.account(action, entry);
  if (decision.kind === "refuse") throw failed(action, decision.because);
  if (decision.kind === "drop")
    return decision.warning === undefined ? undefined : session.log.warn(decision.warning);
  const { past } = decision;
  const secrets = secretsOf(entry);
  // What is deleted next can lose nothing by an update with the id alone, unless the API cannot be probed.
  const by = session.settings.drift === "enforce" ? past.fields : "id";
  await askFirst(session, { urn, past, state }, { by, secrets, deadlineSeconds });
  const client = session.client(action);
  await client.delete(id, { action, secrets, deadlineSeconds, recorded: state }).catch((error) => {
    // The engine keeps no trace of it, and the program may declare the webhook again.
    if (hasFailedAs("unclear", error))
      throw new WebhookError({ ...error, detail: `${error.detail} ${unclearAdvice(urn)}` });
    if (!hasFailedAs("gone", error)) throw error;
    // After an attempt that may have arrived, this is its effect.
    if (error.reply?.mayHaveHappenedBefore) return;
    if (isMissingYoung(past, error)) throw explainYoung(action, past, error);
    return session.warnOfEach(NOT_FOUND_HEADING, `${label(id, urn)}: not found`);
  });
  session.run.deleted.add(id);
}

/** The engine repeats a delete only if the resource stays out of the program, and an API may never confirm one. */
const unclearAdvice = (urn?: string) =>
  `The webhook may be gone already. Run the command again to delete it. If that fails, too, see docs/recovery.md. If you declare it again instead, run pulumi up --refresh=false --replace ${shownUrn(urn)}: that works whether or not it still exists.`;

/** The heading of the webhooks that a delete has not found. The key saw them last, so it would see them. */
const NOT_FOUND_HEADING =
  "The API has no webhooks with these ids, so they were removed from the state: they were deleted before, or the API key may not delete any. If the dashboard shows one, delete it there; if this state is a restored backup, also what had replaced it:";
