import { expect, it } from "vitest";
import { findOwner } from "../../src/record/owner.js";

const baseUrl = "https://api.example.com";
const old = "https://old.example.com";
const eu = { provider: "eu" };

it.each<[string, owner: object, claimant: object, boolean]>([
  ["another resource at the same base URL", { baseUrl }, {}, true],
  ["one under another Provider", { baseUrl, ...eu }, {}, true],
  ["one at a previous base URL", { baseUrl: old }, { baseUrls: [baseUrl, old] }, true],
  ["one at another base URL", { baseUrl: old }, {}, false],
  ["itself", { urn: "urn:claimant", baseUrl }, {}, false],
  ["one of the same Provider with a secret base URL", {}, {}, true],
  ["one of another Provider with a secret base URL", eu, {}, false],
  ["one of its Provider, with its own base URL unknown", { baseUrl, ...eu }, { baseUrls: [], ...eu }, true],
  ["one of another Provider, with its own base URL unknown", { baseUrl, ...eu }, { baseUrls: [] }, false],
])("finds out whether an id is that of %s", (_, owner, claimant, isOwned) => {
  const urn = "urn:owner";
  const found = findOwner([{ urn, ...owner }], {
    urn: "urn:claimant",
    provider: undefined,
    baseUrls: [baseUrl],
    ...claimant,
  });
  expect(found).toBe(isOwned ? urn : undefined);
});
