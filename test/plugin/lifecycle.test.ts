import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, vi } from "vitest";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { PLUGIN_TYPE, WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { API_KEY, api, operations, SECRET, warnings } from "../lifecycle/setup.js";
import { errorOf, ORDERS, orders, Plugin, PROVIDER_URN, toSecret, urnOf, usePlugin } from "./plugin.js";

usePlugin();

const UNKNOWN_BOOLEAN = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";

/** Creates a webhook in a process of its own. */
async function create(inputs: object = orders) {
  const plugin = await Plugin.configured();
  return plugin.create({ ...inputs });
}

describe("secrets", () => {
  it("returns each secret input as a secret, in inputs and outputs", async () => {
    const plugin = await Plugin.configured();
    const { inputs, problems } = await plugin.check({
      url: toSecret("https://example.com/a?token=x"),
      name: toSecret("Orders"),
      enabled: toSecret(false),
      secret: SECRET,
    });
    expect(problems).toEqual([]);
    expect(inputs).toEqual({
      url: toSecret("https://example.com/a?token=x"),
      name: toSecret("Orders"),
      enabled: toSecret(false),
      secret: toSecret(SECRET),
    });
    const { outputs } = await plugin.create(inputs);
    expect(outputs).toMatchObject(inputs);
    const updated = await plugin.update({
      id: "1",
      olds: outputs,
      news: { ...inputs, enabled: toSecret(true) },
    });
    expect(updated).toMatchObject({ ...inputs, enabled: toSecret(true) });
    expect((await plugin.read("1", { outputs: updated, inputs })).outputs).toMatchObject(updated);
    expect((await plugin.read("1", { outputs: updated, inputs })).inputs).toEqual(inputs);
  });

  it("keeps what was a secret one in the record of an update that failed", async () => {
    const secret = { ...orders, name: toSecret("Orders") };
    const { outputs } = await create(secret);
    const plugin = await Plugin.configured({ settings: { timeoutSeconds: "0.1", deadlineSeconds: "0.1" } });
    api.inject({ operation: "update", fault: { kind: "hang", commit: true } });
    const failed = await errorOf(plugin.update({ id: "1", olds: outputs, news: orders }));
    expect(failed.recorded?.outputs).toMatchObject({ name: toSecret("Orders"), unconfirmed: true });
  });

  it("returns a secret baseUrl as a secret", async () => {
    const plugin = await Plugin.configured({ settings: { baseUrl: toSecret(api.url) } });
    expect((await plugin.create(orders)).outputs.baseUrl).toEqual(toSecret(api.url));
  });

  it("shows a secret name in no message", async () => {
    const plugin = await Plugin.configured();
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const { details, recorded } = await errorOf(plugin.create({ ...orders, name: toSecret("Classified") }));
    expect(details + recorded?.reasons).toContain("Creating webhook [secret] failed");
    expect(details + recorded?.reasons).not.toContain("Classified");
  });
});

describe("a preview", () => {
  it("passes values that are not known yet, of each type", async () => {
    const plugin = await Plugin.configured();
    const news = { url: UNKNOWN, name: UNKNOWN, enabled: UNKNOWN_BOOLEAN, secret: toSecret(UNKNOWN) };
    const { inputs, problems } = await plugin.check(news);
    expect(problems).toEqual([]);
    expect(inputs).toEqual({ ...news, enabled: UNKNOWN });
  });

  it("returns the outputs of a create as far as they are known, and sends nothing", async () => {
    const plugin = await Plugin.configured();
    const { id, outputs } = await plugin.create({ ...orders, url: UNKNOWN }, { preview: true });
    expect(id).toBe("");
    expect(outputs).toEqual({
      ...orders,
      url: UNKNOWN,
      baseUrl: api.url,
      createdAt: UNKNOWN,
      updatedAt: UNKNOWN,
    });
    expect(operations()).toEqual([]);
  });

  it("returns the outputs of an update as far as they are known, and sends nothing", async () => {
    const { id, outputs } = await create();
    const plugin = await Plugin.configured();
    const news = { ...orders, name: "Refunds" };
    expect(await plugin.update({ id, olds: outputs, news, preview: true })).toEqual({
      ...outputs,
      name: "Refunds",
      updatedAt: UNKNOWN,
    });
    expect(operations()).toEqual(["create"]);
  });
});

describe("check", () => {
  it("defaults the name to the resource's, and enabled to true", async () => {
    const plugin = await Plugin.configured();
    expect(await plugin.check({ url: orders.url }, { urn: urnOf("a::b") })).toEqual({
      inputs: { url: orders.url, name: "a::b", enabled: true },
      problems: [],
    });
  });

  it("reports all problems, without the property, whose value the CLI would print", async () => {
    const plugin = await Plugin.configured();
    const { problems } = await plugin.check({ url: "nowhere", name: null, secret: "***", import: "1" });
    expect(problems).toEqual([
      "url: must be an absolute http or https URL, such as https://example.com/hooks",
      "secret: is a mask, not the value: set the value itself",
      "import: not an input of a webhook; to import a webhook, set the option import of the resource",
    ]);
  });

  it("warns that the state could not be read, once", async () => {
    const plugin = await Plugin.start(new Error("pulumi stack export took too long."));
    await plugin.configure();
    await Promise.all([plugin.check(orders), plugin.check(orders, { urn: urnOf("refunds") })]);
    expect(warnings).toEqual([
      expect.stringContaining("could not be read. pulumi stack export took too long."),
    ]);
  });
});

describe("diff", () => {
  it.each([
    [{ url: "https://example.com/b" }, [], { url: "update" }],
    [{ name: "Refunds", enabled: false }, [], { name: "update", enabled: "update" }],
    [{ secret: toSecret("another") }, ["secret"], { secret: "update, replace" }],
    [{ secret: null }, ["secret"], { secret: "delete, replace" }],
  ])("shows what %j changes", async (changed, replaces, details) => {
    const { id, outputs } = await create();
    const plugin = await Plugin.configured();
    const news = { ...orders, ...changed };
    expect(await plugin.diff({ id, olds: outputs, oldInputs: orders, news })).toEqual({
      changes: true,
      replaces,
      details,
    });
  });

  it("shows no change of the same inputs", async () => {
    const { id, outputs } = await create();
    const plugin = await Plugin.configured();
    const same = { changes: false, replaces: [], details: {} };
    expect(await plugin.diff({ id, olds: outputs, oldInputs: orders, news: orders })).toEqual(same);
    // As the dynamic provider records it.
    const dynamic = { ...orders, __provider: "the stored text", __key: "vIJttu4E" };
    const olds = { ...outputs, __provider: "the stored text" };
    expect(await plugin.diff({ id, olds, oldInputs: dynamic, news: orders })).toEqual(same);
  });
});

describe("a create with an unknown outcome", () => {
  it("fails with what the engine must record, in one line a reason", async () => {
    const plugin = await Plugin.configured();
    await plugin.check(orders);
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const { details, recorded } = await errorOf(plugin.create(orders));
    expect(details).toContain("Creating webhook Orders failed: no response from POST /webhooks");
    expect(recorded?.id).toMatch(/^in-doubt:/);
    expect(recorded?.reasons).toEqual([details]);
    expect(recorded?.outputs).toEqual({ ...orders, baseUrl: api.url });
  });

  it("is not sent again by the next run", async () => {
    const first = await Plugin.configured();
    api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    const { recorded: { id = "", outputs = {} } = {} } = await errorOf(first.create(orders));
    const record = { urn: ORDERS, type: "webhooks:index:Webhook", id, inputs: orders, outputs };
    const next = await Plugin.configured({ resources: [record] });
    expect((await next.check(orders, { olds: orders })).problems).toEqual([]);
    // Without details: the option replaceOnChanges would make the engine create it again.
    const news = { ...orders, secret: toSecret("another") };
    expect(await next.diff({ id, olds: outputs, oldInputs: orders, news })).toEqual({
      changes: true,
      replaces: [],
      details: {},
    });
    expect(await next.update({ id, olds: outputs, news, preview: true })).toEqual(outputs);
    const failed = await errorOf(next.update({ id, olds: outputs, news: orders }));
    expect(failed.recorded).toMatchObject({ id, outputs });
    expect(operations()).toEqual(["create"]);
  });

  it("is recorded as in doubt if an engine was killed during it, also before the webhook moved to the plugin", async () => {
    const interrupted = (type?: string) => ({
      urn: urnOf("orders", type),
      type: type ?? "webhooks:index:Webhook",
      inputs: orders,
    });
    const plugin = await Plugin.configured({ creates: [interrupted()] });
    expect((await plugin.check(orders)).problems).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining(
        "An earlier run was killed, or is still running, while it was creating webhooks: Orders.",
      ),
    ]);
    expect((await errorOf(plugin.create(orders))).recorded?.id).toMatch(/^in-doubt:/);
    const moved = await Plugin.configured({
      creates: [interrupted("pulumi-nodejs:dynamic/webhooks:Webhook")],
    });
    expect((await moved.check(orders)).problems).toEqual([
      expect.stringContaining("killed while it was creating this webhook under its earlier name"),
    ]);
    expect(operations()).toEqual([]);
  });

  it("stops another resource that may be the same webhook", async () => {
    const record = {
      urn: urnOf("old"),
      type: "webhooks:index:Webhook",
      id: "in-doubt:2026-01-01T00:00:00.000Z-abcd",
      outputs: { ...orders, baseUrl: api.url },
    };
    const plugin = await Plugin.configured({ resources: [record] });
    const { problems } = await plugin.check(orders);
    expect(problems).toEqual([
      expect.stringContaining(`whether the API created the webhook of ${urnOf("old")}`),
    ]);
    expect((await plugin.check({ ...orders, url: "https://example.com/other" })).problems).toEqual([]);
    // Another account.
    const elsewhere = { ...record, outputs: { ...orders, baseUrl: "https://eu.example.com" } };
    const other = await Plugin.configured({
      resources: [{ ...elsewhere, provider: `${PROVIDER_URN.replace("default_0_1_0", "eu")}::1` }],
    });
    expect((await other.check(orders)).problems).toEqual([]);
  });
});

it.each([
  ["url", `https://example.com/?of=${encodeURIComponent("in-doubt:2026-01-01T00:00:00.000Z-abcd")}`],
  ["name", "of in-doubt:2026-01-01T00:00:00.000Z-abcd"],
])("sends no %s that contains the id of a webhook in doubt", async (field, value) => {
  const plugin = await Plugin.configured();
  const dependent = { ...orders, [field]: value };
  expect((await plugin.check(dependent)).problems).toEqual([]);
  expect((await errorOf(plugin.create(dependent))).details).toContain(
    `The ${field} of a webhook contains the id of another one that is in doubt: no request was sent.`,
  );
  expect(operations()).toEqual([]);
});

it("replaces no webhook that an alias renames in the same run without a diff, while one is in doubt", async () => {
  const doubt = { urn: ORDERS, type: PLUGIN_TYPE, id: "in-doubt:2026-01-01T00:00:00.000Z-abcd" };
  const plugin = await Plugin.configured({
    resources: [{ ...doubt, outputs: { ...orders, baseUrl: api.url } }],
  });
  const urn = urnOf("renamed");
  const moved = { ...orders, url: "https://example.com/other" };
  expect((await plugin.check(moved, { urn, olds: orders })).problems).toEqual([]);
  expect((await plugin.check(moved, { urn })).problems).toEqual([
    expect.stringContaining(
      "Webhook Orders is renamed and replaced (replacementTrigger, replaceWith) in the same run",
    ),
  ]);
});

it("warns of the interrupted creates of the dynamic provider, too, from which a stack may have moved", async () => {
  const urn = urnOf("orders", WEBHOOK_TYPE);
  const create = { urn, type: WEBHOOK_TYPE, inputs: { name: "Orders" }, provider: "" };
  const plugin = await Plugin.configured({ creates: [create] });
  await plugin.check(orders, { urn: urnOf("other") });
  expect(warnings).toContainEqual(expect.stringContaining("Orders"));
});

describe("settings", () => {
  it("reports wrong, missing and unknown ones, and skips those that a preview does not know yet", async () => {
    const plugin = await Plugin.start();
    const eu = PROVIDER_URN.replace("default_0_1_0", "eu");
    expect(
      (await plugin.checkConfig({ apiKey: UNKNOWN, baseUrl: "nowhere", timeout: 5 }, eu)).problems,
    ).toEqual([
      expect.stringContaining("baseUrl of the Provider eu must be an https URL"),
      expect.stringContaining("The Provider eu of pulumi-webhooks has unknown arguments: timeout"),
    ]);
    expect((await plugin.checkConfig({ baseUrl: toSecret(UNKNOWN) })).problems).toEqual([
      expect.stringContaining(
        "webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey --stack dev (or",
      ),
    ]);
  });

  it("shows no value of a setting that is a secret", async () => {
    const plugin = await Plugin.start();
    const { problems } = await plugin.checkConfig({
      apiKey: API_KEY,
      baseUrl: api.url,
      drift: toSecret("hunter2"),
    });
    expect(problems).toEqual([expect.stringMatching(/must be off, probe or enforce\. Correct it/)]);
  });

  it.each(["default_eu", "eu"])("takes no key from the environment for a Provider named %s", async (name) => {
    vi.stubEnv("WEBHOOKS_API_KEY", API_KEY);
    const plugin = await Plugin.start();
    const urn = PROVIDER_URN.replace("default_0_1_0", name);
    expect((await plugin.checkConfig({ baseUrl: api.url }, urn)).problems).toEqual([
      expect.stringContaining(`apiKey of the Provider ${name} is missing`),
    ]);
    vi.unstubAllEnvs();
  });

  it("returns the key as a secret, and accepts values of each type", async () => {
    const plugin = await Plugin.start();
    const settings = {
      apiKey: API_KEY,
      baseUrl: api.url,
      timeoutSeconds: 5,
      allowHttp: true,
      version: "0.2.0",
    };
    const { inputs, problems } = await plugin.checkConfig(settings);
    expect(problems).toEqual([]);
    expect(inputs).toEqual({ ...settings, apiKey: toSecret(API_KEY) });
  });

  it("asks the engine to refresh before updates only with the probe", async () => {
    const both = { refreshBeforeUpdate: "true", drift: "probe" };
    const probing = await Plugin.configured({ settings: both });
    expect((await probing.create(orders)).refreshesBeforeUpdate).toBe(true);
    const other = await Plugin.configured({ settings: { refreshBeforeUpdate: "true" } });
    expect((await other.create(orders)).refreshesBeforeUpdate).toBe(false);
  });
});

it("sends nothing more after the engine has cancelled the run", async () => {
  const plugin = await Plugin.configured();
  await plugin.call("cancel", new Empty());
  const { details, recorded } = await errorOf(plugin.create(orders));
  expect(details).toContain("This run is ending: no request was sent for this webhook.");
  expect(recorded).toBeUndefined();
  expect(operations()).toEqual([]);
});

it("deletes a webhook, and removes one that is gone from the state", async () => {
  const { id, outputs } = await create();
  const plugin = await Plugin.configured({ settings: { drift: "probe" } });
  const other = await plugin.create({ ...orders, name: "Other" }, { urn: urnOf("other") });
  await plugin.read(other.id, { outputs: other.outputs, inputs: orders }, urnOf("other"));
  await plugin.delete(id, outputs);
  expect(api.webhooks).toMatchObject([{ name: "Other" }]);
  expect(await plugin.read(id, { outputs, inputs: orders })).toEqual({ id: "", outputs: {}, inputs: {} });
});
