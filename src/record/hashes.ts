import { createHash, createHmac, randomBytes } from "node:crypto";

/**
 * Returns 16 bits of an HMAC of a secret under a random salt: enough to notice that the secret has changed, and too few to find it.
 * They stand for the secret in notes, and in the record of a create that only a note knows.
 */
export function fingerprintOf(secret: string, salt = randomBytes(8).toString("hex")): string {
  return `${salt}:${createHmac("sha256", salt).update(secret).digest("hex").slice(0, 4)}`;
}

/** Reports whether a secret may be the one with this fingerprint. One of 65,536 others has the same. */
export function hasFingerprint(secret: string, fingerprint: string): boolean {
  return fingerprintOf(secret, fingerprint.split(":")[0]) === fingerprint;
}

/** Returns a short text that stands for a longer one, which nobody can read from it: 48 bits of its hash. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
