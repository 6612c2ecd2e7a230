import { type Past, readPast } from "../record/past.js";
import { label, toNamed } from "../record/shown-name.js";
import { hasFailedAs } from "../wording/errors.js";
import { secretsOf } from "./inputs.js";
import { unreadableStateError } from "./messages/changes.js";
import * as messages from "./messages/deletes.js";
import * as gone from "./messages/gone.js";
import * as unresolved from "./messages/unresolved.js";
import type { Properties } from "./run.js";
import type { Account, Session } from "./session.js";
import { parseState } from "./state.js";

/** What delete receives. */
export interface DeleteRequest {
  /** What it does, such as `Deleting webhook 42 (Orders)`. */
  action: string;
  id: string;
  /** The recorded outputs. */
  outputs: Properties;
  /** That of the resource. The engine does not tell it to a dynamic provider. */
  urn?: string | undefined;
  /** The time limit that the program sets, in seconds. Default: that of the settings. */
  deadlineSeconds?: number | undefined;
}

/** What to do about a webhook that the engine asks to delete: send it, let its entry leave the state, or fail. */
type DeleteDecision =
  | { kind: "send" }
  | { kind: "forget" }
  | { kind: "drop" }
  | { kind: "refuse"; because: messages.Refusal };

interface Facts {
  /** What the record says of the webhook. */
  past: Past;
  /** Whether a resource of this run has the webhook, and keeps it. */
  isOwned: boolean;
  /** Whether the program imports the webhook. */
  isImported: boolean;
  /** Whether a create or an update of this run failed, unless the webhook was replaced before the run. */
  isHeld: boolean;
}

/** Decides about a delete. The engine passes neither a URN nor the reason, and may pass the webhook of another entry. */
export function decideDelete({ past, isOwned, isImported, isHeld }: Facts): DeleteDecision {
  if (past.kind === "unresolved")
    return isHeld ? { kind: "refuse", because: "another failed" } : { kind: "forget" };
  if (isOwned) return { kind: "drop" };
  if (isImported) return { kind: "refuse", because: "it is imported" };
  return isHeld ? { kind: "refuse", because: "another failed" } : { kind: "send" };
}

/**
 * Deletes a webhook; one that the API no longer has counts as deleted.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(session: Session, request: DeleteRequest): Promise<void> {
  const { id, outputs } = request;
  const { run, log } = session;
  const past = readPast({ id, outputs });
  const webhook = toNamed(outputs);
  // At another URL, the id is that of another webhook. Nothing is sent for one that is unresolved.
  const account = past.kind === "unresolved" ? undefined : accountForOutputs(session, request);
  const decision = decideDelete({
    past,
    isOwned: run.ownerOf(id) !== undefined,
    isImported: run.importerOf(id) !== undefined,
    isHeld: run.hasFailed && !run.replaced.has(id),
  });
  if (decision.kind === "refuse") throw messages.refusedError(decision.because, id, webhook);
  if (account === undefined) await log.warn(unresolved.droppedWarning(id, outputs));
  else if (decision.kind === "drop") await log.warn(messages.keptWarning(id, webhook));
  else await send(session, { ...request, ...account });
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
  const secrets = secretsOf(recorded);
  const deleting = client.delete(id, { action, createdAt, secrets, deadlineSeconds });
  const { apiKey } = settings;
  const { sight, error: missing } = await session.goneEvidence
    .weigh({ label: label(id, recorded), apiKey, seen: recorded ?? { baseUrl } }, deleting)
    .catch((error) => {
      // The engine keeps no trace of it, and the program may declare the webhook again.
      throw hasFailedAs("unclear", error) ? messages.unclearError(error, urn) : error;
    });
  if (missing?.reply?.mayHaveHappenedBefore === false) {
    await session.log.warn(gone.notFoundWarning(id, toNamed(outputs), sight ?? "unproven"));
  }
  session.run.deleted.add(id);
}
