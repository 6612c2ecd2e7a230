import { expect, it } from "vitest";
import {
  __provider,
  api,
  create,
  failureOf,
  IMPATIENT,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
} from "./setup.js";

useSimulator();

/** A secret, as the SDK marks it for the engine. */
const asSecret = (value: string) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

it("sends every field, and records what it sent with the new time", async () => {
  const { id, outs } = await create();
  api.clearCalls();
  const news = { __provider, ...orders, secret: SECRET, enabled: false };
  const result = await startProvider().update(id, outs, news);
  expect(api.calls.map(({ body }) => body)).toEqual([
    { webhook_id: "1", url: orders.url, name: "Orders", enabled: "false" },
  ]);
  expect(result.outs).toEqual({ ...outs, enabled: false, updatedAt: expect.stringMatching(/Z$/) });
  expect(result.outs?.updatedAt).not.toBe(outs.updatedAt);
});

it("keeps createdAt if the reply leaves it out, and records the new URL after a move", async () => {
  const { id, outs } = await create();
  api.inject({ fault: { kind: "reply", raw: JSON.stringify({ data: { webhook: { id: 1 } } }) } });
  const moved = startProvider({ "webhooks:previousBaseUrl": "https://old.example.com" });
  const olds = { ...outs, baseUrl: "https://old.example.com" };
  const result = await moved.update(id, olds, { ...orders, secret: SECRET });
  expect(result.outs).toMatchObject({ createdAt: outs.createdAt, baseUrl: api.url });
});

it("fails if the reply contradicts enabled", async () => {
  const { id, outs } = await create();
  const raw = JSON.stringify({ data: { webhook: { id: 1, enabled: false } } });
  api.inject({ fault: { kind: "reply", raw } });
  const failure = await failureOf(startProvider().update(id, outs, { ...orders }));
  expect(failure.message).toContain("it should be enabled");
  expect(failure.properties).toEqual({ ...outs, unconfirmed: true });
});

/** Updates the name of a recorded webhook, and gets the reply that the webhook has this one. */
async function rename({ from, to, reply }: { from: object; to: string; reply: string }) {
  const { id, outs } = await create();
  const raw = JSON.stringify({ data: { webhook: { id: 1, name: reply } } });
  api.inject({ operation: "update", fault: { kind: "reply", raw } });
  return startProvider().update(id, { ...outs, ...from }, { ...orders, name: to });
}

it("fails if the reply still has the recorded name", async () => {
  const failure = await failureOf(rename({ from: {}, to: "Refunds", reply: "Orders" }));
  expect(failure).toMatchObject({ id: "1", properties: { name: "Orders", unconfirmed: true } });
  expect(failure.message).toBe(
    "Updating webhook 1 (Refunds) failed: its name should be Refunds, but the API replied that it is Orders. Check it in the dashboard, then run pulumi up again.",
  );
});

it("fails if the reply still has the recorded name as the API writes it", async () => {
  const failure = await failureOf(rename({ from: { apiName: "ORDERS" }, to: "Refunds", reply: "ORDERS" }));
  expect(failure.message).toContain("its name should be Refunds, but the API replied that it is ORDERS");
});

it.each([
  ["writes the new name in its own way", {}, "A & B", "a &amp; b"],
  ["cuts names off, and the new name begins as the old one", { apiName: "Ord" }, "Ordinary", "Ord"],
  ["cuts off a name that is unchanged", { apiName: "Ord" }, "Orders", "Ord"],
  ["changes case only", {}, "orders", "Orders"],
  ["replies with a name that is neither", {}, "Refunds", "Something else"],
])("accepts the reply of an API that %s", async (_, from, to, reply) => {
  expect(await rename({ from, to, reply })).toMatchObject({ outs: { name: to, apiName: reply } });
});

it("shows no secret name in the error for a reply that still has the recorded one", async () => {
  const from = { name: "name-canary", __secretName: true };
  const failure = await failureOf(rename({ from, to: "Refunds", reply: "name-canary" }));
  expect(failure.message).toContain("its name should be Refunds, but the API replied that it is [secret]");
});

it.each(["webhook 'customer-acme-merger' is locked", "webhook 1 cannot become customer-acme-2"])(
  "shows neither the recorded name nor the new one in an error if they are secrets: %s",
  async (message) => {
    const { id, outs } = await create();
    api.inject({
      operation: "update",
      fault: { kind: "status", status: 409, body: JSON.stringify({ message }) },
    });
    const olds = { ...outs, name: "customer-acme-merger", __secretName: true };
    const news = { ...orders, name: "customer-acme-2", __secretName: true };
    const failure = await failureOf(startProvider().update(id, olds, news));
    expect(failure.message).toContain("The API's message: (not shown: it may contain a secret");
  },
);

it.each([
  "https://eo4f7k2x.example.net/?key=abc123 is not reachable",
  "host eo4f7k2x.example.net is not reachable",
  "key abc123 is unknown",
])("shows no part of a secret URL in an error, not even its host: %s", async (message) => {
  const { id, outs } = await create();
  const url = "https://eo4f7k2x.example.net/?key=abc123";
  const body = JSON.stringify({ message });
  api.inject({ operation: "update", fault: { kind: "status", status: 422, body } });
  const news = { ...orders, secret: SECRET, url, __secretUrl: true };
  const failure = await failureOf(startProvider().update(id, outs, news));
  expect(failure.message).toContain("The API's message: (not shown: it may contain a secret");
});

it("marks the record as unconfirmed if no reply comes, and sends all fields again after a revert", async () => {
  const { id, outs } = await create();
  const olds = { __provider, ...outs };
  api.inject({ operation: "update", fault: { kind: "hang", commit: true } });
  const changed = { __provider, ...orders, secret: SECRET, enabled: false };
  const failure = await failureOf(startProvider(IMPATIENT).update(id, olds, changed));
  expect(failure).toMatchObject({ id, reasons: [failure.message] });
  expect(failure.properties).toEqual({ ...olds, unconfirmed: true });
  expect(api.webhooks).toMatchObject([{ enabled: false }]);

  // A refresh clears the engine's own note of the failure.
  const { props = {} } = await startProvider().read(id, failure.properties);
  const reverted = { __provider, ...orders, secret: SECRET };
  expect(await startProvider().diff(id, props, reverted)).toEqual({ changes: true });
  const { outs: healed = {} } = await startProvider().update(id, props, reverted);
  expect(healed).not.toHaveProperty("unconfirmed");
  expect(api.webhooks).toMatchObject([{ enabled: true }]);
  expect(await startProvider().diff(id, healed, reverted)).toEqual({ changes: false });
});

it("keeps a recorded url and name secret in the record of a failed update, if they are plain now", async () => {
  const { id, outs } = await create({ ...orders, secret: SECRET, __secretUrl: true, __secretName: true });
  api.inject({ operation: "update", fault: { kind: "hang", commit: false } });
  const news = { ...orders, url: "https://example.com/plain", name: "Plain", secret: SECRET };
  const { properties } = await failureOf(startProvider(IMPATIENT).update(id, outs, news));
  expect(properties).toEqual({
    ...outs,
    url: asSecret(orders.url),
    name: asSecret(orders.name),
    unconfirmed: true,
  });
});

it("marks the record as unconfirmed if the run ends before it could ask again", async () => {
  const { id, outs } = await create();
  const controller = new AbortController();
  const provider = startProvider({}, controller.signal);
  api.inject({ operation: "update", fault: { kind: "status", status: 500, commit: true } });
  api.onCall = ({ operation }) => operation === "update" && controller.abort(new Error("ending"));
  const failure = await failureOf(provider.update(id, outs, { ...orders, enabled: false }));
  expect(failure.message).toContain("500 Internal Server Error from POST /webhooks/update");
  expect(failure).toMatchObject({ id, properties: { enabled: true, unconfirmed: true } });
  expect(operations()).toEqual(["create", "update"]);
});

it("fails if the webhook of the reply was created at another time: the API has used the id again", async () => {
  const { id, outs } = await create();
  const createdAt = String(outs.createdAt);
  const older = new Date(Date.parse(createdAt) - 61_000).toISOString();
  const failure = await failureOf(startProvider().update(id, { ...outs, createdAt: older }, orders));
  expect(failure.message).toBe(
    `Webhook 1 (Orders) is another webhook now: the API replied that it was created at ${createdAt}, but the state says ${older}. Its url, name and enabled were overwritten: restore them in the dashboard. Run pulumi state delete '<urn>' (pulumi stack --show-urns lists the URNs), then pulumi up, which creates the webhook again.`,
  );
  expect(failure).toMatchObject({ id, properties: { createdAt: older, unconfirmed: true } });
});

it("accepts a reply whose createdAt differs by less than a minute, as the clocks of several servers may", async () => {
  const { id, outs } = await create();
  const rounded = new Date(Date.parse(String(outs.createdAt)) + 59_000).toISOString();
  await startProvider().update(id, { ...outs, createdAt: rounded }, orders);
  const { createdAt: _, ...withoutTime } = outs;
  await startProvider().update(id, withoutTime, orders);
  expect(operations()).toEqual(["create", "update", "update"]);
});

it("keeps the record as it is if the API refuses the update", async () => {
  const { id, outs } = await create();
  api.inject({ operation: "update", fault: { kind: "status", status: 422 } });
  const failure = await failureOf(startProvider().update(id, outs, { ...orders, enabled: false }));
  expect(failure.id).toBeUndefined();
});

it("refuses a webhook that was created at another URL, and sends no request", async () => {
  const { id, outs } = await create();
  api.clearCalls();
  const olds = { ...outs, baseUrl: "https://old.example.com" };
  const failure = await failureOf(startProvider().update(id, olds, orders));
  expect(failure.message).toContain("no request was sent");
  expect(operations()).toEqual([]);
});
