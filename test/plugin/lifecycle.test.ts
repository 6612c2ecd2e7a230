import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, vi } from "vitest";
import { UNKNOWN } from "../../src/lifecycle/inputs.js";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import { api, loseReply, operations, reply, warnings } from "../lifecycle/simulator.js";
import { API_KEY, SECRET } from "../lifecycle/webhooks.js";
import {
  errorOf,
  ORDERS,
  orders,
  Plugin,
  PROVIDER_URN,
  toSecret,
  toStruct,
  urnOf,
  usePlugin,
} from "./plugin.js";

usePlugin();

const UNKNOWN_BOOLEAN = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";
const IN_DOUBT = "in-doubt:2026-01-01T00:00:00.000Z-abcd";

/** Creates a webhook in a process of its own. */
async function create(inputs: object = orders) {
  return (await Plugin.configured()).create({ ...inputs });
}

describe("secrets", () => {
  it("are returned as such, in inputs and outputs", async () => {
    const plugin = await Plugin.configured({ settings: { baseUrl: toSecret(api.url) } });
    const secret = {
      url: toSecret("https://example.com/a?token=x"),
      name: toSecret("Orders"),
      enabled: toSecret(false),
      secret: toSecret(SECRET),
    };
    const { inputs, problems } = await plugin.check({ ...secret, secret: SECRET });
    expect({ inputs, problems }).toEqual({ inputs: secret, problems: [] });
    const { outputs } = await plugin.create(inputs);
    expect(outputs).toMatchObject({ ...secret, baseUrl: toSecret(api.url) });
    const news = { ...secret, enabled: toSecret(true) };
    const updated = await plugin.update({ id: "1", olds: outputs, news });
    expect(updated).toMatchObject(news);
    expect(await plugin.read("1", { outputs: updated, inputs: news })).toEqual({
      id: "1",
      outputs: updated,
      inputs: news,
    });
  });

  it("stay such in the record of an update that failed, and appear in no message", async () => {
    const { outputs } = await create({ ...orders, name: toSecret("Classified") });
    reply({ id: 1, enabled: "false" }, "update");
    const plugin = await Plugin.configured();
    const { details, recorded } = await errorOf(plugin.update({ id: "1", olds: outputs, news: orders }));
    expect(recorded?.outputs).toMatchObject({ name: toSecret("Classified"), unconfirmed: true });
    expect(details).not.toContain("Classified");
    loseReply();
    const doubt = await errorOf(plugin.create({ ...orders, name: toSecret("Classified") }));
    expect(doubt.details + doubt.recorded?.reasons).toContain("Creating webhook [secret] failed");
    expect(doubt.details + doubt.recorded?.reasons).not.toContain("Classified");
  });
});

describe("a preview", () => {
  it("passes values that are not known yet, of each type", async () => {
    const news = { url: UNKNOWN, name: UNKNOWN, enabled: UNKNOWN_BOOLEAN, secret: toSecret(UNKNOWN) };
    expect(await (await Plugin.configured()).check(news)).toEqual({
      inputs: { ...news, enabled: UNKNOWN },
      problems: [],
    });
  });

  it("returns the outputs of a create and an update as far as they are known, and sends nothing", async () => {
    const plugin = await Plugin.configured();
    const created = await plugin.create({ ...orders, url: UNKNOWN }, { preview: true });
    const outputs = { ...orders, baseUrl: api.url, createdAt: UNKNOWN, updatedAt: UNKNOWN };
    expect(created).toMatchObject({ id: "", outputs: { ...outputs, url: UNKNOWN } });
    const olds = { ...outputs, createdAt: "2026", updatedAt: "2026" };
    const change = { id: "1", olds, news: { ...orders, name: "Refunds" }, preview: true };
    expect(await plugin.update(change)).toEqual({ ...olds, name: "Refunds", updatedAt: UNKNOWN });
    expect(await plugin.update({ ...change, id: IN_DOUBT })).toEqual(olds);
    expect(operations()).toEqual([]);
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
    const importing =
      "import: not an input of a webhook; to import a webhook, set the option import of the resource";
    expect((await plugin.check({ url: "nowhere", name: null, secret: "***", import: "1" })).problems).toEqual(
      [
        "url: must be an absolute http or https URL, such as https://example.com/hooks",
        "secret: is a mask, not the value: set the value itself",
        importing,
      ],
    );
    // With ignoreChanges the engine copies the recorded input of the dynamic provider.
    const copied = { ...orders, import: "1" };
    expect((await plugin.check(copied, { olds: copied })).problems).toEqual([]);
  });

  it("warns that the state could not be read, once, and goes on", async () => {
    const plugin = await Plugin.start(new Error("pulumi stack export took too long."));
    await plugin.configure();
    await Promise.all([plugin.check(orders), plugin.check(orders, { urn: urnOf("refunds") })]);
    expect(warnings).toEqual([
      expect.stringContaining("could not be read. pulumi stack export took too long."),
    ]);
    expect(await plugin.create(orders)).toMatchObject({ id: "1" });
  });
});

describe("diff", () => {
  it.each<[string, object, string[], object]>([
    ["a url", { url: "https://example.com/b" }, [], { url: "update" }],
    [
      "a name, and true to false",
      { name: "Refunds", enabled: false },
      [],
      { name: "update", enabled: "update" },
    ],
    ["a secret", { secret: toSecret("another") }, ["secret"], { secret: "update, replace" }],
    ["a secret to none", { secret: null }, ["secret"], { secret: "delete, replace" }],
  ])("shows the change of %s", async (_, changed, replaces, details) => {
    const { id, outputs } = await create();
    const plugin = await Plugin.configured();
    const news = { ...orders, ...changed };
    expect(await plugin.diff({ id, olds: outputs, oldInputs: orders, news })).toEqual({
      changes: true,
      replaces,
      details,
    });
  });

  it("shows a new secret, and drift that a read has found", async () => {
    const { secret, ...plain } = orders;
    const { id, outputs } = await create(plain);
    const plugin = await Plugin.configured();
    const change = { id, olds: outputs, oldInputs: plain, news: orders };
    expect((await plugin.diff(change)).details).toEqual({ secret: "add, replace" });
    const marks = { changedOutsidePulumi: "2026-01-01T12:00:00Z" };
    const drifted = { id, olds: { ...outputs, ...marks }, oldInputs: { ...plain, ...marks }, news: plain };
    expect(await plugin.diff(drifted)).toEqual({
      changes: true,
      replaces: [],
      details: { changedOutsidePulumi: "delete" },
    });
  });

  it("shows no change of the same inputs, also as the dynamic provider records them", async () => {
    const { id, outputs } = await create();
    const plugin = await Plugin.configured();
    const same = { changes: false, replaces: [], details: {} };
    expect(await plugin.diff({ id, olds: outputs, oldInputs: orders, news: orders })).toEqual(same);
    const dynamic = { ...orders, __provider: "the stored text", __key: "vIJttu4E" };
    const olds = { ...outputs, __provider: "the stored text" };
    expect(await plugin.diff({ id, olds, oldInputs: dynamic, news: orders })).toEqual(same);
  });

  it("shows no details of a webhook in doubt, which the engine would replace", async () => {
    const olds = { ...orders, baseUrl: api.url };
    const change = { id: IN_DOUBT, olds, news: { ...orders, secret: toSecret("another"), name: "B" } };
    expect(await (await Plugin.configured()).diff(change)).toEqual({
      changes: true,
      replaces: [],
      details: {},
    });
  });
});

it("fails a create with an unknown outcome with what the engine must record", async () => {
  const plugin = await Plugin.configured({ settings: { refreshBeforeUpdate: "true", drift: "probe" } });
  await plugin.check(orders);
  loseReply();
  const { details, recorded } = await errorOf(plugin.create(orders));
  expect(details).toContain("Creating webhook Orders failed: no response from POST /webhooks");
  expect(recorded).toEqual({
    id: expect.stringMatching(/^in-doubt:/),
    outputs: { ...orders, baseUrl: api.url },
    reasons: [details],
  });
});

describe("while the gate is closed", () => {
  const olds = { ...orders, baseUrl: "" };
  const doubt = { urn: urnOf("doubt"), type: PLUGIN_TYPE, id: IN_DOUBT, outputs: olds };
  const pending = { urn: urnOf("killed"), type: PLUGIN_TYPE, inputs: { name: "Killed" } };
  const GATE = /It is unknown whether the API created these webhooks: Orders, Killed\. .* --stack dev\.$/;
  const start = () => Plugin.configured({ resources: [doubt], creates: [pending] });

  it("warns in check, and refuses a create, an update, an import and a delete", async () => {
    const plugin = await start();
    expect((await plugin.check(orders)).problems).toEqual([]);
    await plugin.check(orders, { urn: urnOf("other") });
    expect(warnings).toEqual([expect.stringMatching(GATE)]);
    const recorded = { ...olds, baseUrl: api.url };
    for (const call of [
      plugin.create(orders),
      plugin.update({ id: "1", olds: recorded, news: orders }),
      plugin.read("7"),
      plugin.delete("1", recorded),
    ]) {
      const { details, recorded: failed } = await errorOf(call);
      expect(details).toMatch(GATE);
      expect(failed).toBeUndefined();
    }
    expect(operations()).toEqual([]);
  });

  it("goes on with a preview, a refresh and a destroy, which checks nothing", async () => {
    const { id, outputs } = await create();
    const plugin = await start();
    expect(await plugin.read(id, { outputs, inputs: orders })).toMatchObject({ id });
    await plugin.delete(id, outputs);
    await plugin.delete(IN_DOUBT, { ...olds, baseUrl: api.url });
    expect(operations()).toEqual(["create", "delete"]);
    const preview = await start();
    await preview.check(orders);
    expect(await preview.create(orders, { preview: true })).toMatchObject({ id: "" });
  });

  it("knows the name of the Provider that a webhook moves away from", async () => {
    const outputs = { ...orders, inDoubtId: IN_DOUBT, baseUrl: api.url };
    const provider = `${PROVIDER_URN.replace("default_0_1_0", "eu")}::1`;
    const plugin = await Plugin.configured({
      resources: [{ urn: ORDERS, type: PLUGIN_TYPE, id: "1", outputs, provider }],
    });
    expect((await plugin.check(orders, { olds: orders })).problems).toEqual([
      expect.stringContaining("Set its option provider back to the Provider eu"),
    ]);
  });
});

it("replaces nothing, and deletes nothing, while an id of its Provider is unconfirmed", async () => {
  const { outputs } = await create();
  const entered = { urn: ORDERS, type: PLUGIN_TYPE, id: "1", outputs: { ...outputs, inDoubtId: IN_DOUBT } };
  const plugin = await Plugin.configured({ resources: [entered] });
  expect((await plugin.check(orders)).problems).toEqual([expect.stringContaining("cannot be replaced yet")]);
  expect((await plugin.check(orders, { olds: orders })).problems).toEqual([]);
  expect((await errorOf(plugin.delete("2", outputs))).details).toContain("this run deletes nothing more");
});

it.each([
  ["url", `https://example.com/?of=${encodeURIComponent(IN_DOUBT)}`],
  ["name", `of ${IN_DOUBT}`],
])("sends no %s that contains the id of a webhook in doubt", async (field, value) => {
  const plugin = await Plugin.configured();
  const dependent = { ...orders, [field]: value };
  expect((await plugin.check(dependent)).problems).toEqual([]);
  for (const call of [plugin.create(dependent), plugin.update({ id: "1", olds: orders, news: dependent })]) {
    expect((await errorOf(call)).details).toContain(
      `The ${field} of a webhook contains the id of another one that is in doubt: no request was sent.`,
    );
  }
  expect(operations()).toEqual([]);
});

describe("settings", () => {
  const eu = PROVIDER_URN.replace("default_0_1_0", "eu");

  it("are reported if they are wrong, missing or unknown, but not if a preview does not know them yet", async () => {
    const plugin = await Plugin.start();
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

  it("are not shown if they are secrets", async () => {
    const settings = { apiKey: API_KEY, baseUrl: api.url, drift: toSecret("hunter2") };
    expect((await (await Plugin.start()).checkConfig(settings)).problems).toEqual([
      expect.stringMatching(/must be off, probe or enforce\. Correct it/),
    ]);
  });

  it.each(["default_eu", "eu"])("take no key from the environment for a Provider named %s", async (name) => {
    vi.stubEnv("WEBHOOKS_API_KEY", API_KEY);
    const urn = PROVIDER_URN.replace("default_0_1_0", name);
    expect((await (await Plugin.start()).checkConfig({ baseUrl: api.url }, urn)).problems).toEqual([
      expect.stringContaining(`apiKey of the Provider ${name} is missing`),
    ]);
  });

  it("have values of each type, and the key is returned as a secret", async () => {
    const settings = {
      apiKey: API_KEY,
      baseUrl: api.url,
      timeoutSeconds: 5,
      allowHttp: true,
      version: "0.2.0",
    };
    expect(await (await Plugin.start()).checkConfig(settings)).toEqual({
      inputs: { ...settings, apiKey: toSecret(API_KEY) },
      problems: [],
    });
  });

  it.each([
    [{ refreshBeforeUpdate: "true", drift: "probe" }, true],
    [{ refreshBeforeUpdate: "true" }, false],
    [{ drift: "probe" }, false],
  ])("%j make the engine refresh before updates: %s", async (settings, refreshes) => {
    const plugin = await Plugin.configured({ settings });
    expect((await plugin.create(orders)).refreshesBeforeUpdate).toBe(refreshes);
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

it("sends the message of an error alone, also of one that nobody foresaw", async () => {
  const plugin = await Plugin.configured();
  const { details } = await errorOf(plugin.create({ url: 1 }));
  expect(details).not.toContain(" at ");
  expect(details.length).toBeGreaterThan(0);
});

it("removes a webhook that is gone from the state", async () => {
  const { id, outputs } = await create();
  const plugin = await Plugin.configured({ settings: { drift: "probe" } });
  const other = await plugin.create({ ...orders, name: "Other" }, { urn: urnOf("other") });
  await plugin.read(other.id, { outputs: other.outputs, inputs: orders }, urnOf("other"));
  await plugin.delete(id, outputs);
  expect(await plugin.read(id, { outputs, inputs: orders })).toEqual({ id: "", outputs: {}, inputs: {} });
});

it("replies to the engine that it accepts secrets, supports previews, and has its schema's version", async () => {
  const plugin = await Plugin.configured();
  const configured = await plugin.configure();
  expect([configured.getAcceptsecrets(), configured.getSupportspreview()]).toEqual([true, true]);
  const handshake = await plugin.call<messages.ProviderHandshakeResponse>(
    "handshake",
    new messages.ProviderHandshakeRequest(),
  );
  expect(handshake.getAcceptSecrets()).toBe(true);
  const schema = await plugin.call<messages.GetSchemaResponse>("getSchema", new messages.GetSchemaRequest());
  const info = await plugin.call<PluginInfo>("getPluginInfo", new Empty());
  expect(JSON.parse(schema.getSchema()).version).toBe(info.getVersion());
});

it("replaces no provider whose settings change: that would replace its webhooks", async () => {
  const request = new messages.DiffRequest()
    .setOldInputs(toStruct({ baseUrl: "https://a.example.com", drift: "off" }))
    .setNews(toStruct({ baseUrl: "https://b.example.com", drift: "off", allowHttp: true }));
  const plugin = await Plugin.start();
  const response = await plugin.call<messages.DiffResponse>("diffConfig", request);
  expect(response.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_SOME);
  expect(response.getDiffsList()).toEqual(["baseUrl", "allowHttp"]);
  expect(response.getReplacesList()).toEqual([]);
});
