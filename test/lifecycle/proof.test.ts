import { expect, it } from "vitest";
import { provesSame } from "../../src/lifecycle/proof.js";
import { nameMarkOf } from "../../src/record/webhook-name.js";
import { orders } from "./webhooks.js";

const recorded = { ...orders, baseUrl: "https://api.example.com", createdAt: "2026-01-01T00:00:00Z" };
const judge = (reply: object, before: object, isOtherKey = false) =>
  provesSame(reply, { id: "42", urn: undefined, recorded: { ...recorded, ...before }, isOtherKey });
const undated = { ...recorded, createdAt: undefined };

it.each<[string, object, object, boolean]>([
  ["its creation", recorded, { createdAt: "2026-01-01T00:00:30Z", name: "Other" }, true],
  ["its name and no creation", recorded, { name: "Orders" }, true],
  ["its name in the API's form", { ...undated, apiName: nameMarkOf("ord") }, { name: "ord" }, true],
  ["another name and no creation", undated, { name: "Other" }, false],
  ["neither", recorded, {}, false],
])("proves by a reply that has %s which webhook it is", (_, before, reply, isProof) => {
  expect(judge(reply, before)).toBe(isProof);
});

it("refuses a reply that has another creation", () => {
  const reply = { createdAt: "2026-01-01T01:00:00Z", name: "Orders" };
  expect(() => judge(reply, {})).toThrow(/^Webhook 42 is another webhook now/);
});

const precise = { createdAt: "2026-01-01T00:00:00.734Z" };

it.each<[string, object, object, boolean]>([
  ["the very time of its creation", {}, { createdAt: "2026-01-01T01:00:00+01:00" }, true],
  ["that time with fewer digits than the record", precise, { createdAt: "2026-01-01T00:00:00Z" }, true],
  ["another fraction of a second", precise, { createdAt: "2026-01-01T00:00:00.5Z" }, false],
  ["a creation within a minute", {}, { createdAt: "2026-01-01T00:00:30Z", name: "Orders" }, false],
  ["its name alone", {}, { name: "Orders" }, false],
])(
  "takes %s for a proof if another key saw it last: another account may number alike",
  (_, before, reply, isProof) => {
    expect(judge(reply, before, true)).toBe(isProof);
  },
);
