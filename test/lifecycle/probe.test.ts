import { beforeEach, expect, it } from "vitest";
import * as setup from "./setup.js";
import { __provider, api, failureOf, operations, orders, SECRET, useSimulator, warnings } from "./setup.js";

useSimulator();
beforeEach(() => {
  api.behaviour.emptyUpdate = "leaves updated_at";
});

const declared = { ...orders, secret: SECRET };
const startProvider = () => setup.startProvider({ "webhooks:drift": "probe" });

/** Moves the API's clock, the only one that counts. */
function passTime(seconds: number): void {
  api.behaviour.clockSkewSeconds += seconds;
}

async function create() {
  const created = await setup.create();
  api.clearCalls();
  return created;
}

it("sends only the id, and finds no drift in an unchanged webhook", async () => {
  const { id, outs } = await create();
  expect(await startProvider().read(id, outs)).toEqual({ id, props: outs });
  expect(api.calls.map(({ body }) => body)).toEqual([{ webhook_id: id }]);
  expect(warnings).toEqual([]);
});

it("shows a webhook that was disabled in the dashboard, until the next update enables it", async () => {
  const { id, outs } = await create();
  api.dashboard.edit(id, { enabled: false });
  const { props, inputs } = await startProvider().read(id, outs);
  expect(inputs).toMatchObject({ ...declared, enabled: false });
  expect(await startProvider().diff(id, { ...props }, declared)).toEqual({ changes: true });
  const { outs: healed } = await startProvider().update(id, { ...props }, declared);
  expect(healed).not.toHaveProperty("changedOutsidePulumi");
  expect(await startProvider().read(id, healed)).toEqual({ id, props: healed });
  expect(await startProvider().diff(id, { ...healed }, declared)).toEqual({ changes: false });
});

it("marks the fields that changed, for as long as they differ from the record", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  api.dashboard.edit(id, { name: "Renamed", enabled: false });
  const { props } = await provider.read(id, outs);
  expect(props).toMatchObject({ __driftedFields: ["name", "enabled"] });
  // A refresh has saved what it found.
  const { props: saved } = await provider.read(id, { ...props });
  expect(saved).toEqual({ ...props, __driftedFields: undefined });
  expect(saved).not.toHaveProperty("__driftedFields");
});

it("keeps no mark of an earlier probe, and plans no update because of it", async () => {
  const { id, outs } = await create();
  const marked = { ...outs, __driftedFields: ["name"] };
  expect(await startProvider().diff(id, marked, declared)).toEqual({ changes: false });
  const { outs: updated } = await startProvider().update(id, marked, declared);
  expect(updated).not.toHaveProperty("__driftedFields");
  for (const drift of ["off", "probe", "enforce"]) {
    const provider = setup.startProvider({ "webhooks:drift": drift });
    expect(await provider.read(id, marked), drift).toEqual({ id, props: outs });
  }
  api.dashboard.delete(id);
  expect((await startProvider().read(id, marked)).props).toEqual({ ...outs, notFound: true });
});

it("fails if the 404 is a proxy's web page", async () => {
  const { id, outs } = await create();
  api.dashboard.delete(id);
  api.behaviour.errorShape = "html";
  expect((await failureOf(startProvider().read(id, outs))).message).toMatch(
    /^Reading webhook 1 \(Orders\) failed: 404/,
  );
});

it("fails if the probe fails", async () => {
  const { id, outs } = await create();
  api.inject({ fault: { kind: "status", status: 401 } });
  expect((await failureOf(startProvider().read(id, outs))).message).toContain("The API key was refused");
});

it("fails if the probed webhook was created at another time: the API has used the id again", async () => {
  const { id, outs } = await create();
  const createdAt = String(outs.createdAt);
  const later = new Date(Date.parse(createdAt) + 61_000).toISOString();
  const failure = await failureOf(startProvider().read(id, { ...outs, createdAt: later }));
  expect(failure.message).toBe(
    `Webhook 1 (Orders) is another webhook now: the API replied that it was created at ${createdAt}, but the state says ${later}. The API seems to have used its id again. Run pulumi state delete '<urn>' (pulumi stack --show-urns lists the URNs), then pulumi up, which creates the webhook again.`,
  );
  const rounded = new Date(Date.parse(createdAt) + 59_000).toISOString();
  expect(await startProvider().read(id, { ...outs, createdAt: rounded })).toMatchObject({ id });
});

it("never probes a webhook that is in doubt or was created at another URL", async () => {
  const { id, outs } = await create();
  const other = { ...outs, baseUrl: "https://old.example.com" };
  expect((await failureOf(startProvider().read(id, other))).message).toContain(
    "was created at https://old.example.com",
  );
  expect(await startProvider().read("in-doubt:2026", outs)).toEqual({ id: "in-doubt:2026", props: outs });
  expect(operations()).toEqual([]);
});

it("probes a webhook that is recorded at a previous URL at the current one, and keeps the recorded URL", async () => {
  const { id, outs } = await create();
  const moved = setup.startProvider({
    "webhooks:drift": "probe",
    "webhooks:previousBaseUrl": "https://old.example.com",
  });
  const recorded = { ...outs, baseUrl: "https://old.example.com" };
  expect(await moved.read(id, recorded)).toEqual({ id, props: recorded });
  expect(operations()).toEqual(["update"]);
});

it("returns to Webhook.get what the API returns", async () => {
  const { id } = await create();
  expect(await startProvider().read(id, { __provider })).toMatchObject({
    id,
    props: { name: "Orders", enabled: true, baseUrl: api.url, updatedAt: expect.stringMatching(/Z$/) },
  });
});

it("warns once, and not of each webhook, if no time shows whether a url changed", async () => {
  const one = await create();
  const two = await create();
  api.behaviour.emptyUpdate = "sets updated_at";
  const provider = startProvider();
  passTime(10);
  for (const { id, outs } of [one, two]) expect(await provider.read(id, outs)).toEqual({ id, props: outs });
  expect(warnings).toEqual([
    expect.stringMatching(/^The URLs of webhooks were not compared: .*webhooks:drift enforce\.$/),
  ]);
});

it.each([
  [
    "whose id was entered by hand",
    { unconfirmed: true, inDoubtId: "in-doubt:2026-01-01T12:00:00.000Z-abcd" },
  ],
  ["whose last update got no clear reply", { unconfirmed: true }],
])(
  "recommends no other setting because of a webhook %s: the next up sends its url anyway",
  async (_, marks) => {
    const { id, outs } = await create();
    const { createdAt, updatedAt, ...sent } = outs;
    const props = { ...sent, ...marks };
    await startProvider().read(id, props);
    expect(warnings).toEqual([]);
  },
);

it("warns if the API clears the fields that an update omits", async () => {
  const { id, outs } = await create();
  api.behaviour.omittedFields = "cleared";
  const { inputs } = await startProvider().read(id, outs);
  expect(inputs).toMatchObject({ name: "", enabled: false });
  expect(warnings).toEqual([
    expect.stringMatching(
      /cleared its name: .* run pulumi config set webhooks:drift enforce, then run pulumi up\.$/,
    ),
  ]);
});

it("shows an edit seconds after a create whose reply had no times", async () => {
  api.behaviour.timestampsInCreateReply = false;
  const { id, outs } = await create();
  passTime(10);
  api.dashboard.edit(id, { url: "https://elsewhere.example.com" });
  passTime(10);
  const { props = {}, inputs } = await startProvider().read(id, outs);
  expect(inputs).toMatchObject({ changedOutsidePulumi: api.webhooks[0]?.updatedAt });
  const { outs: healed = {} } = await startProvider().update(id, props, declared);
  passTime(10);
  expect(await startProvider().read(id, healed)).toEqual({ id, props: healed });
});

it("finds no drift after our own update if its reply has no times", async () => {
  api.behaviour.timestampsInCreateReply = false;
  const { id, outs } = await create();
  passTime(10);
  const webhook = { id: 1, name: "Orders", enabled: "true" };
  api.inject({ fault: { kind: "reply", raw: JSON.stringify({ data: { webhook } }) } });
  const { outs: updated = {} } = await startProvider().update(id, outs, declared);
  expect(updated).not.toHaveProperty("updatedAt");
  passTime(10);
  expect(await startProvider().read(id, updated)).not.toHaveProperty("inputs");
});

it.each(['{"id":1}', '{"id":1,"name":null,"enabled":null}'])(
  "warns if the API clears omitted fields to null and returns %s, and the next up sends all of them",
  async (record) => {
    const { id, outs } = await create();
    api.inject({ fault: { kind: "reply", raw: `{"data":{"webhook":${record}}}` } });
    const { props = {} } = await startProvider().read(id, outs);
    expect(props).toEqual({ ...outs, unconfirmed: true });
    expect(warnings).toEqual([expect.stringContaining("cleared its name")]);
    expect(await startProvider().diff(id, props, declared)).toEqual({ changes: true });
    const { outs: healed } = await startProvider().update(id, props, declared);
    expect(healed).not.toHaveProperty("unconfirmed");
  },
);

it.each([
  ["sets updated_at with an empty update", { emptyUpdate: "sets updated_at" }],
  ["returns no times from a create", { timestampsInCreateReply: false }],
  ["writes times in seconds", { timestampPrecision: "seconds" }],
  ["has a clock that is behind", { clockSkewSeconds: -300 }],
  ["has a clock that is ahead", { clockSkewSeconds: 300 }],
] as const)("raises no false alarm if the API %s", async (_what, behaviour) => {
  Object.assign(api.behaviour, behaviour);
  let { id, outs } = await create();
  for (let n = 0; n < 5; n++) {
    const { props, inputs } = await startProvider().read(id, outs);
    expect(inputs).toBeUndefined();
    outs = { ...props };
  }
  ({ outs = {} } = await startProvider().update(id, outs, { ...declared, name: "Other" }));
  expect((await startProvider().read(id, outs)).inputs).toBeUndefined();
});

it("finds no drift if the API trims and escapes the name", async () => {
  const name = " Orders & more ";
  const webhook = { id: 1, name: "Orders &amp; more", enabled: "true" };
  api.inject({
    operation: "update",
    times: Number.POSITIVE_INFINITY,
    fault: { kind: "reply", raw: JSON.stringify({ data: { webhook } }) },
  });
  const { id, outs } = await create();
  const { outs: updated = {} } = await startProvider().update(id, outs, { ...declared, name });
  expect(updated).toMatchObject({ name, apiName: "Orders &amp; more" });
  expect(await startProvider().read(id, updated)).toEqual({ id, props: updated });
  expect(await startProvider().diff(id, updated, { ...declared, name })).toEqual({ changes: false });

  api.clearFaults();
  api.dashboard.edit(id, { name: "Renamed" });
  const { props } = await startProvider().read(id, { ...updated, fromTheFuture: [1] });
  expect(props).toMatchObject({ name: "Renamed", fromTheFuture: [1] });
  expect(props).not.toHaveProperty("apiName");
});

it("takes no webhook that was always at the new URL for a proof that the API moved", async () => {
  const { id, outs } = await create();
  api.dashboard.delete(id);
  const other = await setup.create({ ...orders, name: "Refunds" });
  const provider = setup.startProvider({
    "webhooks:drift": "probe",
    "webhooks:previousBaseUrl": "https://old.example.com",
  });
  await provider.read(other.id, other.outs);
  const failure = await failureOf(provider.read(id, { ...outs, baseUrl: "https://old.example.com" }));
  expect(failure.message).toContain("no other webhook proves that the API moved");
});
