import { expect, it } from "vitest";
import { hasMoved, isOfOtherAccount, isSameKey, seenByOf } from "../../src/record/seen-by.js";

it("marks the records of all webhooks of a key with the same 16 bits, and tells keys and Providers apart", () => {
  const mark = seenByOf("key-canary-4711");
  expect(mark).toMatch(/^[0-9a-f]{4}$/);
  const ofEu = seenByOf("key-canary-4711", "eu");
  const other = seenByOf("key-canary-0815");
  expect([isSameKey(mark, ofEu), isSameKey(mark, other)]).toEqual([true, false]);
  expect([isOfOtherAccount(mark, other), isOfOtherAccount(ofEu, other)]).toEqual([false, true]);
  expect([hasMoved(mark, ofEu), hasMoved(mark, mark), hasMoved(other, ofEu)]).toEqual([true, false, false]);
  for (const isIt of [isOfOtherAccount, hasMoved]) expect(isIt(undefined, ofEu)).toBe(false);
});
