import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compare } from "../../src/dynamic/drift.js";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import type { WebhookError } from "../../src/errors.js";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

const KEY = "key-canary-4711";
const orders = {
  url: "https://example.com/hooks/orders",
  name: "Orders",
  enabled: true,
  secret: "whsec-canary-0815",
};

describe("a probe's answer", () => {
  const recorded = {
    ...orders,
    baseUrl: "https://api.example.com",
    updatedAt: "2026-01-01T12:00:00.123456Z",
  };
  const noon = Date.parse("2026-01-01T12:00:00Z") / 1000;
  const probed = (
    updatedAt: string | undefined,
    repliedAt: number | undefined = noon + 600,
    tookSeconds = 0.1,
  ) => ({
    name: "Orders",
    enabled: true,
    updatedAt,
    repliedAt,
    tookSeconds,
  });

  it("with the recorded time means that nothing changed", () => {
    expect(compare(recorded, probed("2026-01-01T12:00:00.123456Z"))).toEqual({
      state: recorded,
      hasDrift: false,
    });
  });

  it.each([
    "2026-01-01T12:00:00Z",
    "2026-01-01T12:00:00.123Z",
    "2026-01-01T13:00:00.123456+01:00",
    "2026-01-01 12:00:00.1234567Z",
    "2026-01-01T10:00:00.123456-0200",
    // Kept in whole seconds, cut off or rounded up, and written with as many digits as before.
    "2026-01-01T12:00:00.000000Z",
    "2026-01-01T12:00:01.000000Z",
  ])("with the recorded time written as %s means the same", (updatedAt) => {
    expect(compare(recorded, probed(updatedAt)).hasDrift).toBe(false);
  });

  it("with a time that was told cut off, and is kept rounded up, means the same", () => {
    const cut = { ...recorded, updatedAt: "2026-01-01T12:00:00Z" };
    expect(compare(cut, probed("2026-01-01T12:00:01Z"))).toEqual({ state: cut, hasDrift: false });
    expect(compare(cut, probed("2026-01-01T12:00:02Z")).hasDrift).toBe(true);
  });

  it("with a later time that is older than the probe means that someone changed the webhook", () => {
    expect(compare(recorded, probed("2026-01-01T12:05:00.000000Z"))).toEqual({
      state: {
        ...recorded,
        updatedAt: "2026-01-01T12:05:00.000000Z",
        changedOutsidePulumi: "2026-01-01T12:05:00.000000Z",
      },
      hasDrift: true,
    });
  });

  it.each([
    ["the time of the probe itself", "2026-01-01T12:10:00.050000Z", noon + 600, 0.1],
    ["a time within a slow probe", "2026-01-01T12:09:45.000000Z", noon + 600, 20],
    ["a time too close to the probe to tell", "2026-01-01T12:09:58.900000Z", noon + 600, 0.1],
    ["a time that the server's clock has not reached", "2026-01-01T12:11:00.000000Z", noon + 600, 0.1],
    ["a later time and no Date", "2026-01-01T12:05:00.000000Z", undefined, 0.1],
    ["a time that does not say its zone", "2026-01-01T11:05:00.000000", noon + 600, 0.1],
    ["something that is no time", "just now", noon + 600, 0.1],
  ])("with %s is no evidence, and is not recorded", (_what, updatedAt, repliedAt, tookSeconds) => {
    const answer = { ...probed(updatedAt), repliedAt, tookSeconds };
    expect(compare(recorded, answer)).toEqual({ state: recorded, hasDrift: false });
  });

  it("is what later ones compare with where no time was recorded yet", () => {
    const { updatedAt: _, ...old } = recorded;
    expect(compare(old, probed("2026-01-01T12:05:00.000000Z"))).toEqual({
      state: { ...old, updatedAt: "2026-01-01T12:05:00.000000Z" },
      hasDrift: false,
    });
    expect(compare(old, probed(undefined))).toEqual({ state: old, hasDrift: false });
  });

  it("shows another name or enabled, and tells nothing where it holds neither", () => {
    const answer = { ...probed(recorded.updatedAt), name: "Renamed", enabled: false };
    expect(compare(recorded, answer)).toEqual({
      state: { ...recorded, name: "Renamed", enabled: false },
      hasDrift: true,
    });
    expect(compare(recorded, { repliedAt: noon, tookSeconds: 0 })).toEqual({
      state: recorded,
      hasDrift: false,
    });
  });

  it("keeps the mark of an earlier change until an update has sent everything anew", () => {
    const marked = { ...recorded, changedOutsidePulumi: "2026-01-01T11:00:00Z" };
    expect(compare(marked, probed(recorded.updatedAt))).toEqual({ state: marked, hasDrift: true });
  });
});

describe("a refresh with webhooks:drift probe", () => {
  let api: Simulator;
  let warnings: string[];

  beforeEach(async () => {
    api = await startSimulator({ apiKey: KEY, behaviour: { emptyUpdate: "leaves updated_at" } });
    warnings = [];
  });
  afterEach(() => api.close());

  function provider(settings: Record<string, string> = {}): WebhookProvider {
    const config: Record<string, string> = {
      "webhooks:apiKey": KEY,
      "webhooks:baseUrl": api.url,
      "webhooks:drift": "probe",
      ...settings,
    };
    const created = new WebhookProvider({ warn: (line) => warnings.push(line), progress: () => {} });
    created.configure({ config: { get: (key) => config[key], require: (key) => config[key] ?? "" } });
    return created;
  }

  async function created() {
    const { id, outs = {} } = await provider().create(orders);
    api.clearCalls();
    return { id, outs };
  }

  const failureOf = (promise: Promise<unknown>): Promise<WebhookError> =>
    promise.then(
      () => expect.fail("it succeeded"),
      (error) => error,
    );

  it("sends nothing but the id, and finds a webhook as it was", async () => {
    const { id, outs } = await created();
    expect(await provider().read(id, outs)).toEqual({ id, props: outs });
    expect(api.calls.map(({ body }) => body)).toEqual([{ webhook_id: id }]);
    expect(warnings).toEqual([]);
  });

  it("shows a webhook that someone disabled, and the next update is quiet again", async () => {
    const { id, outs } = await created();
    api.dashboard.edit(id, { enabled: false });
    const { props, inputs } = await provider().read(id, outs);
    expect(inputs).toMatchObject({ ...orders, enabled: false });
    expect(await provider().diff(id, { ...props }, orders)).toEqual({ changes: true });
    const { outs: healed } = await provider().update(id, { ...props }, orders);
    expect(healed).not.toHaveProperty("changedOutsidePulumi");
    expect(await provider().read(id, healed)).toEqual({ id, props: healed });
    expect(await provider().diff(id, { ...healed }, orders)).toEqual({ changes: false });
  });

  it("removes a webhook that is gone, and not one that a proxy says is gone", async () => {
    const { id, outs } = await created();
    api.dashboard.delete(id);
    expect(await provider().read(id, outs)).toEqual({});
    api.behaviour.errorShape = "html";
    expect((await failureOf(provider().read(id, outs))).message).toMatch(
      /^Reading webhook 1 \(Orders\) failed: 404/,
    );
  });

  it("fails where the probe fails, and never probes a webhook in doubt or another account's", async () => {
    const { id, outs } = await created();
    api.inject({ fault: { kind: "status", status: 401 } });
    expect((await failureOf(provider().read(id, outs))).message).toContain("The API key was refused");
    api.clearCalls();
    const other = { ...outs, baseUrl: "https://old.example.com" };
    expect((await failureOf(provider().read(id, other))).message).toContain(
      "it lives at https://old.example.com",
    );
    expect(await provider().read("in-doubt:2026", outs)).toEqual({ id: "in-doubt:2026", props: outs });
    expect(api.calls).toEqual([]);
  });

  it("gives Webhook.get what the API tells", async () => {
    const { id } = await created();
    expect(await provider().read(id, { __provider: "text" })).toMatchObject({
      id,
      props: { name: "Orders", enabled: true, baseUrl: api.url, updatedAt: expect.stringMatching(/Z$/) },
    });
  });

  it("warns where the API turns out to clear omitted fields", async () => {
    const { id, outs } = await created();
    api.behaviour.omittedFields = "cleared";
    const { inputs } = await provider().read(id, outs);
    expect(inputs).toMatchObject({ name: "", enabled: false });
    expect(warnings).toEqual([expect.stringContaining("cleared its name")]);
  });

  it.each([
    ["sets updated_at with an empty update", { emptyUpdate: "sets updated_at" }],
    ["tells no times in the reply to a create", { timestampsInCreateReply: false }],
    ["writes times in seconds", { timestampPrecision: "seconds" }],
    ["has a clock that is behind", { clockSkewSeconds: -300 }],
    ["has a clock that is ahead", { clockSkewSeconds: 300 }],
  ] as const)("gives no false alarm at an API that %s", async (_what, behaviour) => {
    Object.assign(api.behaviour, behaviour);
    let { id, outs } = await created();
    for (let n = 0; n < 5; n++) {
      const { props, inputs } = await provider().read(id, outs);
      expect(inputs).toBeUndefined();
      outs = { ...props };
    }
    ({ outs = {} } = await provider().update(id, outs, { ...orders, name: "Other" }));
    expect((await provider().read(id, outs)).inputs).toBeUndefined();
  });
});
