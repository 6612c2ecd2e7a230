import { expect, it } from "vitest";
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

it("refuses a webhook that another resource has created in this run", async () => {
  const run = startRun();
  await declare(run, { urn: "urn:other" }).declareNew({ ...orders, name: "Other" });
  const message = await messageOf(declare(run).create(importing));
  expect(message).toContain("Webhook 1 belongs to another resource of this stack, urn:other.");
  expect(operations()).toEqual(["create"]);
});
