import { createHash } from "node:crypto";
import { shortHash } from "./hashes.js";

/** The mark of the API key that saw a webhook last, among its outputs: see `seenByOf`. Records of earlier versions have none. */
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
  return movedTo(key, provider);
}

/** Returns a mark with the Provider that has the webhook now: it may have moved with the same key, and without a request. */
export function movedTo(mark: string, provider: string | undefined): string {
  return mark.slice(0, KEY_LENGTH) + (provider === undefined ? "" : shortHash(provider));
}

/** Reports whether two marks are of one key. A record of an earlier version has none: then nothing speaks against it. */
export function isSameKey(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one.slice(0, KEY_LENGTH) === other.slice(0, KEY_LENGTH);
}

/** Reports whether two marks are of keys of one Provider, which may have been renamed. */
export function isSameProvider(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one.slice(KEY_LENGTH) === other.slice(KEY_LENGTH);
}
