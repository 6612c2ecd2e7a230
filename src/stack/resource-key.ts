import { createHash } from "node:crypto";

/** Returns the key of a resource: short, since the dynamic provider records it with every webhook. */
export function keyOf(urn: string): string {
  return createHash("sha256").update(urn).digest("base64url").slice(0, 8);
}
