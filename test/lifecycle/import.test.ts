import { expect, it } from "vitest";
import { SECRETS_NOT_SENT } from "../../src/lifecycle/import.js";
import type { ResourceContext } from "../../src/record/properties.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { create, declare, failureOf, messageOf, startEndingRun, startRun } from "./runs.js";
import { api, operations, reply, useSimulator, warnings } from "./simulator.js";
import { IN_DOUBT, ORDERS, orders, PASTS, SECRET, seen, withSecret } from "./webhooks.js";

useSimulator();

const importing = { ...orders, import: "1" };
const old = { url: "https://example.com/old", name: "Old", enabled: false };

it("sends one full update, and records the webhook under its id", async () => {
  const { createdAt } = api.dashboard.create(old);
  const times = { createdAt, updatedAt: expect.any(String) };
  expect(await declare(startRun()).declareNew(importing)).toEqual({
    id: "1",
    outputs: { ...orders, baseUrl: api.url, ...seen(), ...times },
  });
  expect(api.webhooks).toMatchObject([{ id: "1", ...orders }]);
  expect(operations()).toEqual(["update"]);
  expect(warnings).toEqual([]);
});

it("records a declared secret without sending it, and warns", async () => {
  api.dashboard.create(old);
  const { outputs } = await declare(startRun()).declareNew({ ...importing, secret: SECRET });
  expect(outputs.secret).toBe(SECRET);
  expect(JSON.stringify(api.calls)).not.toContain(SECRET);
  expect(warnings).toEqual([SECRETS_NOT_SENT, "- webhook 1 (orders): secret not sent"]);
});

it.each<[string, message: string, start: () => ReturnType<typeof startRun>]>([
  ["no reply comes", "may have been changed anyway. Run pulumi up", () => startEndingRun("update")],
  ["the reply contradicts it", "it should be disabled, but the API replied", () => startContradicted()],
])("records nothing if %s, and can be tried again", async (_, message, start) => {
  api.dashboard.create(old);
  const failure = await failureOf(declare(start()).declareNew({ ...importing, enabled: false }));
  expect(failure.message).toContain(message);
  expect(failure.message.match(/pulumi up/g)).toHaveLength(1);
  expect(failure.id).toBeUndefined();
});

function startContradicted() {
  reply({ id: 1, enabled: true }, "update", 2);
  return startRun();
}

it("fails if the API does not know the id", async () => {
  const message = await messageOf(declare(startRun()).declareNew(importing));
  expect(message).toMatch(/^Importing webhook 1 \(orders\) failed: 404 .* this id: correct the option/);
});

// The engine's own option import: it passes the id alone.

/** Reads webhook 1 for an import into a new resource. */
const readImport = (
  run = startRun(),
  { id = "1", ...described }: Partial<ResourceContext> & { id?: string } = {},
) => {
  const context = { urn: ORDERS, given: [], past: PASTS.new, ...described };
  return run.readImport({ id, context });
};

it("imports for the engine without a request, and plans no change in that run", async () => {
  const { outputs } = await create();
  const run = startRun();
  const read = await readImport(run);
  expect(read).toEqual({ outputs: { imported: true, baseUrl: api.url, ...seen() } });
  const webhook = declare(run, { past: PASTS.new });
  expect(await webhook.check({}, {})).toEqual([]);
  expect(await webhook.check({}, withSecret)).toEqual([]);
  expect(await webhook.diff("1", read.outputs, withSecret)).toEqual({ changes: false });
  // The entry of another resource, which it replaces.
  expect(await messageOf(run.delete("1", outputs))).toContain("the program imports this webhook");
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining("these webhooks are imported without a request"),
    "- webhook 1 (orders): imported",
  ]);
});

it("keeps what the engine has imported, and is going to replace, until its fields are sent", async () => {
  for (const more of [{}, { import: "1" }, { import: "2" }]) {
    const run = startRun();
    await declare(run, { past: PASTS.imported }).check({}, { ...orders, ...more });
    await run.delete("1", { imported: true, baseUrl: api.url });
    expect(warnings.splice(0)).toEqual([expect.stringMatching(/^Webhook 1 \(orders\) was not deleted/)]);
  }
});

it("probes a webhook that the engine imports, if the setting allows that", async () => {
  const { createdAt, updatedAt } = api.dashboard.create(old);
  const probing = () => startRun({ drift: "probe" });
  const probed = { name: "Old", enabled: false, baseUrl: api.url, createdAt, updatedAt };
  expect(await readImport(probing())).toEqual({
    outputs: { ...probed, imported: true, ...seen() },
    inputs: { name: "Old", enabled: false },
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^These webhooks exist\. After an import, run pulumi up/),
    "- webhook 1 (orders): exists",
  ]);
  expect(await messageOf(readImport(probing(), { id: "7" }))).toContain("correct the option import");
});

const NO_ID = "the id must be the webhook's id at the API";
const OWNED = "belongs to another resource of this stack, urn:other.";

const isOther = { past: { ...PASTS.known, id: "7" } };

it.each([
  ["while the gate is closed", { gate: "Closed." }, "Importing webhook 1 (orders) failed: Closed."],
  ["of an unresolved webhook", { id: IN_DOUBT }, NO_ID],
  ["with a space in the id", { id: "4 2" }, NO_ID],
  ["of another resource's", { owners: [{ urn: "urn:other" }] }, OWNED],
  ["into a resource with another id", isOther, "cannot turn webhook 7 (orders) into another"],
])("refuses an import by the engine %s", async (_, more, message) => {
  expect(await messageOf(readImport(startRun(), more))).toContain(message);
  expect(warnings).toEqual([]);
});

it("records the secret of an import with the recorded id where none was, without a request, and keeps it", async () => {
  const { outputs } = await create(orders);
  const importing = { ...withSecret, import: "1" };
  const run = declare(startRun(), { past: PASTS.known });
  expect(await run.plan("1", outputs, importing)).toEqual({ changes: true });
  const recorded = await run.update("1", outputs, importing);
  expect(recorded.outputs).toEqual({ ...outputs, secret: withSecret.secret });
  expect(operations()).toEqual([]);
  expect(warnings).toEqual([SECRETS_NOT_SENT, "- webhook 1 (orders): secret not sent"]);

  const next = declare(startRun(), { past: PASTS.known });
  expect(await next.plan("1", recorded.outputs, importing)).toEqual({ changes: false });
  expect(await next.plan("1", recorded.outputs, withSecret)).toEqual({ changes: false });
  // Along with another change, too.
  const renamed = { ...importing, name: "Renamed" };
  expect(await next.plan("1", outputs, renamed)).toEqual({ changes: true });
  expect((await next.update("1", outputs, renamed)).outputs).toMatchObject({ secret: withSecret.secret });
});

it("accepts the recorded id, and refuses it for a second resource of the run", async () => {
  const run = startRun();
  await readImport(run, { past: PASTS.known, owners: [{ urn: ORDERS, baseUrl: api.url }] });
  await declare(run).check({}, orders);
  const message = await messageOf(readImport(run, { urn: "urn:other" }));
  expect(message).toContain(`belongs to another resource of this stack, ${ORDERS}.`);
});

const belongsTo = (urn: string) => [
  expect.stringContaining(`Webhook 1 belongs to another resource of this stack, ${urn}.`),
];

it("refuses a webhook that two resources import in the same run, and accepts ids that are not known yet", async () => {
  const run = startRun();
  for (const _ of ["first", "second"])
    expect(await declare(run, { urn: "urn:first" }).check({}, importing)).toEqual([]);
  expect(await declare(run).check({}, importing)).toEqual(belongsTo("urn:first"));
  for (const urn of ["urn:a", "urn:b"])
    expect(await declare(run, { urn }).check({}, { ...orders, import: UNKNOWN })).toEqual([]);
});

it("refuses to import a webhook that another record has at this URL, or at one that is a secret", async () => {
  const [previousBaseUrl, refused] = ["https://old.example.com", belongsTo("urn:owner")];
  const check = (baseUrl: string | undefined, settings = {}) => {
    const owners = [{ urn: "urn:owner", ...(baseUrl !== undefined && { baseUrl }) }];
    return declare(startRun(settings), { owners }).check({}, importing);
  };
  for (const url of [api.url, undefined]) expect(await check(url)).toEqual(refused);
  expect(await check(previousBaseUrl)).toEqual([]);
  expect(await check(previousBaseUrl, { previousBaseUrl })).toEqual(refused);
  const done = { owners: [{ urn: "urn:owner" }], past: PASTS.known };
  expect(await declare(startRun(), done).check(importing, importing)).toEqual([]);
});

it("refuses a webhook that another resource has created in this run", async () => {
  const run = startRun();
  await declare(run, { urn: "urn:other" }).declareNew({ ...orders, name: "Other" });
  expect(await messageOf(declare(run).create(importing))).toContain(OWNED);
  expect(operations()).toEqual(["create"]);
});
