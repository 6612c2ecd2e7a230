import { expect, it } from "vitest";
import { shortHash } from "../../src/record/hashes.js";
import { urnOf } from "../stack/exported.js";

it("gives each resource a key of eight characters, the same in each run", () => {
  expect(shortHash(urnOf("orders"))).toBe("vIJttu4E");
  expect(shortHash(urnOf("refunds"))).not.toBe(shortHash(urnOf("orders")));
  for (let n = 0; n < 100; n++) expect(shortHash(urnOf(`webhook-${n}`))).toMatch(/^[\w-]{8}$/);
});
