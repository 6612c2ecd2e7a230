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
  expect(failure.message).toContain("No request was sent");
  expect(operations()).toEqual([]);
});
