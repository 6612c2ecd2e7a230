import type { RepliedWebhook } from "../client/api.js";
import { HIDDEN } from "../client/quote.js";
import { isSameCreation } from "../client/times.js";
import type { State } from "./state.js";

/** What a reply proves of a webhook. */
type Proof =
  /** It is the recorded webhook: by its creation or, without one, by its name. */
  | { kind: "same" }
  /** Nothing speaks against it. */
  | { kind: "open" }
  /** It was created at another time: this is another account, or the API has used the id of a deleted webhook again. */
  | { kind: "another"; createdAt: string };

interface Replied {
  reply: Pick<RepliedWebhook, "name" | "createdAt">;
  /** The record before. An import has none. */
  recorded?: State | undefined;
}

/** Judges the reply to an update or a probe. One without the fields speaks against nothing. */
export function proofOf({ reply, recorded }: Replied): Proof {
  const { name, createdAt } = reply;
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
