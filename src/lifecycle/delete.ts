import { hasFailedAs } from "../errors.js";
import { NO_WEBHOOK } from "../stack/in-doubt.js";
import type { Past } from "../stack/past.js";
import { readPast } from "../stack/past.js";
import { toNamed } from "../stack/shown-name.js";
import { unreadableStateError } from "./messages/changes.js";
import * as messages from "./messages/deletes.js";
import * as inDoubt from "./messages/in-doubt.js";
import { label } from "./messages/label.js";
import type { Properties } from "./run.js";
import { secretsOf } from "./secrets.js";
import type { Session } from "./session.js";
import { parseState } from "./state.js";

/** What to do about a webhook that the engine asks to delete: send it, let its entry leave the state, or fail. */
export type DeleteDecision =
  | { kind: "send" }
  | { kind: "drop"; because: "it is in doubt" | "a resource has it" }
  | { kind: "refuse"; because: messages.Refusal };

interface Question {
  /** What the record says of the webhook. */
  past: Past;
  /** Whether a resource of this run has the webhook, and keeps it. */
  isOwned: boolean;
  /** Whether the program imports the webhook. */
  isImported: boolean;
  /** Whether a create or an update of this run failed, or an id that it found is not confirmed. A destroy has neither. */
  isHeld: boolean;
}

/** Decides about a delete. The engine passes neither a URN nor the reason, and may pass the webhook of another entry. */
export function decideDelete({ past, isOwned, isImported, isHeld }: Question): DeleteDecision {
  if (past.kind === "unresolved") return { kind: "drop", because: "it is in doubt" };
  if (past.kind === "unconfirmed") return { kind: "refuse", because: "its id is not confirmed" };
  if (isOwned) return { kind: "drop", because: "a resource has it" };
  if (isImported) return { kind: "refuse", because: "it is imported" };
  return isHeld ? { kind: "refuse", because: "another failed" } : { kind: "send" };
}

/**
 * Deletes a webhook; one that the API no longer has counts as deleted. An id that stands for none needs nothing.
 *
 * @throws WebhookError if the webhook must stay, or if it is unknown whether it was deleted.
 */
export async function deleteWebhook(session: Session, id: string, outputs: Properties): Promise<void> {
  if (id === NO_WEBHOOK) return;
  const { run, log } = session;
  const past = readPast({ id, outputs });
  const webhook = toNamed(outputs);
  // At another URL, the id is that of another webhook. Nothing is sent for one in doubt.
  if (past.kind !== "unresolved") accountOf(session, id, outputs);
  const action = `Deleting ${label(id, webhook)}`;
  session.refuseWhileClosed(action);
  const decision = decideDelete({
    past,
    isOwned: run.ownerOf(id) !== undefined,
    isImported: run.importerOf(id) !== undefined,
    isHeld: run.holdsDeletes || session.notes.areDeletesHeldElsewhere(),
  });
  if (decision.kind === "refuse") throw messages.refusedError(decision.because, id, webhook);
  if (decision.kind === "send") return send(session, id, outputs);
  await log.warn(
    decision.because === "it is in doubt"
      ? inDoubt.droppedWarning(id, outputs)
      : messages.droppedWarning(id, webhook),
  );
}

/** @throws WebhookError if the settings point to another URL than the record. */
function accountOf(session: Session, id: string, outputs: Properties) {
  const { baseUrl } = outputs;
  const action = `Deleting ${label(id, toNamed(outputs))}`;
  if (typeof baseUrl !== "string") throw unreadableStateError(action);
  return {
    action,
    baseUrl,
    ...session.accountOf({ action, id, recorded: { ...toNamed(outputs), baseUrl } }),
  };
}

async function send(session: Session, id: string, outputs: Properties): Promise<void> {
  const recorded = parseState(outputs);
  const { action, baseUrl, settings, guide, client } = accountOf(session, id, outputs);
  const deleting = client.delete(id, { action, secrets: secretsOf(recorded) });
  const { missing } = await session.missing
    .weigh({ label: label(id, recorded), baseUrl }, deleting)
    .catch((error) => {
      // The engine keeps no trace of it, and the program may declare the webhook again.
      throw hasFailedAs("unconfirmed", error) ? messages.unclearError(error) : error;
    });
  // Only another webhook proves that those of the previous URL are at this one. An earlier attempt of this delete that
  // may have taken effect does not.
  if (missing !== undefined && baseUrl !== settings.baseUrl && missing !== "proven") {
    throw messages.notAtNewUrlError({ action, baseUrl, settings, guide });
  }
}
