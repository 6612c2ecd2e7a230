import { expect, it } from "vitest";
import { endingError } from "../../src/lifecycle/messages/ending.js";
import { SECRET_NAME } from "../../src/stack/hidden-properties.js";
import {
  __provider,
  api,
  create,
  declare,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
} from "./setup.js";

useSimulator();

it("records the id, the inputs, the base URL and the times", async () => {
  const { id, outs } = await create();
  expect(id).toBe("1");
  expect(outs).toEqual({
    ...orders,
    secret: SECRET,
    baseUrl: api.url,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(api.webhooks).toMatchObject([{ ...orders, secret: SECRET }]);
});

it("records no undefined value if the reply has no times and no secret is declared", async () => {
  api.behaviour.timestampsInCreateReply = false;
  const { outs } = await create(orders);
  expect(outs).toStrictEqual({ ...orders, baseUrl: api.url, neverUpdated: true });
});

it("fails, and records the webhook under its id, if the reply contradicts enabled", async () => {
  const raw = JSON.stringify({ data: { webhook: { id: 7, enabled: "false" } } });
  api.inject({ fault: { kind: "reply", raw } });
  const failure = await failureOf(startProvider().create({ __provider, ...orders }));
  expect(failure).toMatchObject({
    id: "7",
    properties: { __provider, ...orders, unconfirmed: true },
    reasons: [failure.message],
  });
  expect(failure.message).toContain("it should be enabled, but the API replied that it is disabled");
});

it("sends nothing more once the engine is gone", async () => {
  const { id, outs } = await create(orders);
  const engine = new AbortController();
  const provider = startProvider({}, engine.signal);
  engine.abort(endingError());
  for (const operation of [
    provider.create({ __provider, ...orders }),
    provider.update(id, outs, { __provider, ...orders }),
    provider.delete(id, outs),
  ]) {
    const failure = await failureOf(operation);
    expect(failure.message).toContain("This run is ending: no request was sent for this webhook.");
    expect(failure.id).toBeUndefined();
  }
  expect(operations()).toEqual(["create"]);
});

it("records the name as the API's reply writes it only if it differs", async () => {
  const raw = JSON.stringify({ data: { webhook: { id: 7, name: "orders" } } });
  api.inject({ fault: { kind: "reply", raw } });
  expect((await create(orders)).outs).toEqual({
    ...orders,
    apiName: "orders",
    baseUrl: api.url,
    neverUpdated: true,
  });
  expect((await create(orders)).outs).not.toHaveProperty("apiName");
});

it("records no other form of a name that is a secret: it would be in plain text", async () => {
  const raw = JSON.stringify({ data: { webhook: { id: 7, name: "orders" } } });
  api.inject({ fault: { kind: "reply", raw } });
  expect((await create({ ...orders, [SECRET_NAME]: true })).outs).not.toHaveProperty("apiName");
});

it("shows no earlier secret that the API quotes about a replacement", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  const news = { ...orders, secret: "another-secret-4712" };
  await webhook.plan(id, outs, news);
  const body = JSON.stringify({ message: `the url is in use by a webhook with ${SECRET}` });
  api.inject({ operation: "create", fault: { kind: "status", status: 409, body } });
  expect((await failureOf(webhook.create(news))).message).not.toContain(SECRET);
});
