import { expect, it } from "vitest";
import {
  api,
  create,
  declare,
  failureOf,
  operations,
  orders,
  SECRET,
  startProvider,
  useSimulator,
  warnings,
} from "./setup.js";

useSimulator();

it("deletes a webhook, and counts one that is already gone as deleted", async () => {
  const { id, outs } = await create();
  await startProvider().delete(id, outs);
  expect(api.webhooks).toEqual([]);
  await startProvider().delete(id, outs);
  expect(operations()).toEqual(["create", "delete", "delete"]);
});

it("drops an outdated entry of a webhook that this run updated, and sends no request", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const webhook = declare(provider, { past: { recordedId: id, provider: {} } });
  const news = { ...orders, secret: SECRET, enabled: false };
  await webhook.plan(id, outs, news);
  await webhook.update(id, outs, news);
  await provider.delete(id, outs);
  expect(operations()).toEqual(["create", "update"]);
  expect(warnings).toEqual(["Webhook 1 (Orders) was not deleted; only an outdated entry left the state."]);
});

it("fails if the 404 is a proxy's web page", async () => {
  const { id, outs } = await create();
  api.behaviour.errorShape = "html";
  api.dashboard.delete(id);
  expect(await failureOf(startProvider().delete(id, outs))).toMatchObject({
    message: expect.stringContaining("404 Not Found from POST /webhooks/delete, with a web page"),
  });
});

it("refuses a webhook that was created at another URL, and sends no request", async () => {
  const { id, outs } = await create();
  api.clearCalls();
  const failure = await failureOf(
    startProvider().delete(id, { ...outs, baseUrl: "https://old.example.com" }),
  );
  expect(failure.message).toMatch(/^Webhook 1 \(Orders\) was created at https:\/\/old\.example\.com/);
  expect(operations()).toEqual([]);
});

it.each([
  ["created", {}],
  ["imported", { import: "1" }],
])(
  "refuses it also if this run has %s a webhook with the same id at the current URL",
  async (how, option) => {
    const { outs } = await create();
    const provider = startProvider();
    if (how === "created") {
      api.dashboard.delete("1");
      api.inject({ operation: "create", fault: { kind: "reply", raw: '{"data":{"webhook":{"id":1}}}' } });
    }
    await declare(provider).declareNew({ ...orders, ...option });
    const failure = await failureOf(provider.delete("1", { ...outs, baseUrl: "https://old.example.com" }));
    expect(failure.message).toContain("Webhook 1 (Orders) was created at https://old.example.com");
  },
);

it("deletes a webhook that is recorded at a previous URL at the current one", async () => {
  const { id, outs } = await create();
  const moved = startProvider({ "webhooks:previousBaseUrl": "https://old.example.com" });
  await moved.delete(id, { ...outs, baseUrl: "https://old.example.com" });
  expect(api.webhooks).toEqual([]);
});

it("fails if the API at a new URL knows neither the webhook nor another one: it may not have moved there", async () => {
  const { id, outs } = await create();
  api.dashboard.delete(id);
  const settings = { "webhooks:previousBaseUrl": "https://old.example.com" };
  const recorded = { ...outs, baseUrl: "https://old.example.com" };
  const failure = await failureOf(startProvider(settings).delete(id, recorded));
  expect(failure.message).toBe(
    `Deleting webhook 1 (Orders) failed: the API at ${api.url} replied that it does not exist, but it is recorded at https://old.example.com, and no other webhook proves that the API moved. Check webhooks:baseUrl, or run pulumi up first. If the webhook is really gone, run pulumi state delete '<urn>' (pulumi stack --show-urns lists the URNs).`,
  );

  const other = await create({ ...orders, name: "Refunds" });
  const unmoved = startProvider(settings);
  await unmoved.update(other.id, other.outs, { ...orders, name: "Refunds" });
  // That one was always at the new URL.
  await failureOf(unmoved.delete(id, recorded));
  const updated = startProvider(settings);
  const moved = { ...other.outs, baseUrl: "https://old.example.com" };
  await updated.update(other.id, moved, { ...orders, name: "Refunds" });
  await updated.delete(id, recorded);

  // A destroy sends no update, and its deletes run side by side.
  const destroyed = startProvider(settings);
  api.inject({ operation: "delete", skip: 1, fault: { kind: "latency", milliseconds: 50 } });
  const movedToo = { ...other.outs, baseUrl: "https://old.example.com" };
  await Promise.all([destroyed.delete(id, recorded), destroyed.delete(other.id, movedToo)]);
  expect(api.webhooks).toEqual([]);
});

it("counts a 404 after an attempt that may have deleted the webhook as deleted", async () => {
  const { id, outs } = await create();
  api.inject({ operation: "delete", fault: { kind: "reset", when: "after commit" } });
  await startProvider().delete(id, outs);
  expect(operations()).toEqual(["create", "delete", "delete"]);
});

it("does not believe a gateway at a new URL that replies 502 and then 404", async () => {
  const webhooks = [await create(), await create({ ...orders, name: "Refunds" })];
  for (const status of [502, 404]) {
    api.inject({ operation: "delete", times: 2, fault: { kind: "status", status, body: "{}" } });
  }
  const moved = startProvider({ "webhooks:previousBaseUrl": "https://old.example.com" });
  const deletes = webhooks.map(({ id, outs }) => {
    return failureOf(moved.delete(id, { ...outs, baseUrl: "https://old.example.com" }));
  });
  for (const { message } of await Promise.all(deletes)) {
    expect(message).toContain("no other webhook proves that the API moved");
  }
});

it("throws an error that the SDK prints as a short line, which refers to the engine's", async () => {
  const failure = await failureOf(
    startProvider().delete("1", { ...orders, baseUrl: "https://old.example.com" }),
  );
  const summary = `Webhook 1 (Orders) was created at https://old.example.com, but webhooks:baseUrl is ${api.url}`;
  expect(failure.message).toContain(`${summary}: no request was sent.`);
  expect(`${failure}: ${failure.stack}`).toBe(`${summary}: see the error of this resource.`);
});

it("does not delete a webhook before its replacement, if an interrupted create may have been that", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const past = { recordedId: id, provider: {}, interrupted: { at: "2026-01-01T12:00:00Z" } };
  const webhook = declare(provider, { past });
  expect(await webhook.plan(id, outs, { ...orders, secret: "another" })).toMatchObject({
    replaces: ["secret"],
  });
  await failureOf(provider.delete(id, outs));
  expect(operations()).toEqual(["create"]);
});

it("keeps a webhook that a later resource has, too, when another entry of it is deleted before its replacement", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const past = { recordedId: id, provider: {}, isShared: true as const };
  const one = declare(provider, { key: "one", past });
  await one.plan(id, outs, { ...orders, secret: "another" });
  await provider.delete(id, outs).catch(() => {});
  expect(operations()).toEqual(["create"]);
});

it("refuses a replacement by a dependency that is deleted first, while creates of the stack are interrupted", async () => {
  const { id, outs } = await create();
  const provider = startProvider();
  const dependency = declare(provider, { key: "dependency", past: { hasInterruptedStack: true } });
  await dependency.check({}, orders);
  // The engine compares dependents before it checks them.
  const dependent = declare(provider, { key: "dependent" });
  const secret = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const failure = await failureOf(dependent.diff(id, outs, { ...orders, secret }));
  expect(failure.message).toContain("First run npx pulumi-webhooks resolve, then pulumi up again.");
});
