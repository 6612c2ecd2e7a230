import { expect, it } from "vitest";
import { shortHash } from "../../src/record/hashes.js";
import { createStamp, RESOURCE_KEY, readResourceKey, writeResourceKey } from "../../src/record/properties.js";
import { UNTIL, urnOf } from "../stack/exported.js";

it("follows the key with the stamp of the create in ten characters, which no record of an earlier version has", () => {
  const [urn, stamp] = [urnOf("orders"), createStamp(UNTIL)];
  const key = "vIJttu4E";
  expect(shortHash(urn), "the same in each run").toBe(key);
  expect(shortHash(urnOf("refunds"))).not.toBe(key);
  expect(stamp).toHaveLength(10);
  expect(readResourceKey({ [RESOURCE_KEY]: writeResourceKey(urn, stamp) })).toEqual({
    key,
    stamp,
    nonce: stamp.slice(0, 4),
    until: UNTIL,
  });
  expect(readResourceKey({ [RESOURCE_KEY]: key })).toEqual({ key });
  expect(readResourceKey({})).toEqual({});
  expect(createStamp(UNTIL)).not.toBe(stamp);
});
