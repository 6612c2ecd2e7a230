import { shortHash } from "../notes/short-hash.js";

/** Returns the key of a resource: short, since the dynamic provider records it with every webhook. */
export function keyOf(urn: string): string {
  return shortHash(urn);
}
