import { expect, it } from "vitest";
import { shortHash } from "../../src/record/hashes.js";
import { createNonce, KEY, readKey, writeKey } from "../../src/record/properties.js";
import { urnOf } from "../stack/exported.js";

it("gives each resource a key of eight characters, the same in each run", () => {
  expect(shortHash(urnOf("orders"))).toBe("vIJttu4E");
  expect(shortHash(urnOf("refunds"))).not.toBe(shortHash(urnOf("orders")));
  for (let n = 0; n < 100; n++) expect(shortHash(urnOf(`webhook-${n}`))).toMatch(/^[\w-]{8}$/);
});

it("follows the key with a nonce of the create, which no record of an earlier version has", () => {
  const [urn, nonce] = [urnOf("orders"), createNonce()];
  expect(readKey({ [KEY]: writeKey(urn, nonce) })).toEqual({ key: shortHash(urn), nonce });
  expect(readKey({ [KEY]: shortHash(urn) })).toEqual({ key: shortHash(urn) });
  expect(readKey({})).toEqual({});
  expect(createNonce()).not.toBe(nonce);
});
