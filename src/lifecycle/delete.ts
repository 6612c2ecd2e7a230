import { readInDoubtId } from "../record/in-doubt-id.js";
import { label, labelAtStart } from "../record/label.js";
import type { Known } from "../record/past.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import { askFirst } from "./account.js";
import { refuseYoung } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import { knownBefore, type Resource, type Run } from "./run.js";
import type { Session } from "./session.js";
import type { Entry } from "./state.js";
import type { Action } from "./values.js";

/** What to do about a webhook that the engine asks to delete: send it, only let its entry leave the state, or fail. */
type DeleteDecision = "send" | "unresolved" | "owned" | "deleted" | keyof typeof REFUSALS;

/** Decides about a delete. The engine passes a dynamic provider neither a URN nor the reason, and may pass the webhook of another entry. */
function decideDelete(run: Run, { id, past }: Pick<Entry, "id" | "past">): DeleteDecision {
  const isUnresolved = past.kind === "unresolved";
  const hadReplaced = (resource: Resource) => knownBefore(resource)?.obsolete?.includes(id) === true;
  const replaces = ({ decision }: Resource) => decision?.kind === "replace" && decision.old.id === id;
  const successor = run.find((resource) => replaces(resource) || hadReplaced(resource));
  const ended = successor?.ending?.kind;
  if (run.ownerOf(id) !== undefined && !isUnresolved) return "owned";
  if (run.importerOf(id) !== undefined && !isUnresolved) return "it is imported";
  const wasDeleted = ({ id: own, condition }: Partial<Known> = {}) => own === id && condition === "deleted";
  if (run.find((resource) => wasDeleted(knownBefore(resource))) !== undefined) return "deleted";
  if (ended === "waiting") return "its replacement waits";
  // Else a rotation at the API's limit would never end.
  const isFree = successor !== undefined && hadReplaced(successor) && ended !== "failed";
  // With `--continue-on-error`, the engine would delete what has no replacement yet.
  if (run.find(({ ending }) => ending?.kind === "failed") !== undefined && !isFree) return "another failed";
  return isUnresolved ? "unresolved" : "send";
}

/**
 * Deletes a webhook; one that the API no longer has counts as deleted.
 *
 * Requests, in their order: a question by the id, if this key has not seen the webhook; the delete. The engine asks for it after the create
 * of a replacement, or before, with `deleteBeforeReplace`.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(session: Session, request: Action & { entry: Entry }): Promise<void> {
  const { action, entry } = request;
  const { id, past } = entry;
  const { run, log } = session;
  const decision = decideDelete(run, entry);
  // At another URL, the id is that of another webhook.
  if (past.kind === "known") session.account(action, entry);
  switch (decision) {
    case "send":
      return past.kind === "known" ? send(session, { ...request, past }) : undefined;
    case "deleted":
      return;
    case "unresolved":
      return log.warn(
        `An unresolved webhook (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook with the url of this resource, created at about ${readInDoubtId(id).sentAt}, delete it there.`,
      );
    case "owned":
      return log.warn(
        `${labelAtStart(id, run.ownerOf(id)?.urn)} was not deleted: a resource of the program manages it. Only an outdated entry was removed from the state.`,
      );
    default:
      throw failed(action, REFUSALS[decision]);
  }
}

const REFUSALS = {
  "it is imported":
    "the program imports this webhook. To replace it with a new one, remove the option import; deleteBeforeReplace does not work with import.",
  "its replacement waits":
    "its replacement does not deliver yet: the API replied that it is disabled. Verify its receiver, then run pulumi up again.",
  "another failed":
    "a create or an update of this Provider failed in this run, so this webhook stays. The next successful pulumi up deletes it.",
};

async function send(
  session: Session,
  { action, entry, past, deadlineSeconds }: Action & { entry: Entry; past: Known },
): Promise<void> {
  const { id, urn, state } = entry;
  const account = session.account(action);
  const client = session.client(account);
  const secrets = secretsOf(entry);
  // What is deleted next can lose nothing by an update with the id alone, unless the API cannot be probed.
  const by = account.drift === "enforce" ? past.fields : "id";
  await askFirst(session, account, { urn, past, state, by, secrets, deadlineSeconds });
  await client.delete(id, { action, secrets, deadlineSeconds, recorded: state }).catch((error) => {
    // The engine keeps no trace of it, and the program may declare the webhook again.
    if (hasFailedAs("unclear", error))
      throw new WebhookError({ ...error, detail: `${error.detail} ${unclearAdvice(urn)}` });
    if (!hasFailedAs("gone", error)) throw error;
    // After an attempt that may have arrived, this is its effect.
    if (error.reply?.mayHaveHappenedBefore) return;
    refuseYoung(action, past, error);
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
