import { expect, it } from "vitest";
import { compareWebhooks, identityOf } from "../../src/record/identity.js";

const NINE = "2026-01-01T09:00:00Z";
const baseUrl = "https://api.example.com";

it.each<[ReturnType<typeof compareWebhooks>, string, Record<string, unknown>, Record<string, unknown>]>([
  ["same", "were created at one time", { baseUrl, createdAt: NINE }, { baseUrl, createdAt: NINE }],
  [
    "same",
    "were created at times that two servers of one API stamp differently",
    { baseUrl, createdAt: NINE },
    { baseUrl, createdAt: "2026-01-01 10:01:00+01:00" },
  ],
  ["same", "were created at one time, at a secret URL", { baseUrl, createdAt: NINE }, { createdAt: NINE }],
  [
    "another",
    "were created at two times",
    { baseUrl, createdAt: NINE },
    { baseUrl, createdAt: "2026-01-01T09:01:01Z" },
  ],
  [
    "another",
    "exist at two URLs",
    { baseUrl, createdAt: NINE },
    { baseUrl: "https://eu.example.com", createdAt: NINE },
  ],
  ["open", "have no time", { baseUrl }, { baseUrl, createdAt: NINE }],
  ["open", "have a time that was never set", { createdAt: "0001-01-01T00:00:00Z" }, { createdAt: NINE }],
  ["open", "have a time that may be of any zone", { createdAt: "2026-01-01T09:00:00" }, { createdAt: NINE }],
  ["open", "have nothing but their ids", {}, { baseUrl: { ciphertext: "…" } }],
])("finds %s for two webhooks with one id that %s", (sameness, _, one, other) => {
  expect(compareWebhooks(identityOf("1", one), identityOf("1", other))).toBe(sameness);
  expect(compareWebhooks(identityOf("1", other), identityOf("1", one))).toBe(sameness);
  expect(compareWebhooks(identityOf("1", one), identityOf("2", other))).toBe("another");
});
