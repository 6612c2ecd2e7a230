import type { RepliedWebhook, WebhookFields } from "../client/api.js";
import { foldName } from "../client/replies.js";
import { isSameCreation } from "../client/times.js";
import { SECRET_NAME } from "../record/properties.js";
import { type Named, shownName } from "../record/shown-name.js";
import type { State } from "./state.js";

/** What a reply proves of a webhook. */
export type Proof =
  /** It is the recorded webhook: by its creation or, without one, by its name. */
  | { kind: "same" }
  /** Nothing speaks against it. */
  | { kind: "open" }
  /** It was created at another time: this is another account, or the API has used the id of a deleted webhook again. */
  | { kind: "another"; createdAt: string }
  /** It is not as it was sent. The rest of an error message says how. */
  | { kind: "contradiction"; how: string };

interface Replied {
  reply: Pick<RepliedWebhook, "name" | "enabled" | "createdAt">;
  /** The inputs that were sent. A probe sends none. */
  sent?: Named & Pick<WebhookFields, "enabled">;
  /** The record before. A create and an import have none. */
  recorded?: State | undefined;
}

/** Judges the reply to a create, an update or a probe. A reply without the fields speaks against nothing. */
export function proofOf({ reply, sent, recorded }: Replied): Proof {
  const { name, enabled, createdAt } = reply;
  const isSame = isSameCreation(createdAt, recorded?.createdAt);
  if (isSame === false && createdAt !== undefined) return { kind: "another", createdAt };
  if (sent !== undefined) {
    if (enabled && !sent.enabled)
      return {
        kind: "contradiction",
        how: "it should be disabled, but the API replied that it is enabled",
      };
    if (recorded !== undefined && name !== undefined && hasOldName(name, sent, recorded)) {
      const old = shownName({ name, [SECRET_NAME]: recorded[SECRET_NAME] });
      return {
        kind: "contradiction",
        how: `its name should be ${shownName(sent)}, but the API replied that it is ${old}`,
      };
    }
  }
  return recorded !== undefined && (isSame ?? isSameName(name ?? "", recorded))
    ? { kind: "same" }
    : { kind: "open" };
}

function hasOldName(replied: string, sent: Named, { name, apiName = name }: State): boolean {
  // An API that shortens names, say, may write the old and the new one the same way.
  const keepsNames = foldName(apiName) === foldName(name);
  return keepsNames && [name, apiName].includes(replied) && foldName(replied) !== foldName(sent.name);
}

/** Reports whether a probed name is the recorded one. A secret name is not recorded as the API writes it, in plain text. */
export function isSameName(probed: string, { name, apiName, [SECRET_NAME]: isSecret }: State): boolean {
  return probed === (apiName ?? name) || (isSecret === true && foldName(probed) === foldName(name));
}
