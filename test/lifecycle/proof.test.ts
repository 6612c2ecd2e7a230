import { expect, it } from "vitest";
import { proofOf } from "../../src/lifecycle/proof.js";
import { nameMarkOf } from "../../src/record/webhook-name.js";
import { orders } from "./webhooks.js";

const recorded = { ...orders, baseUrl: "https://api.example.com", createdAt: "2026-01-01T00:00:00Z" };
const undated = { ...recorded, createdAt: undefined };

it.each<[string, object, object, string]>([
  ["its creation", recorded, { createdAt: "2026-01-01T00:00:30Z", name: "Other" }, "same"],
  ["another creation", recorded, { createdAt: "2026-01-01T01:00:00Z", name: "Orders" }, "another"],
  ["its name and no creation", recorded, { name: "Orders" }, "same"],
  ["its name in the API's form", { ...undated, apiName: nameMarkOf("ord") }, { name: "ord" }, "same"],
  ["another name and no creation", undated, { name: "Other" }, "open"],
  ["neither", recorded, {}, "open"],
])("proves by a reply that has %s which webhook it is", (_, before, reply, kind) => {
  expect(proofOf(reply, { ...recorded, ...before })).toBe(kind);
});

it.each<[string, object, string]>([
  ["the very time of its creation", { createdAt: "2026-01-01T01:00:00+01:00" }, "same"],
  ["a creation within a minute", { createdAt: "2026-01-01T00:00:30Z", name: "Orders" }, "open"],
  ["its name alone", { name: "Orders" }, "open"],
])("takes %s for a proof if another key saw it last: another account may number alike", (_, reply, kind) => {
  expect(proofOf(reply, recorded, true)).toBe(kind);
});
