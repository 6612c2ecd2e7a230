import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import { foldName } from "../client/replies.js";
import { isSameCreation } from "../client/times.js";
import { SECRET_NAME } from "../record/properties.js";
import { type Named, shownName } from "../record/shown-name.js";
import type { State } from "./state.js";

interface Replied {
  reply: RepliedWebhook;
  /** The inputs that were sent. */
  sent: Named & Pick<WebhookFields, "enabled">;
  /** The record before an update. */
  recorded?: State | undefined;
}

/**
 * Finds how a reply contradicts what was sent: it is still enabled, or it has the name that the webhook had before.
 *
 * @returns the rest of an error message; undefined if the reply agrees. A reply without the fields agrees.
 */
export function findContradiction({ reply, sent, recorded }: Replied): string | undefined {
  if (reply.enabled && !sent.enabled) return "it should be disabled, but the API replied that it is enabled";
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

/** Returns when the webhook of a reply was created, if the API has used the id of a deleted webhook again. */
export function findOtherCreation({ createdAt }: RepliedWebhook, recorded: State): string | undefined {
  return isSameCreation(createdAt, recorded.createdAt) === false ? createdAt : undefined;
}
