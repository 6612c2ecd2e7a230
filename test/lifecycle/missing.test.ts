import { beforeEach, expect, it } from "vitest";
import type { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import * as setup from "./setup.js";
import { api, failureOf, operations, orders, useSimulator, warnings } from "./setup.js";

useSimulator();
beforeEach(() => {
  api.behaviour.emptyUpdate = "leaves updated_at";
});

const startProvider = () => setup.startProvider({ "webhooks:drift": "probe" });

/** A record as Pulumi passes it to read. */
interface Recorded {
  id: string;
  outs: Record<string, unknown>;
}

async function create(...names: string[]): Promise<Recorded[]> {
  const created: Recorded[] = [];
  for (const name of names) created.push(await setup.create({ ...orders, name }));
  api.clearCalls();
  return created;
}

const readAll = (provider: WebhookProvider, webhooks: readonly Recorded[]) =>
  Promise.allSettled(webhooks.map(({ id, outs }) => provider.read(id, outs)));

/** A gateway that has lost its route to the API. */
const loseRoute = () =>
  api.inject({
    times: Number.POSITIVE_INFINITY,
    fault: { kind: "status", status: 404, body: '{"message":"no Route matched with those values"}' },
  });

it("removes a missing webhook when a probe finds another one, and warns", async () => {
  const webhooks = await create("gone", "there");
  api.dashboard.delete("1");
  // The other reply comes later.
  api.inject({
    match: ({ body }) => Object(body).webhook_id === "2",
    fault: { kind: "latency", milliseconds: 50 },
  });
  expect(await readAll(startProvider(), webhooks)).toEqual([
    { status: "fulfilled", value: {} },
    { status: "fulfilled", value: { id: "2", props: webhooks[1]?.outs } },
  ]);
  expect(warnings).toEqual([
    "Webhook 1 (gone) is gone: the API replied that it does not exist. A refresh removes it from the state, and a pulumi up creates it again.",
  ]);
});

it("removes a missing webhook when an earlier probe of this process found another one", async () => {
  const [gone, there] = await create("gone", "there");
  const provider = startProvider();
  if (gone === undefined || there === undefined) return expect.unreachable();
  api.dashboard.delete(gone.id);
  await provider.read(there.id, there.outs);
  expect(await provider.read(gone.id, gone.outs)).toEqual({});
});

it("fails for each webhook if all of them are missing, and keeps every record", async () => {
  const webhooks = await create("A", "B", "C");
  loseRoute();
  const ends = await readAll(startProvider(), webhooks);
  const list = "webhook 1 (A), webhook 2 (B), webhook 3 (C)";
  expect(ends.map((end) => end.status === "rejected" && String(end.reason.message))).toEqual(
    ["1 (A)", "2 (B)", "3 (C)"].map(
      (label) =>
        `Reading webhook ${label} failed: the API replied that none of the probed webhooks exists: ${list}. Nothing was removed from the state. Check webhooks:baseUrl and the API key. If the webhooks are really gone, run pulumi up --replace '<urn>' for each of them (pulumi stack --show-urns lists the URNs).`,
    ),
  );
  expect(warnings).toEqual([]);
});

it("marks a missing webhook that no other one proves, and the next up replaces it", async () => {
  const [{ id, outs } = expect.fail()] = await create("A");
  api.dashboard.delete(id);
  const provider = startProvider();
  const { props = {}, inputs } = await provider.read(id, outs);
  expect(props).toEqual({ ...outs, notFound: true });
  expect(inputs).toEqual({ ...orders, name: "A", notFound: true });
  expect(warnings).toEqual([
    "Webhook 1 (A) seems to be gone: the API replied that it does not exist. Check webhooks:baseUrl and the API key. A pulumi up creates the webhook again, then deletes webhook 1 in case it still exists.",
  ]);
  const news = { ...orders, name: "A" };
  expect(await startProvider().diff(id, props, news)).toEqual({ changes: true, replaces: ["notFound"] });
  expect((await startProvider().check(props, { ...news, notFound: true })).inputs).toEqual(news);
  // The import would fail for the same reason, with a better message.
  expect(await startProvider().diff(id, props, { ...news, import: id })).toEqual({ changes: true });
});

it("fails for the second missing webhook if they are read one after another", async () => {
  const [first = expect.fail(), second = expect.fail()] = await create("A", "B");
  loseRoute();
  const provider = startProvider();
  expect(await provider.read(first.id, first.outs)).toMatchObject({ props: { notFound: true } });
  expect((await failureOf(provider.read(second.id, second.outs))).message).toContain(
    "none of the probed webhooks exists: webhook 1 (A), webhook 2 (B)",
  );
});

it("removes the mark when the webhook is found again", async () => {
  const [{ id, outs } = expect.fail()] = await create("A");
  const props = { ...outs, notFound: true };
  expect(await startProvider().read(id, props)).toEqual({
    id,
    props: outs,
    inputs: { ...orders, name: "A" },
  });
});

it("does not wait for a probe that fails", async () => {
  const webhooks = await create("gone", "refused");
  api.dashboard.delete("1");
  api.inject({
    match: ({ body }) => Object(body).webhook_id === "2",
    fault: { kind: "status", status: 403 },
  });
  expect(await readAll(startProvider(), webhooks)).toMatchObject([
    { value: { props: { notFound: true } } },
    { status: "rejected" },
  ]);
  expect(operations()).toEqual(["update", "update"]);
});

it("fails if Webhook.get names a webhook in doubt, which is no webhook of the API", async () => {
  const failure = await failureOf(startProvider().read("in-doubt:2026-01-01T00:00:00.000Z-0000", {}));
  expect(failure.message).toContain("the API has no webhook with this id");
});

it("fails if Webhook.get names a webhook that does not exist", async () => {
  const failure = await failureOf(startProvider().read("4711", {}));
  expect(failure.message).toBe(
    "Reading webhook 4711 failed: the API has no webhook with this id. Correct the id that Webhook.get is called with.",
  );
});
