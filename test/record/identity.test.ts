import { expect, it } from "vitest";
import { identityOf, mayBeSame } from "../../src/record/identity.js";

const NINE = "2026-01-01T09:00:00Z";
const baseUrl = "https://api.example.com";
const atNine = { baseUrl, createdAt: NINE };

it.each<[boolean, string, Record<string, unknown>, Record<string, unknown>]>([
  [true, "were created at one time", atNine, atNine],
  [true, "have times of two servers", atNine, { baseUrl, createdAt: "2026-01-01 10:01:00+01:00" }],
  [true, "were created at one time, at a secret URL", atNine, { createdAt: NINE }],
  [false, "were created at two times", atNine, { baseUrl, createdAt: "2026-01-01T09:01:01Z" }],
  [false, "exist at two URLs", atNine, { ...atNine, baseUrl: "https://eu.example.com" }],
  [true, "have no time", { baseUrl }, atNine],
  [true, "have a time that was never set", { createdAt: "0001-01-01T00:00:00Z" }, { createdAt: NINE }],
  [true, "have a time that may be of any zone", { createdAt: "2026-01-01T09:00:00" }, { createdAt: NINE }],
  [true, "have nothing but their ids", {}, { baseUrl: { ciphertext: "…" } }],
])("answers %s whether two may be one webhook that have one id and %s", (isPossible, _, one, other) => {
  expect(mayBeSame(identityOf("1", one), identityOf("1", other))).toBe(isPossible);
  expect(mayBeSame(identityOf("1", other), identityOf("1", one))).toBe(isPossible);
  expect(mayBeSame(identityOf("1", one), identityOf("2", other))).toBe(false);
});
