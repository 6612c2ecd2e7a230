import { expect, it, vi } from "vitest";
import { UNKNOWN } from "../../src/record/special-values.js";
import { declare, messageOf, startRun } from "./runs.js";
import { api, operations, useSimulator } from "./simulator.js";
import { orders, PASTS } from "./webhooks.js";

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
  const owners = [{ urn: "urn:owner", baseUrl: api.url }];
  expect(await declare(startRun(), { owners }).check({}, importing)).toEqual(belongsTo("urn:owner"));
  expect(await declare(startRun(), { owners, past: PASTS.known }).check(importing, importing)).toEqual([]);
  // Whichever Provider has it, and wherever that is, if that is a secret.
  expect(await declare(startRun(), { owners: [{ urn: "urn:owner" }] }).check({}, importing)).toEqual(
    belongsTo("urn:owner"),
  );
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
  const both = expect.stringContaining("is also recorded for urn:new: to remove one resource would delete");
  expect(await recorded.check(orders, orders)).toEqual([both]);
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
