import { createHash } from "node:crypto";

/**
 * Returns 16 bits of a hash of an API key: enough to notice that another key is used, and too few to find a key. They are the same in
 * each record: other bits for each webhook would add up, and verify a guess.
 */
export function keyMarkOf(apiKey: string): string {
  return createHash("sha256").update(`seen by ${apiKey}`).digest("hex").slice(0, 4);
}

/** Returns a short text that stands for a longer one, which nobody can read from it: 48 bits of its hash. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
