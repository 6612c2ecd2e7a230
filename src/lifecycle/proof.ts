import type { RepliedWebhook } from "../client/api.js";
import { HIDDEN } from "../client/quote.js";
import { isSameCreation } from "../record/identity.js";
import { shownName } from "../record/shown-name.js";
import { shownUrn } from "../record/urn.js";
import { WebhookError } from "../wording/errors.js";
import type { State } from "./state.js";

/** What a reply proves of a webhook. */
type Proof =
  /** It is the recorded webhook: by its creation or, without one, by its name. */
  | { kind: "same" }
  /** Nothing speaks against it. */
  | { kind: "open" }
  /** It was created at another time: this is another account, or the API has used the id of a deleted webhook again. */
  | { kind: "another"; createdAt: string };

/**
 * Judges the reply to an update or a probe. One without the fields speaks against nothing.
 *
 * @param recorded the record before. An import has none.
 */
export function proofOf(
  { name, createdAt }: Pick<RepliedWebhook, "name" | "createdAt">,
  recorded: State | undefined,
): Proof {
  const isSame = isSameCreation(createdAt, recorded?.createdAt);
  if (isSame === false && createdAt !== undefined) return { kind: "another", createdAt };
  return recorded !== undefined && (isSame ?? isSameName(name ?? "", recorded))
    ? { kind: "same" }
    : { kind: "open" };
}

/** Reports whether a probed name is the recorded one. A part of it may be hidden in a reply, or in the record. */
export function isSameName(probed: string, { name, apiName = name }: State): boolean {
  return [probed, HIDDEN].includes(apiName) || probed === HIDDEN;
}

interface Other {
  id: string;
  /** The record of the webhook that had the id. */
  recorded: State;
  /** When the API created the webhook that has the id now. */
  createdAt: string;
  urn?: string | undefined;
  /** Whether an update has overwritten that one. A probe has not. */
  isOverwritten?: boolean;
}

/** The error for a reply about another webhook than the recorded one. */
export function otherWebhookError({ id, recorded, createdAt, urn, isOverwritten }: Other): WebhookError {
  const overwritten = isOverwritten
    ? " Its url, name and enabled were overwritten: restore them in the dashboard."
    : "";
  // Not --replace, which would delete the other webhook.
  const remedy = `If the API key is that of another account, set the right one. If not, the API has used the id again: run pulumi state delete ${shownUrn(urn)}, then pulumi up, which creates the webhook again.`;
  return new WebhookError({
    summary: `Webhook ${id} (${shownName(recorded)}) is another webhook now`,
    detail: `the API replied that it was created at ${createdAt}, but the state says ${recorded.createdAt}.${overwritten} ${remedy}`,
    failure: "another",
  });
}
