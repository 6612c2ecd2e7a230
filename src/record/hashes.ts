import { createHash } from "node:crypto";

/** Returns a short text that stands for a longer one, which nobody can read from it: 48 bits of its hash. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
