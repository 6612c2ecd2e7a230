import { expect, it } from "vitest";
import { keyMarkOf, shortHash } from "../../src/record/hashes.js";
import { urnOf } from "../stack/exported.js";

it("gives each resource a key of eight characters, the same in each run", () => {
  expect(shortHash(urnOf("orders"))).toBe("vIJttu4E");
  expect(shortHash(urnOf("refunds"))).not.toBe(shortHash(urnOf("orders")));
  for (let n = 0; n < 100; n++) expect(shortHash(urnOf(`webhook-${n}`))).toMatch(/^[\w-]{8}$/);
});

it("marks the records of all webhooks with the same 16 bits of an API key", () => {
  expect(keyMarkOf("key-canary-4711")).toMatch(/^[0-9a-f]{4}$/);
  expect(keyMarkOf("key-canary-4711")).not.toBe(keyMarkOf("key-canary-0815"));
});
