import { expect, it } from "vitest";
import { fingerprintOf, hasFingerprint } from "../../src/record/hashes.js";

it("shows that a secret has changed, and too little to find it", () => {
  const fingerprint = fingerprintOf("whsec-canary-0815");
  expect(fingerprint).toMatch(/^[\da-f]{16}:[\da-f]{4}$/);
  expect(fingerprintOf("whsec-canary-0815")).not.toBe(fingerprint);
  expect(hasFingerprint("whsec-canary-0815", fingerprint)).toBe(true);
  // One of 65,536 secrets has the same.
  const others = ["a", "b", "c"].map((secret) => hasFingerprint(secret, fingerprint));
  expect(others).toContain(false);
});
