import { createHash } from "node:crypto";

/**
 * Returns 16 bits of a hash of an API key and a webhook's id: enough to notice that another key is used, and too few to find a key.
 */
export function keyMarkOf(apiKey: string, id: string): string {
  return createHash("sha256").update(`${id} ${apiKey}`).digest("hex").slice(0, 4);
}

/** Returns a short text that stands for a longer one, which nobody can read from it: 48 bits of its hash. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
