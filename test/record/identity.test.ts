import { expect, it } from "vitest";
import { identityOf, mayBeSame } from "../../src/record/identity.js";

const NINE = "2026-01-01T09:00:00Z";
const baseUrl = "https://api.example.com";

it.each<[boolean, string, Record<string, unknown>, Record<string, unknown>]>([
  [true, "were created at one time", { baseUrl, createdAt: NINE }, { baseUrl, createdAt: NINE }],
  [
    true,
    "were created at times that two servers of one API stamp differently",
    { baseUrl, createdAt: NINE },
    { baseUrl, createdAt: "2026-01-01 10:01:00+01:00" },
  ],
  [true, "were created at one time, at a secret URL", { baseUrl, createdAt: NINE }, { createdAt: NINE }],
  [
    false,
    "were created at two times",
    { baseUrl, createdAt: NINE },
    { baseUrl, createdAt: "2026-01-01T09:01:01Z" },
  ],
  [
    false,
    "exist at two URLs",
    { baseUrl, createdAt: NINE },
    { baseUrl: "https://eu.example.com", createdAt: NINE },
  ],
  [true, "have no time", { baseUrl }, { baseUrl, createdAt: NINE }],
  [true, "have a time that was never set", { createdAt: "0001-01-01T00:00:00Z" }, { createdAt: NINE }],
  [true, "have a time that may be of any zone", { createdAt: "2026-01-01T09:00:00" }, { createdAt: NINE }],
  [true, "have nothing but their ids", {}, { baseUrl: { ciphertext: "…" } }],
])("answers %s whether two may be one webhook that have one id and %s", (isPossible, _, one, other) => {
  expect(mayBeSame(identityOf("1", one), identityOf("1", other))).toBe(isPossible);
  expect(mayBeSame(identityOf("1", other), identityOf("1", one))).toBe(isPossible);
  expect(mayBeSame(identityOf("1", one), identityOf("2", other))).toBe(false);
});
