import { expect, it, vi } from "vitest";
import { findOwner } from "../../src/lifecycle/owner.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, useSimulator } from "./simulator.js";
import { orders, PASTS } from "./webhooks.js";

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

useSimulator();

const importing = { ...orders, import: "1" };
const belongsTo = (urn: string) => [
  expect.stringContaining(`Webhook 1 belongs to another resource of this stack, ${urn}.`),
];

it("refuses a webhook that two resources import in the same run, and accepts ids that are not known yet", async () => {
  const run = startRun();
  expect(await declare(run, { urn: "urn:first" }).check({}, importing)).toEqual([]);
  expect(await declare(run, { urn: "urn:first" }).check({}, importing)).toEqual([]);
  expect(await declare(run).check({}, importing)).toEqual(belongsTo("urn:first"));
  for (const urn of ["urn:a", "urn:b"])
    expect(await declare(run, { urn }).check({}, { ...orders, import: UNKNOWN })).toEqual([]);
});

it("refuses to import a webhook that another record has, until the import is done", async () => {
  const owners = [{ urn: "urn:owner", provider: "eu", baseUrl: api.url }];
  expect(await declare(startRun(), { owners }).check({}, importing)).toEqual(belongsTo("urn:owner"));
  expect(await declare(startRun(), { owners, past: PASTS.known }).check(importing, importing)).toEqual([]);
  const previousBaseUrl = "https://old.example.com";
  const old = [{ urn: "urn:owner", baseUrl: previousBaseUrl }];
  expect(await declare(startRun(), { owners: old }).check({}, importing)).toEqual([]);
  expect(await declare(startRun({ previousBaseUrl }), { owners: old }).check({}, importing)).toEqual(
    belongsTo("urn:owner"),
  );
});

it("refuses a webhook whose id a create of this run has got for another resource", async () => {
  const run = startRun();
  await declare(run, { urn: "urn:new" }).declareNew({ ...orders, name: "New" });
  const recorded = declare(run, { urn: "urn:recorded", past: PASTS.known });
  const both = expect.stringContaining("This resource and urn:new both have webhook 1.");
  expect(await recorded.check(orders, orders)).toEqual([both]);
  // The id of another account, if the resource moves from there.
  const moved = declare(run, { urn: "urn:moved", past: { ...PASTS.known, provider: "eu" } });
  expect(await moved.check(orders, orders)).toEqual([]);
});

it.each(["has created", "is creating"])(
  "refuses a webhook that another resource %s in this run",
  async (when) => {
    const run = startRun();
    api.inject({ operation: "create", fault: { kind: "latency", milliseconds: 300 } });
    const created = declare(run, { urn: "urn:other" }).declareNew({ ...orders, name: "Other" });
    if (when === "has created") await created;
    else await vi.waitFor(() => expect(operations()).toEqual(["create"]));
    const message = await messageOf(declare(run).create(importing));
    expect(message).toContain("Webhook 1 belongs to another resource of this stack, urn:other.");
    expect(await created).toMatchObject({ id: "1" });
    expect(operations()).toEqual(["create"]);
  },
);
