import { expect, it } from "vitest";
import { RESOURCE_KEY, readResourceKey } from "../../src/record/properties.js";
import { UNKNOWN } from "../../src/record/special-values.js";
import { PLUGIN_TYPE } from "../../src/stack/stack-export.js";
import { api, loseReply, operations, reply, useSimulator, warnings } from "../lifecycle/simulator.js";
import { IN_DOUBT, SECRET } from "../lifecycle/webhooks.js";
import { useNotesFolder } from "../notes/notes-folder.js";
import { exported } from "../stack/exported.js";
import { detailsOf, errorOf, ORDERS, orders, Plugin, toSecret, urnOf } from "./plugin.js";

// What the plugin adds to the lifecycle, whose own tests are in test/lifecycle.

useSimulator();

const UNKNOWN_BOOLEAN = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";

/** What check returns for a create: the hash of the URN, and the stamp. */
const CREATE_KEY = expect.stringMatching(/^[\w-]{12}[0-9a-z]{6}$/);

/** Creates a webhook in a process of its own. */
const create = async (inputs: object = orders) => (await Plugin.configured()).create({ ...inputs });

it("returns secrets as such, in inputs, outputs and what the engine must record of a failed create, also a url with a password", async () => {
  const plugin = await Plugin.configured({ settings: { baseUrl: toSecret(api.url) } });
  const url = toSecret("https://user:url-canary@example.com/a");
  const secret = { url, name: toSecret("Orders"), enabled: toSecret(false), secret: toSecret(SECRET) };
  const checked = await plugin.check({ ...secret, secret: SECRET });
  expect(checked).toEqual({ inputs: { ...secret, [RESOURCE_KEY]: CREATE_KEY }, problems: [] });
  const { outputs } = await plugin.create(secret);
  expect(outputs).toMatchObject({ ...secret, baseUrl: toSecret(api.url) });
  const inputs = { ...secret, enabled: toSecret(true) };
  const updated = await plugin.update({ id: "1", olds: outputs, news: inputs });
  expect(updated).toMatchObject(inputs);
  const entry = { id: "1", outputs: updated, inputs };
  expect(await plugin.read("1", entry)).toEqual(entry);
  loseReply();
  const { details, recorded } = await errorOf(plugin.create(secret));
  const id = expect.stringMatching(/^in-doubt:/);
  expect(recorded).toMatchObject({
    id,
    outputs: { ...secret, baseUrl: toSecret(api.url) },
    reasons: [details],
  });
});

it("keeps a secret name in the record of a failed update", async () => {
  const name = toSecret("Classified");
  const { outputs } = await create({ ...orders, name });
  reply({ id: 1, enabled: "true" }, "update", 2);
  const plugin = await Plugin.configured();
  const news = { ...orders, enabled: false };
  const { details, recorded } = await errorOf(plugin.update({ id: "1", olds: outputs, news }));
  expect(recorded?.outputs).toMatchObject({ name, unconfirmed: true });
  expect(details).not.toContain("Classified");
});

const notes = useNotesFolder();

it("notes a create with the URN, and the nonce of its inputs, which an update keeps", async () => {
  const plugin = await Plugin.configured({ notes: notes.start() });
  const { inputs } = await plugin.check(orders);
  expect(inputs).toEqual({ ...orders, [RESOURCE_KEY]: CREATE_KEY });
  await plugin.create(inputs);
  expect(notes.creates).toMatchObject([{ nonce: readResourceKey(inputs).nonce, urn: ORDERS }]);
  expect((await plugin.check(orders, { olds: inputs })).inputs).toEqual(inputs);
  expect((await plugin.check(orders, { olds: orders })).inputs, "of an earlier version").toEqual(orders);
});

it("returns in a preview what is known of the outputs, with values of each type, and sends nothing", async () => {
  const plugin = await Plugin.configured();
  const unknown = { url: UNKNOWN, name: UNKNOWN, enabled: UNKNOWN_BOOLEAN, secret: toSecret(UNKNOWN) };
  const inputs = { ...unknown, enabled: UNKNOWN, [RESOURCE_KEY]: CREATE_KEY };
  expect(await plugin.check(unknown)).toEqual({ inputs, problems: [] });
  const created = await plugin.create({ ...orders, url: UNKNOWN }, { preview: true });
  const outputs = { ...orders, createdAt: UNKNOWN, updatedAt: UNKNOWN };
  expect(created).toMatchObject({ id: "", outputs: { ...outputs, url: UNKNOWN } });
  const olds = { ...outputs, createdAt: "2026", updatedAt: "2026" };
  const change = { id: "1", olds, news: { ...orders, name: "Refunds" }, preview: true };
  expect(await plugin.update(change)).toEqual({ ...olds, name: "Refunds", updatedAt: UNKNOWN });
  expect(operations()).toEqual([]);
});

it("defaults the name to the resource's, and enabled to true", async () => {
  const plugin = await Plugin.configured();
  const inputs = { url: orders.url, name: "a::b", enabled: true, [RESOURCE_KEY]: CREATE_KEY };
  const urn = urnOf("a::b");
  expect(await plugin.check({ url: orders.url }, { urn })).toEqual({ inputs, problems: [] });
});

it("reports all problems of inputs, without the property, whose value the CLI would print", async () => {
  const plugin = await Plugin.configured();
  const wrong = { url: "nowhere", name: null, secret: "***" };
  const problems = [/^url: /, /^secret: /];
  expect((await plugin.check(wrong)).problems).toEqual(problems.map((one) => expect.stringMatching(one)));
});

it("takes an input import for a copied one: with ignoreChanges the engine copies that of the dynamic provider", async () => {
  const copied = { ...orders, import: "1" };
  const plugin = await Plugin.configured();
  expect(await plugin.check(copied, { olds: copied })).toEqual({ inputs: orders, problems: [] });
});

it("warns that the state could not be read, once, and goes on", async () => {
  const plugin = await Plugin.start(new Error("pulumi stack export took too long."));
  await plugin.configure();
  await Promise.all([plugin.check(orders), plugin.check(orders, { urn: urnOf("refunds") })]);
  expect(await plugin.create(orders)).toMatchObject({ id: "1" });
  expect(warnings).toEqual([expect.stringContaining("could not be read. pulumi stack export took")]);
  expect(await plugin.read("7")).toMatchObject({ id: "7" });
});

it("only warns in check of a closed gate, which refuses changes, but neither a preview, a refresh nor a destroy", async () => {
  const { id, outputs } = await create();
  const doubt = { urn: urnOf("doubt"), type: PLUGIN_TYPE, id: IN_DOUBT, outputs };
  const killed = { type: "creating", resource: { urn: urnOf("killed"), type: PLUGIN_TYPE } };
  const start = () => Plugin.configured({ state: exported([doubt], [killed]) });
  const plugin = await start();
  for (const urn of [ORDERS, urnOf("other")])
    expect((await plugin.check(orders, { urn })).problems).toEqual([]);
  const gate = /it is unknown whether the API created webhooks doubt, killed\. .* --stack dev: it says/;
  expect(warnings).toEqual([expect.stringMatching(gate)]);
  expect(await plugin.create(orders, { preview: true })).toMatchObject({ id: "" });
  for (const call of [
    plugin.create(orders),
    plugin.update({ id, olds: outputs, news: orders }),
    plugin.read("7"),
    plugin.delete(id, outputs),
  ]) {
    const { details, recorded } = await errorOf(call);
    expect(details).toMatch(
      /a webhook of this stack is unresolved|created webhooks doubt, killed|says the same/,
    );
    expect(recorded).toBeUndefined();
  }
  const unchecked = await start();
  expect(await unchecked.read(id, { outputs, inputs: orders })).toMatchObject({ id });
  await unchecked.delete(id, outputs);
  expect(operations()).toEqual(["create", "delete"]);
});

it("ends an operation at the time limit that the engine passes", async () => {
  const { id, outputs } = await create();
  const plugin = await Plugin.configured();
  api.inject({ fault: { kind: "hang", commit: false }, times: 99 });
  const timed = { urn: ORDERS, timeout: 1 };
  const failures = await Promise.all([
    detailsOf(plugin.call("create", { ...timed, properties: orders })),
    detailsOf(plugin.call("update", { ...timed, id, olds: outputs, news: orders })),
    detailsOf((await Plugin.configured()).call("delete", { ...timed, id, properties: outputs })),
  ]);
  // On a busy machine, no connection may be ready.
  for (const details of failures) expect(details).toMatch(/before the deadline|deadline passed/);
});
