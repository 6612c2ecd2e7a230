import { describe, expect, it } from "vitest";
import { shortHash } from "../../src/record/hashes.js";
import { KEY, readKey } from "../../src/record/properties.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import {
  api,
  loseReply,
  operations,
  passMinutes,
  reply,
  useSimulator,
  warnings,
} from "../lifecycle/simulator.js";
import { IN_DOUBT, SECRET } from "../lifecycle/webhooks.js";
import { useNotesFolder } from "../notes/notes-folder.js";
import { exported } from "../stack/exported.js";
import { detailsOf, errorOf, ORDERS, orders, Plugin, toSecret, urnOf } from "./plugin.js";

useSimulator();

const UNKNOWN_BOOLEAN = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";

/** What check returns for a create: the hash of the URN, and a nonce. */
const CREATE_KEY = expect.stringMatching(/^[\w-]{12}$/);

/** Creates a webhook in a process of its own. */
async function create(inputs: object = orders) {
  return (await Plugin.configured()).create({ ...inputs });
}

describe("secrets", () => {
  it("are returned as such, in inputs and outputs", async () => {
    const plugin = await Plugin.configured({ settings: { baseUrl: toSecret(api.url) } });
    const url = toSecret("https://example.com/a?token=x");
    const secret = { url, name: toSecret("Orders"), enabled: toSecret(false), secret: toSecret(SECRET) };
    const checked = await plugin.check({ ...secret, secret: SECRET });
    expect(checked).toEqual({ inputs: { ...secret, [KEY]: CREATE_KEY }, problems: [] });
    const { outputs } = await plugin.create(secret);
    expect(outputs).toMatchObject({ ...secret, baseUrl: toSecret(api.url) });
    const inputs = { ...secret, enabled: toSecret(true) };
    const updated = await plugin.update({ id: "1", olds: outputs, news: inputs });
    expect(updated).toMatchObject(inputs);
    const recorded = { id: "1", outputs: updated, inputs };
    expect(await plugin.read("1", recorded)).toEqual(recorded);
  });

  it("may be URLs with a user name and a password", async () => {
    const plugin = await Plugin.configured();
    const url = "https://user:url-canary@example.com/a";
    const { problems } = await plugin.check({ ...orders, url });
    expect(problems).toEqual([expect.stringContaining("url: contains a user name or a password")]);
    const secret = { ...orders, url: toSecret(url) };
    expect(await plugin.check(secret)).toMatchObject({ inputs: { url: toSecret(url) }, problems: [] });
    expect((await plugin.create(secret)).outputs).toMatchObject({ url: toSecret(url) });
    expect(api.webhooks).toMatchObject([{ url }]);
  });

  it("stay such in the record of an update that failed, and appear in no message", async () => {
    const name = toSecret("Classified");
    const { outputs } = await create({ ...orders, name });
    reply({ id: 1, enabled: "true" }, "update");
    const plugin = await Plugin.configured();
    const news = { ...orders, enabled: false };
    const failure = await errorOf(plugin.update({ id: "1", olds: outputs, news }));
    expect(failure.recorded?.outputs).toMatchObject({ name, unconfirmed: true });
    expect(failure.details).not.toContain("Classified");
    loseReply();
    const next = await Plugin.configured();
    const { details, recorded } = await errorOf(next.create({ ...orders, name }));
    expect(details + recorded?.reasons).toContain("Creating webhook [secret] failed");
    expect(details + recorded?.reasons).not.toContain("Classified");
  });

  it("appear in no message about a record that resolve has made, which has no marks", async () => {
    const record = {
      name: toSecret("Classified"),
      url: toSecret("https://example.com/token"),
      baseUrl: api.url,
    };
    const plugin = await Plugin.configured();
    await plugin.delete(IN_DOUBT, record);
    expect(warnings).toEqual([expect.stringContaining("Webhook [secret] (in-doubt:")]);
    expect(warnings.join()).not.toMatch(/Classified|token/);
  });
});

const notes = useNotesFolder();

it("notes a create with the nonce of its inputs, which an update keeps, and nothing that is sent", async () => {
  const plugin = await Plugin.configured({ notes: notes.start() });
  const { inputs } = await plugin.check(orders);
  expect(inputs).toEqual({ ...orders, [KEY]: CREATE_KEY });
  await plugin.create(inputs);
  const { nonce } = readKey(inputs);
  const [sentAt, reply] = [expect.any(String), expect.anything()];
  expect(notes.creates).toEqual([{ nonce, urn: ORDERS, api: shortHash(api.url), sentAt, reply }]);
  expect((await plugin.check(orders, { olds: inputs })).inputs).toEqual(inputs);
  expect((await plugin.check(orders, { olds: orders })).inputs, "of an earlier version").toEqual(orders);
});

it("names a webhook that this machine has created and the state does not have, in previews until an up has", async () => {
  notes.send(notes.start(), { urn: ORDERS }).replied({ id: "101" });
  notes.kill();
  for (const preview of [true, true, false]) {
    expect(notes.creates).toMatchObject([{ reply: { id: "101" } }]);
    const plugin = await Plugin.configured({ notes: notes.start() });
    await plugin.check(orders);
    await plugin.create(orders, { preview });
  }
  expect(notes.creates).toMatchObject([{ reply: { id: "1" } }]);
  const line = expect.stringMatching(/^Webhook 101, which this machine created for orders, is not in/);
  expect(warnings).toEqual([line, line, line]);
});

describe("a preview", () => {
  it("passes values that are not known yet, of each type", async () => {
    const news = { url: UNKNOWN, name: UNKNOWN, enabled: UNKNOWN_BOOLEAN, secret: toSecret(UNKNOWN) };
    const inputs = { ...news, enabled: UNKNOWN, [KEY]: CREATE_KEY };
    expect(await (await Plugin.configured()).check(news)).toEqual({ inputs, problems: [] });
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
      inputs: { url: orders.url, name: "a::b", enabled: true, [KEY]: CREATE_KEY },
      problems: [],
    });
  });

  it("reports all problems, without the property, whose value the CLI would print", async () => {
    const plugin = await Plugin.configured();
    const wrong = { url: "nowhere", name: null, secret: "***", import: "1" };
    expect((await plugin.check(wrong)).problems).toEqual([
      "url: must be an absolute http or https URL, such as https://example.com/hooks",
      "secret: is a mask, not the value: set the value itself",
      "import: not an input of a webhook; to import a webhook, set the option import of the resource",
    ]);
    // With ignoreChanges the engine copies the recorded input of the dynamic provider.
    const copied = { ...orders, import: "1" };
    expect((await plugin.check(copied, { olds: copied })).problems).toEqual([]);
  });

  it("warns that the state could not be read, once, and goes on", async () => {
    const plugin = await Plugin.start(new Error("pulumi stack export took too long."));
    await plugin.configure();
    await Promise.all([plugin.check(orders), plugin.check(orders, { urn: urnOf("refunds") })]);
    expect(await plugin.create(orders)).toMatchObject({ id: "1" });
    expect(await plugin.read("7")).toMatchObject({ id: "7" });
    expect(warnings).toEqual([
      expect.stringContaining("could not be read. pulumi stack export took too long."),
      expect.stringContaining("Webhook 7 is imported without a request"),
    ]);
  });
});

it("warns that an update also sends what ignoreChanges names", async () => {
  const plugin = await Plugin.configured();
  await plugin.check(orders);
  const change = { id: "1", olds: { ...orders, baseUrl: api.url }, news: { ...orders, enabled: false } };
  await plugin.diff({ ...change, ignored: ["*"] });
  expect(warnings).toEqual([expect.stringContaining("also sends url and name and enabled, as recorded")]);
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
  const resource = { urn: urnOf("killed"), type: PLUGIN_TYPE, inputs: { name: "Killed" } };
  const killed = { type: "creating", resource };
  const GATE = /it is unknown whether the API created webhooks Orders, Killed\. .* --stack dev: it says/;
  const start = () => Plugin.configured({ state: exported([doubt], [killed]) });

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
      expect(details).toMatch(/a webhook of this stack is unresolved\. Run|created webhooks Orders, Killed/);
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
});

it("ends an operation at the time limit that the engine passes", async () => {
  const { id, outputs } = await create();
  const plugin = await Plugin.configured();
  api.inject({ fault: { kind: "hang", commit: false }, times: 3 });
  const timed = { urn: ORDERS, timeout: 0.2 };
  const failures = await Promise.all([
    errorOf(plugin.call("create", { ...timed, properties: orders })),
    errorOf(plugin.call("update", { ...timed, id, olds: outputs, news: orders })),
    errorOf((await Plugin.configured()).call("delete", { ...timed, id, properties: outputs })),
  ]);
  for (const { details } of failures) expect(details).toContain("no complete response before the deadline");
});

it.each([
  ["url", `https://example.com/?of=${encodeURIComponent(IN_DOUBT)}`],
  ["name", `of ${IN_DOUBT}`],
  ["url", `https://example.com/?of=${IN_DOUBT.replace(":", ":by-")}`],
])("sends no %s that contains the id of an unresolved webhook", async (field, value) => {
  const plugin = await Plugin.configured();
  const dependent = { ...orders, [field]: value };
  expect((await plugin.check(dependent)).problems).toEqual([]);
  for (const call of [plugin.create(dependent), plugin.update({ id: "1", olds: orders, news: dependent })]) {
    expect(await detailsOf(call)).toContain(
      `The ${field} of a webhook contains the id of another one that is unresolved: no request was sent.`,
    );
  }
  expect(operations()).toEqual([]);
});

describe("a webhook that existed before refreshBeforeUpdate", () => {
  const settings = { refreshBeforeUpdate: "true", drift: "probe" };
  const change = () => ({ id: "1", olds: { ...orders, baseUrl: api.url }, oldInputs: orders, news: orders });
  const start = (given: object = settings, more = {}) => {
    const record = { urn: ORDERS, type: PLUGIN_TYPE, id: "1", outputs: change().olds, ...more };
    return Plugin.configured({ settings: { ...given }, state: exported([record]) });
  };

  it("is recorded for comparison by an update that sends nothing, with one line", async () => {
    const plugin = await start();
    await plugin.check(orders, { olds: orders });
    expect(await plugin.diff(change())).toEqual({ changes: true, replaces: [], details: {} });
    expect(warnings).toEqual([expect.stringMatching("^webhooks:refreshBeforeUpdate is new for webhooks")]);
    expect(await plugin.update({ ...change(), preview: true })).toEqual(change().olds);
    expect(await plugin.update(change())).toEqual(change().olds);
    expect(operations()).toEqual([]);
  });

  it.each([
    ["is recorded already", settings, { refreshBeforeUpdate: true }],
    ["has another URN", settings, { urn: urnOf("old-orders") }],
    ["cannot be compared", { refreshBeforeUpdate: "true" }, {}],
  ])("does not change if it %s", async (_, given, more) => {
    const plugin = await start(given, more);
    await plugin.check(orders, { olds: orders });
    expect(await plugin.diff(change())).toMatchObject({ changes: false });
    expect(warnings).toEqual([]);
  });

  it("does not change in a refresh, which checks nothing", async () => {
    expect(await (await start()).diff(change())).toMatchObject({ changes: false });
  });
});

it("removes a webhook that is gone from the state", async () => {
  const [{ id, outputs }, other] = [await create(), await create()];
  passMinutes();
  const plugin = await Plugin.configured({ settings: { drift: "probe" } });
  await plugin.read(other.id, { outputs: other.outputs, inputs: orders });
  await plugin.delete(id, outputs);
  expect(await plugin.read(id, { outputs, inputs: orders })).toEqual({ id: "", outputs: {}, inputs: {} });
});
