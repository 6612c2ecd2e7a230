import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UNKNOWN } from "../../src/dynamic/inputs.js";
import { WebhookProvider } from "../../src/dynamic/webhook-provider.js";
import type { WebhookError } from "../../src/errors.js";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";

const KEY = "key-canary-4711";
const SECRET = "whsec-canary-0815";
const __provider = "the stored text";
const orders = { url: "https://example.com/hooks/orders", name: "Orders", enabled: true };

let api: Simulator;
let warnings: string[];

beforeEach(async () => {
  api = await startSimulator({ apiKey: KEY });
  warnings = [];
});

afterEach(() => api.close());

/** A provider process, configured as the engine configures it. */
function providerWith(settings: Record<string, string> = {}): WebhookProvider {
  const provider = new WebhookProvider({ warn: (line) => warnings.push(line), progress: () => {} });
  const config: Record<string, string> = { "webhooks:apiKey": KEY, "webhooks:baseUrl": api.url, ...settings };
  const get = (key: string) => config[key];
  provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  return provider;
}

/** An error as the SDK reads it: with an id, the engine records the resource all the same. */
type Failure = WebhookError & { id?: string; properties?: Record<string, unknown>; reasons?: string[] };

const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

const calls = () => api.calls.map(({ operation }) => operation);

async function created(inputs: object = { ...orders, secret: SECRET }) {
  const { id, outs = {} } = await providerWith().create({ __provider, ...inputs });
  return { id, outs };
}

async function inDoubt(
  fault: "after commit" | "before commit" = "after commit",
): Promise<Required<Pick<Failure, "id" | "properties">> & Failure> {
  api.inject({ operation: "create", fault: { kind: "reset", when: fault } });
  const failure = await failureOf(providerWith().create({ __provider, ...orders, secret: SECRET }));
  const { id = "", properties = {} } = failure;
  return Object.assign(failure, { id, properties });
}

describe("create", () => {
  it("records the id, what was declared, where the webhook lives and when it was made", async () => {
    const { id, outs } = await created();
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

  it("records nothing undefined where the API tells no times and no secret is declared", async () => {
    api.behaviour.timestampsInCreateReply = false;
    const { outs } = await created(orders);
    expect(outs).toStrictEqual({ ...orders, baseUrl: api.url });
  });

  it("fails and is recorded under its id where the API answers that enabled is not what was sent", async () => {
    const raw = JSON.stringify({ data: { webhook: { id: 7, enabled: "false" } } });
    api.inject({ fault: { kind: "reply", raw } });
    const failure = await failureOf(providerWith().create({ __provider, ...orders }));
    expect(failure).toMatchObject({
      id: "7",
      properties: { __provider, ...orders, unconfirmed: true },
      reasons: [failure.message],
    });
    expect(failure.message).toContain("it should be enabled, and the API answered that it is disabled");
  });
});

describe("diff", () => {
  const olds = { __provider, ...orders, secret: SECRET, baseUrl: "" };
  const diff = (news: object, id = "1", recorded: object = {}) =>
    providerWith().diff(
      id,
      { ...olds, baseUrl: api.url, ...recorded },
      { __provider, ...orders, secret: SECRET, ...news },
    );

  it("finds nothing to do where nothing changed, sends nothing and says nothing", async () => {
    expect(await diff({})).toEqual({ changes: false });
    expect(calls()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it.each([
    { url: "https://example.com/b" },
    { name: "B" },
    { enabled: false },
    { url: UNKNOWN },
    { enabled: UNKNOWN },
  ])("updates in place for %j", async (news) => {
    expect(await diff(news)).toEqual({ changes: true });
  });

  it.each([{ secret: "another" }, { secret: undefined }, { secret: UNKNOWN }])(
    "replaces for %j",
    async (news) => {
      expect(await diff(news)).toEqual({ changes: true, replaces: ["secret"] });
    },
  );

  it("replaces where a secret is declared that the webhook never had", async () => {
    expect(await diff({}, "1", { secret: undefined })).toEqual({ changes: true, replaces: ["secret"] });
  });

  it("passes over what a newer version recorded", async () => {
    expect(await diff({}, "1", { fromTheFuture: [1] })).toEqual({ changes: false });
  });

  it("finds nothing to do where import is added with the webhook's own id, removed again, or not known yet", async () => {
    expect(await diff({ import: "1" })).toEqual({ changes: false });
    expect(await diff({ import: UNKNOWN })).toEqual({ changes: false });
  });

  it("refuses to import another webhook over a healthy one, and to replace one that would be adopted again", async () => {
    expect(await failureOf(diff({ import: "2" }))).toMatchObject({
      message: expect.stringContaining("under a name of its own"),
    });
    expect(await failureOf(diff({ import: "1", secret: "another" }))).toMatchObject({
      message: expect.stringContaining("Remove import"),
    });
  });

  it("refuses, naming both, where the settings point to another API than the webhook's", async () => {
    const failure = await failureOf(diff({}, "1", { baseUrl: "https://old.example.com" }));
    expect(failure.message).toContain(
      `it lives at https://old.example.com, and webhooks:baseUrl is ${api.url}`,
    );
    const moved = providerWith({ "webhooks:previousBaseUrl": "https://old.example.com/" });
    expect(
      await moved.diff("1", { ...olds, baseUrl: "https://old.example.com" }, { ...orders, secret: SECRET }),
    ).toEqual({
      changes: false,
    });
  });
});

describe("update", () => {
  it("sends every field and records what was sent, with the new time", async () => {
    const { id, outs } = await created();
    api.clearCalls();
    const result = await providerWith().update(id, outs, {
      __provider,
      ...orders,
      secret: SECRET,
      enabled: false,
    });
    expect(api.calls.map(({ body }) => body)).toEqual([
      { webhook_id: "1", url: orders.url, name: "Orders", enabled: "false" },
    ]);
    expect(result.outs).toEqual({
      ...outs,
      enabled: false,
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(result.outs?.updatedAt).not.toBe(outs.updatedAt);
  });

  it("keeps the time of creation where a reply does not tell it, and records the new address after a move", async () => {
    const { id, outs } = await created();
    api.inject({ fault: { kind: "reply", raw: JSON.stringify({ data: { webhook: { id: 1 } } }) } });
    const moved = providerWith({ "webhooks:previousBaseUrl": "https://old.example.com" });
    const result = await moved.update(
      id,
      { ...outs, baseUrl: "https://old.example.com" },
      { ...orders, secret: SECRET },
    );
    expect(result.outs).toMatchObject({ createdAt: outs.createdAt, baseUrl: api.url });
  });

  it("fails where the API answers that enabled is not what was sent", async () => {
    const { id, outs } = await created();
    api.inject({ fault: { kind: "reply", raw: JSON.stringify({ data: { webhook: { enabled: false } } }) } });
    const failure = await failureOf(providerWith().update(id, outs, { ...orders }));
    expect(failure.message).toContain("it should be enabled");
    expect(failure.properties).toEqual({ ...outs, unconfirmed: true });
  });

  it("that failed and may have been taken is recorded as unconfirmed, and sent again though the change is taken back", async () => {
    const { id, outs } = await created();
    const olds = { __provider, ...outs };
    const provider = providerWith({ "webhooks:timeoutSeconds": "0.1", "webhooks:deadlineSeconds": "0.1" });
    api.inject({ operation: "update", fault: { kind: "hang", commit: true } });
    const changed = { __provider, ...orders, secret: SECRET, enabled: false };
    const failure = await failureOf(provider.update(id, olds, changed));
    expect(failure).toMatchObject({ id, reasons: [failure.message] });
    expect(failure.properties).toEqual({ ...olds, unconfirmed: true });
    expect(api.webhooks).toMatchObject([{ enabled: false }]);

    // After a refresh, which clears the engine's own note of the failure.
    const { props = {} } = await providerWith().read(id, failure.properties);
    const takenBack = { __provider, ...orders, secret: SECRET };
    expect(await providerWith().diff(id, props, takenBack)).toEqual({ changes: true });
    const { outs: healed = {} } = await providerWith().update(id, props, takenBack);
    expect(healed).not.toHaveProperty("unconfirmed");
    expect(api.webhooks).toMatchObject([{ enabled: true }]);
    expect(await providerWith().diff(id, healed, takenBack)).toEqual({ changes: false });
  });

  it("that the API refused leaves what is recorded as it is", async () => {
    const { id, outs } = await created();
    api.inject({ operation: "update", fault: { kind: "status", status: 422 } });
    const failure = await failureOf(providerWith().update(id, outs, { ...orders, enabled: false }));
    expect(failure.id).toBeUndefined();
  });

  it("refuses another account's webhook and sends nothing", async () => {
    const { id, outs } = await created();
    api.clearCalls();
    const failure = await failureOf(
      providerWith().update(id, { ...outs, baseUrl: "https://old.example.com" }, orders),
    );
    expect(failure.message).toContain("Nothing was sent");
    expect(calls()).toEqual([]);
  });
});

describe("delete", () => {
  it("deletes, and counts a webhook that is gone as deleted", async () => {
    const { id, outs } = await created();
    await providerWith().delete(id, outs);
    expect(api.webhooks).toEqual([]);
    await providerWith().delete(id, outs);
    expect(calls()).toEqual(["create", "delete", "delete"]);
  });

  it("does not take the 404 of some proxy for a deletion", async () => {
    const { id, outs } = await created();
    api.behaviour.errorShape = "html";
    api.dashboard.delete(id);
    expect(await failureOf(providerWith().delete(id, outs))).toMatchObject({
      message: expect.stringContaining("404 Not Found from POST /webhooks/delete, with a web page"),
    });
  });

  it("refuses another account's webhook and sends nothing", async () => {
    const { id, outs } = await created();
    api.clearCalls();
    const failure = await failureOf(
      providerWith().delete(id, { ...outs, baseUrl: "https://old.example.com" }),
    );
    expect(failure.message).toMatch(
      /^Deleting webhook 1 \(Orders\) failed: it lives at https:\/\/old\.example\.com/,
    );
    expect(calls()).toEqual([]);
  });
});

describe("read", () => {
  it("keeps what is recorded, sends nothing, and says so once in a process", async () => {
    const provider = providerWith();
    const { id, outs } = await created();
    api.clearCalls();
    expect(await provider.read(id, outs)).toEqual({ id, props: outs });
    expect(await provider.read(id, outs)).toEqual({ id, props: outs });
    expect(calls()).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("the refresh keeps what the last up recorded")]);
  });

  it("explains why a webhook that is not in the state cannot be got", async () => {
    const failure = await failureOf(providerWith().read("1", { __provider }));
    expect(failure.message).toContain("With webhooks:drift set to probe");
  });
});

describe("a webhook in doubt", () => {
  it.each(["after commit", "before commit"] as const)(
    "is recorded under an id of ours after a reset %s",
    async (when) => {
      const failure = await inDoubt(when);
      expect(failure.id).toMatch(/^in-doubt:\d{4}-\d\d-\d\dT[\d:.]+Z-[0-9a-f]{4}$/);
      expect(failure.properties).toEqual({ __provider, ...orders, secret: SECRET, baseUrl: api.url });
      expect(failure.reasons).toEqual([failure.message]);
      expect(calls()).toEqual(["create"]);
    },
  );

  it("says in a few lines what to look for, and each way on", async () => {
    const { message, id } = await inDoubt();
    expect(message).toContain("for a webhook named Orders that was created at about 20");
    expect(message).toContain('import: "<its id in the dashboard>"');
    expect(message).toContain('name: "Orders" and enabled: true');
    expect(message).toContain("pulumi up --replace '<urn>'");
    expect(message).toContain("pulumi state unprotect '<urn>'");
    expect(message).toContain(`beside ${id} in the list of: pulumi stack --show-urns --show-ids`);
    expect(message.split("\n").length).toBeLessThan(8);
  });

  it("is not sent again by an update, and keeps what was sent also where the secret was changed since", async () => {
    const { id, properties } = await inDoubt();
    const news = { __provider, ...orders, secret: "another" };
    expect(await providerWith().diff(id, properties, news)).toEqual({ changes: true });
    expect(warnings).toEqual([expect.stringContaining(`Webhook Orders is in doubt (${id})`)]);
    const again = await failureOf(providerWith().update(id, properties, news));
    expect(again).toMatchObject({ id, properties, reasons: [again.message] });
    expect(again.message).toContain("Look in the platform's dashboard");
    expect(calls()).toEqual(["create"]);
  });

  it("is kept by a refresh", async () => {
    const { id, properties } = await inDoubt();
    expect(await providerWith().read(id, properties)).toEqual({ id, props: properties });
    expect(calls()).toEqual(["create"]);
  });

  it("is replaced by the webhook that was found, and then dropped without a word", async () => {
    const { id, properties } = await inDoubt();
    const provider = providerWith();
    const news = { __provider, ...orders, secret: SECRET, import: "1" };
    expect(await provider.diff(id, properties, news)).toEqual({ changes: true, replaces: ["import"] });
    expect(await provider.create(news)).toMatchObject({ id: "1" });
    warnings = [];
    await provider.delete(id, properties);
    expect(warnings).toEqual([]);
    expect(calls()).toEqual(["create", "update"]);
  });

  it("is not adopted with another secret than it was created with, which would be recorded for its own", async () => {
    const { id, properties } = await inDoubt();
    const news = { __provider, ...orders, secret: "another", import: "1" };
    const failure = await failureOf(providerWith().diff(id, properties, news));
    expect(failure.message).toContain("its create was sent with another secret than is declared now");
  });

  it("is dropped with a warning also where another resource adopts a webhook of the same name", async () => {
    const { id, properties } = await inDoubt();
    const provider = providerWith();
    await provider.create({ __provider, ...orders, import: "1" });
    await provider.delete(id, properties);
    expect(warnings).toEqual([expect.stringContaining("was dropped from the state and nothing was sent")]);
  });

  it("is dropped by a destroy with a warning, and nothing is sent", async () => {
    const { id, properties } = await inDoubt();
    await providerWith().delete(id, properties);
    expect(warnings).toEqual([expect.stringContaining("was dropped from the state and nothing was sent")]);
    expect(calls()).toEqual(["create"]);
  });
});

describe("adoption", () => {
  const adopt = (provider: WebhookProvider, news: object) =>
    provider.create({ __provider, ...orders, ...news });

  it("sends one full update, and records the webhook under its id", async () => {
    api.dashboard.create({ url: "https://example.com/old", name: "Old", enabled: false });
    expect(await adopt(providerWith(), { import: "1" })).toMatchObject({
      id: "1",
      outs: { ...orders, baseUrl: api.url },
    });
    expect(api.webhooks).toMatchObject([{ id: "1", ...orders }]);
    expect(calls()).toEqual(["update"]);
    expect(warnings).toEqual([]);
  });

  it("takes a declared secret for the one that the webhook has, and says so", async () => {
    api.dashboard.create({ ...orders, secret: "made in the dashboard" });
    expect(await adopt(providerWith(), { import: "1", secret: SECRET })).toMatchObject({
      outs: { secret: SECRET },
    });
    expect(api.webhooks).toMatchObject([{ secret: "made in the dashboard" }]);
    expect(warnings).toEqual([expect.stringContaining("its declared secret is taken to be the one it has")]);
    expect(warnings.join()).not.toContain("canary");
  });

  it("of an id that the API does not know is a clear error, and nothing is recorded", async () => {
    const failure = await failureOf(adopt(providerWith(), { import: "4711" }));
    expect(failure.message).toBe(
      "Adopting webhook 4711 (Orders) failed: the API has no webhook with this id. Correct the option import, or remove it to create a webhook.",
    );
    expect(failure.id).toBeUndefined();
  });

  it("that failed and may have been taken says so, and nothing is recorded", async () => {
    api.dashboard.create(orders);
    api.inject({ operation: "update", fault: { kind: "hang", commit: true } });
    const provider = providerWith({ "webhooks:timeoutSeconds": "0.1", "webhooks:deadlineSeconds": "0.1" });
    const failure = await failureOf(adopt(provider, { import: "1", enabled: false }));
    expect(failure.message).toContain("It may have been changed all the same");
    expect(failure.id).toBeUndefined();
  });

  it("of the same id by two resources is refused, and may be tried again after a failure", async () => {
    api.dashboard.create(orders);
    const provider = providerWith();
    api.inject({ fault: { kind: "status", status: 422 } });
    await failureOf(adopt(provider, { import: "1" }));
    await adopt(provider, { import: "1" });
    const failure = await failureOf(adopt(provider, { import: "1", name: "Twin" }));
    expect(failure.message).toContain("Orders adopts the same webhook");
    expect(calls()).toEqual(["update", "update"]);
  });

  it("of a webhook that is recorded already drops its older record, and the webhook stays", async () => {
    const { id, outs } = await created(orders);
    const provider = providerWith();
    await provider.check({}, { __provider, ...orders, import: id });
    await adopt(provider, { import: id });
    await provider.delete(id, outs);
    expect(api.webhooks).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining("Webhook 1 (Orders) is kept at the API")]);
  });

  it("protects the webhook from its older record also in a later up, without import", async () => {
    const { id, outs: older } = await created(orders);
    const { outs: newer = {} } = await adopt(providerWith(), { import: id });
    const provider = providerWith();
    expect(await provider.diff(id, newer, orders)).toEqual({ changes: false });
    await provider.delete(id, older);
    expect(api.webhooks).toHaveLength(1);
  });

  it.each(["created", "adopted"])(
    "lets a webhook that was %s be deleted when it is replaced",
    async (how) => {
      const { id, outs: older } = await created(orders);
      const { outs = {} } = how === "adopted" ? await adopt(providerWith(), { import: id }) : { outs: older };
      const provider = providerWith();
      // As with replaceOnChanges: it is the engine that makes a replacement of a change.
      await provider.diff(id, outs, { ...orders, name: "New" });
      await provider.create({ __provider, ...orders, name: "New" });
      await provider.delete(id, outs);
      expect(api.webhooks).toMatchObject([{ name: "New" }]);
    },
  );

  it("keeps the record of a webhook that is to be adopted until it is: deleteBeforeReplace is refused", async () => {
    const { id, outs } = await created();
    const provider = providerWith();
    await provider.check({}, { __provider, ...orders, secret: SECRET, import: id });
    const failure = await failureOf(provider.delete(id, outs));
    expect(failure.message).toContain("with import set, deleteBeforeReplace cannot be done");
    expect(calls()).toEqual(["create"]);
  });
});

describe("settings", () => {
  it("that are missing fail check, together with the inputs' problems and without naming a property", async () => {
    const provider = providerWith({ "webhooks:apiKey": "", "webhooks:baseUrl": "" });
    const { failures } = await provider.check({}, { __provider, url: "nowhere", name: "Orders" });
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^url: /) },
      { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing/) },
      { property: "", reason: expect.stringMatching(/^webhooks:baseUrl is missing/) },
    ]);
  });

  it("that are missing fail a step that needs them, with the remedy", async () => {
    const provider = providerWith({ "webhooks:apiKey": "" });
    const failure = await failureOf(provider.create({ __provider, ...orders }));
    expect(failure.message).toMatch(/^Creating webhook Orders failed: webhooks:apiKey is missing\. Set it: /);
  });
});

it("gives errors that the SDK prints as one line", async () => {
  const failure = await failureOf(
    providerWith().delete("1", { ...orders, baseUrl: "https://old.example.com" }),
  );
  expect(`${failure}: ${failure.stack}`).toBe(failure.message);
});
