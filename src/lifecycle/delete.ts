import { readInDoubtId } from "../record/in-doubt-id.js";
import { type Past, readPast } from "../record/past.js";
import { SECRET_URL } from "../record/properties.js";
import { label, shownName, toNamed } from "../record/shown-name.js";
import { shownUrn } from "../record/urn.js";
import { failed, hasFailedAs, WebhookError } from "../wording/errors.js";
import type { Sight } from "./gone-evidence.js";
import { secretsOf } from "./inputs.js";
import type { Properties } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState, unreadableStateError } from "./state.js";

/** What delete receives. */
export interface DeleteRequest {
  /** What it does, such as `Deleting webhook 42 (Orders)`. */
  action: string;
  id: string;
  /** The recorded outputs. */
  outputs: Properties;
  /** That of the resource. The engine does not pass it to a dynamic provider. */
  urn?: string | undefined;
  /** The time limit that the program sets, in seconds. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
}

/** What to do about a webhook that the engine asks to delete: send it, only let its entry leave the state, since it is unresolved or owned, or fail. */
type DeleteDecision =
  | { kind: "send" }
  | { kind: "unresolved" }
  | { kind: "owned" }
  | { kind: "refuse"; because: keyof typeof REFUSALS };

interface Facts {
  /** What the record says of the webhook. */
  past: Past;
  /** Whether a resource of this run has the webhook, and keeps it. */
  isOwned: boolean;
  /** Whether the program imports the webhook. */
  isImported: boolean;
  /** Whether a create or an update of this Provider failed in this run, unless the webhook was replaced before the run. */
  isHeld: boolean;
}

/** Decides about a delete. The engine passes neither a URN nor the reason, and may pass the webhook of another entry. */
export function decideDelete({ past, isOwned, isImported, isHeld }: Facts): DeleteDecision {
  const isUnresolved = past.kind === "unresolved";
  if (isOwned && !isUnresolved) return { kind: "owned" };
  if (isImported && !isUnresolved) return { kind: "refuse", because: "it is imported" };
  if (isHeld) return { kind: "refuse", because: "another failed" };
  return { kind: isUnresolved ? "unresolved" : "send" };
}

/**
 * Deletes a webhook; one that the API no longer has counts as deleted.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(session: Session, request: DeleteRequest): Promise<void> {
  const { id, outputs, action } = request;
  const { run, log } = session;
  const past = readPast({ id, outputs });
  // At another URL, the id is that of another webhook. Nothing is sent for one that is unresolved.
  const account = past.kind === "unresolved" ? undefined : accountForOutputs(session, request);
  const decision = decideDelete({
    past,
    isOwned: run.ownerOf(id) !== undefined,
    isImported: run.importerOf(id) !== undefined,
    isHeld: run.hasFailed && !run.obsolete.has(id),
  });
  if (decision.kind === "refuse") throw failed(action, REFUSALS[decision.because]);
  if (account === undefined) await log.warn(unresolvedWarning(id, outputs));
  else if (decision.kind === "owned")
    await log.warn(
      `Webhook ${id} (${shownName(toNamed(outputs))}) was not deleted: a resource of the program manages it. Only an outdated entry was removed from the state.`,
    );
  else await send(session, { ...request, ...account });
}

const REFUSALS = {
  "it is imported":
    "the program imports this webhook. To replace it with a new one, remove the option import; deleteBeforeReplace does not work with import.",
  "another failed":
    "a create or an update of this Provider failed in this run, so this webhook stays. The next successful pulumi up deletes it.",
};

/** The warning when an unresolved webhook leaves the state, as by a destroy. */
function unresolvedWarning(id: string, outputs: Properties): string {
  const name = shownName(toNamed(outputs));
  const url = outputs[SECRET_URL] ? "" : ` with the URL ${outputs.url}`;
  return `Webhook ${name} (${id}) was removed from the state, and no request was sent. It is unknown whether the API created it. If the dashboard shows a webhook named ${name}${url}, created at about ${readInDoubtId(id).sentAt}, delete it there.`;
}

/** @throws WebhookError if the settings point to another URL than the record. */
function accountForOutputs(
  session: Session,
  { id, outputs, action }: DeleteRequest,
): Account & { baseUrl: string } {
  const { baseUrl } = outputs;
  if (typeof baseUrl !== "string") throw unreadableStateError(action);
  const recorded = { ...toNamed(outputs), baseUrl };
  return { baseUrl, ...session.accountForRecord({ action, id, recorded }) };
}

async function send(
  session: Session,
  {
    id,
    outputs,
    urn,
    deadlineSeconds,
    action,
    baseUrl,
    settings,
    client,
  }: DeleteRequest & ReturnType<typeof accountForOutputs>,
): Promise<void> {
  const recorded = parseState(outputs);
  const { createdAt } = recorded ?? {};
  const secrets = secretsOf(outputs);
  const deleting = client.delete(id, { action, createdAt, recorded, secrets, deadlineSeconds });
  const { apiKey } = settings;
  const { sight, error: missing } = await session.goneEvidence
    .weigh({ label: label(id, recorded), apiKey, seen: recorded ?? { baseUrl } }, deleting)
    .catch((error) => {
      // The engine keeps no trace of it, and the program may declare the webhook again.
      throw hasFailedAs("unclear", error) ? unclearError(error, urn) : error;
    });
  // After an attempt that may have arrived, this is its effect, unless it is doubtful that the key sees the webhook.
  if (missing?.reply?.mayHaveHappenedBefore === false || sight === "unseen") {
    await session.log.warn(notFoundWarning(`${id} (${shownName(toNamed(outputs))})`, sight));
  }
  session.run.gone.add(id);
}

/** The error for a delete whose outcome is unknown. The engine repeats it only if the resource stays out of the program. */
function unclearError({ summary, detail, reply }: WebhookError, urn?: string): WebhookError {
  // An API may reply so for good, also to unknown ids.
  const isAnswered = reply !== undefined && reply.status < 300;
  const forget = isAnswered
    ? ` If this happens again and the dashboard does not show the webhook, run pulumi state delete ${shownUrn(urn)}.`
    : "";
  return new WebhookError({
    summary,
    detail: `${detail} The webhook may be gone already. Run the command again to delete it.${forget} If you declare it again instead, run pulumi up --replace ${shownUrn(urn)}: that works whether or not it still exists.`,
    failure: "unclear",
  });
}

/** The warning for a delete of what the API does not find. */
function notFoundWarning(webhook: string, sight: Sight | undefined): string {
  const key = sight === "unseen" ? "this API key, which is not the one that saw it last," : "this API key";
  return `Webhook ${webhook} was not deleted: the API has no webhook with this id. It was deleted before, or ${key} cannot see it. It was removed from the state. If the dashboard shows it, delete it there; if this state is a restored backup, also a webhook that had replaced it.`;
}
