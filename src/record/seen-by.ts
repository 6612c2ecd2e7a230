import { createHash } from "node:crypto";
import { shortHash } from "./hashes.js";

/** The name of the mark among the outputs of a webhook. Records of version 0.1.0 have none. */
export const SEEN_BY = "__seenBy";

const KEY_LENGTH = 4;

/**
 * Returns the mark of the API key that sees a webhook, and of the explicit Provider whose key it is.
 *
 * Of the key it has 16 bits of a hash: enough to notice that another key is used, and too few to find a key. They are the same in each
 * record: other bits for each webhook would add up, and verify a guess.
 */
export function seenByOf(apiKey: string, provider?: string): string {
  const key = createHash("sha256").update(`seen by ${apiKey}`).digest("hex").slice(0, KEY_LENGTH);
  return key + (provider === undefined ? "" : shortHash(provider));
}

/** Reports whether two marks are of one key. A record of an earlier version has none: then nothing speaks against it. */
export function isSameKey(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one.slice(0, KEY_LENGTH) === other.slice(0, KEY_LENGTH);
}

function isSameProvider(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one.slice(KEY_LENGTH) === other.slice(KEY_LENGTH);
}

/** Reports whether a webhook was seen last by another Provider with another key: it may be of another account. */
export function isOfOtherAccount(seenBy: string | undefined, own: string | undefined): boolean {
  return !isSameKey(seenBy, own) && !isSameProvider(seenBy, own);
}

/** Reports whether a webhook was seen last by another Provider with this key: it has moved, and its record gets the new mark. */
export function hasMoved(seenBy: string | undefined, own: string | undefined): boolean {
  return isSameKey(seenBy, own) && !isSameProvider(seenBy, own);
}
