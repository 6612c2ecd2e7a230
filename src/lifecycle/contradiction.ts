import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import type { ProbedWebhook } from "../client/client.js";
import { findEarlierCreation, foldName } from "../client/replies.js";
import { areTwoCreations, parseTime } from "../client/times.js";
import { SECRET_NAME } from "../stack/hidden-properties.js";
import type { Unconfirmed } from "../stack/past.js";
import type { Named } from "../stack/shown-name.js";
import { shownName } from "../stack/shown-name.js";
import type { State } from "./state.js";

interface Replied {
  reply: RepliedWebhook;
  /** The inputs that were sent. */
  sent: Named & Pick<WebhookFields, "enabled">;
  /** The record before an update. */
  recorded?: State | undefined;
}

/**
 * Finds how a reply contradicts what was sent: another `enabled`, or the name that the webhook had before.
 *
 * @returns the rest of an error message; undefined if the reply agrees. A reply without the fields agrees.
 */
export function findContradiction({ reply, sent, recorded }: Replied): string | undefined {
  if (reply.enabled !== undefined && reply.enabled !== sent.enabled) {
    const [declared, replied] = sent.enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
    return `it should be ${declared}, but the API replied that it is ${replied}`;
  }
  if (recorded === undefined || reply.name === undefined || !hasOldName(reply.name, sent, recorded)) {
    return undefined;
  }
  const old = shownName({ name: reply.name, [SECRET_NAME]: recorded[SECRET_NAME] });
  return `its name should be ${shownName(sent)}, but the API replied that it is ${old}`;
}

function hasOldName(replied: string, sent: Named, { name, apiName = name }: State): boolean {
  // An API that shortens names, say, may write the old and the new one the same way.
  const keepsNames = foldName(apiName) === foldName(name);
  return keepsNames && [name, apiName].includes(replied) && foldName(replied) !== foldName(sent.name);
}

/** Returns when a webhook was created, if that was long before the create that its id was entered for. */
export function findCreationBefore({ sent }: Unconfirmed, createdAt: string | undefined): Date | undefined {
  return sent?.at === undefined ? undefined : findEarlierCreation({ createdAt }, Date.parse(sent.at));
}

/** The most by which the clocks of an API may differ from each other: those of its replies' `Date` and of `created_at`. */
const CLOCK_SECONDS = 60;

/**
 * Finds how a probe shows that an id is not that of the webhook which it was entered for: by another name than the one that was
 * sent, or a creation certainly before the create. The clock of this machine may be wrong, the server's `Date` shows by how much.
 *
 * @returns the rest of an error message; undefined if nothing shows that.
 */
export function findWrongId(
  { sent = {} }: Pick<Unconfirmed, "sent">,
  { name, createdAt, repliedAt }: ProbedWebhook,
  webhook: Pick<Named, typeof SECRET_NAME> = {},
): string | undefined {
  if (sent.name !== undefined && name !== undefined && foldName(name) !== foldName(sent.name)) {
    const shown = shownName({ name, [SECRET_NAME]: webhook[SECRET_NAME] });
    return `its name is ${shown}, which is not the name that was sent`;
  }
  const created = parseTime(createdAt);
  if (sent.at === undefined || created === undefined || repliedAt === undefined) return undefined;
  const ahead = repliedAt - Date.now() / 1000;
  const isBefore = created < Date.parse(sent.at) / 1000 + ahead - CLOCK_SECONDS;
  return isBefore ? `it was created at ${createdAt}, before the create was sent` : undefined;
}

/**
 * Returns when the webhook of a reply was created, if that is another time than the recorded one: the API has used the id
 * of a deleted webhook again.
 */
export function findOtherCreation({ createdAt }: RepliedWebhook, recorded: State): string | undefined {
  return areTwoCreations(createdAt, recorded.createdAt) ? createdAt : undefined;
}
