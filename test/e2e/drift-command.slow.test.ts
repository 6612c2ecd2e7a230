import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSimulator } from "../../simulator/src/index.js";
import { FACES, KEY, Stack } from "../support/stack.js";

const simulator = { behavior: { emptyUpdate: "leaves updated_at" } } as const;

/** One of them is of the plugin. */
const webhook = (name: string, url = `https://example.com/${name}`) =>
  `new ${name === "disabled" ? "plugin" : "webhooks"}.Webhook("${name}", { url: ${JSON.stringify(url)} });\n`;
const five = ["gone", "renamed", "disabled", "moved", "same"];

const drift = (stack: Stack, ...args: string[]) => stack.webhooks("drift", "--stack", "dev", ...args);

it("reports what changed at the API, and nothing else, with an exit code for each outcome", async () => {
  await using stack = await Stack.create({ face: "plugin", simulator });
  const declare = (program: string) =>
    stack.declare(`import * as plugin from "./plugin-sdk";\n${program}`, "dynamic");
  await declare(five.map((name) => webhook(name)).join(""));
  await stack.up();
  stack.takeCalls();

  const off = await drift(stack);
  expect(off.code).toBe(3);
  expect(off.stdout).toContain("! Webhooks were not compared with the API");
  expect(stack.takeCalls()).toEqual([]);

  await stack.configure({ "webhooks:drift": "probe" });
  // A change of the program that is not applied yet is no drift.
  const aliased = `new webhooks.Webhook("alias", { url: "https://example.com/newer/same", name: "same" }, { aliases: [{ name: "same" }] });`;
  const others = five.slice(0, -1).map((name) => webhook(name, `https://example.com/newer/${name}`));
  await declare(others.join("") + aliased);
  const none = await drift(stack);
  expect(none.stdout.trim()).toBe("No drift: 5 webhooks of stack dev compared.");
  expect(none.code).toBe(0);

  const ids = Object.fromEntries(five.map((name) => [name, stack.idOf(name)]));
  stack.api.dashboard.delete(stack.idOf("gone"));
  stack.api.dashboard.edit(stack.idOf("disabled"), { enabled: false });
  stack.api.dashboard.edit(stack.idOf("moved"), { url: "https://elsewhere.example.com" });
  stack.api.dashboard.edit(stack.idOf("renamed"), { name: "Invoices" });
  // The API's times must be older than the probe, by its own clock.
  stack.passMinutes();
  stack.takeCalls();
  const state = await stack.state();

  const text = await drift(stack);
  expect(text.code).toBe(7);
  expect(text.stdout).toContain("Drift: 4 of 5 webhooks of stack dev changed outside Pulumi.");
  expect(text.stdout).toContain(`- gone (${ids.gone}): deleted`);
  expect(text.stdout).toContain(`~ renamed (${ids.renamed}): name "renamed" → "Invoices"`);
  expect(text.stdout).toContain(`~ disabled (${ids.disabled}): enabled true → false`);
  expect(text.stdout).toMatch(new RegExp(`~ moved \\(${ids.moved}\\): changed at \\S+\n`));
  // What is not found is asked for five times.
  expect(stack.takeCalls()).toHaveLength(9);

  const json = await drift(stack, "--json");
  const change = { urn: stack.urn("disabled"), fields: { enabled: { recorded: true, actual: false } } };
  expect(JSON.parse(json.stdout).drift).toContainEqual(expect.objectContaining(change));
  // It neither changes the state nor sends more than the probes.
  expect(await stack.state()).toBe(state);
});

it("reads no other resource, and the config file that it names", async () => {
  const foreign = `
    class Foreign extends pulumi.dynamic.Resource {
      constructor(name: string, props: object) {
        const read = async () => { throw new Error("the credentials of somebody else are missing"); };
        super({ create: async () => ({ id: name, outs: {} }), read }, name, props);
      }
    }
    const team = new pulumi.ComponentResource("test:Team", "team");\n`;
  const orders = (name: string, options: string) =>
    `new webhooks.Webhook("${name}", { url: "https://example.com/orders", name: "Orders" }, { parent: team${options} });\n`;
  const bills = 'new plugin.Webhook("bills", { url: "https://example.com/bills" });\n';
  await using stack = await Stack.create({ face: "plugin", simulator });
  const declare = (program: string) =>
    stack.declare(`import * as plugin from "./plugin-sdk";\n${foreign}${program}`, "dynamic");
  await mkdir(join(stack.folder, "ci"));
  await rename(join(stack.folder, "Pulumi.dev.yaml"), join(stack.folder, "ci/pr.yaml"));
  const file = ["--config-file", "ci/pr.yaml"];
  await declare(`${orders("orders", "")}${bills}new Foreign("foreign", { seen: 1 });`);
  await stack.up(...file);
  await stack.ok("config", "set", "webhooks:drift", "probe", ...file);
  // A new key, too: the refresh reads it from the config, and not from the state.
  stack.api.apiKey = "key-canary-rotated";
  await stack.ok("config", "set", "--secret", "webhooks:apiKey", "key-canary-rotated", ...file);

  const aliased = orders("renamed", ', aliases: [{ name: "orders" }]');
  await declare(`${aliased}${bills}new Foreign("foreign", { seen: 2 });`);
  const none = await drift(stack, ...file);
  expect(none.stdout.trim()).toBe("No drift: 2 webhooks of stack dev compared.");
  expect(none.code).toBe(0);

  stack.api.dashboard.edit(stack.idOf("Orders"), { enabled: false });
  stack.environment.PULUMI_OPTION_CONFIG_FILE = "ci/pr.yaml";
  const changed = await drift(stack);
  expect(changed.stdout).toContain("enabled true → false");
  expect(changed.stdout).toContain("--run-program --stack dev --config-file ci/pr.yaml.");
  expect(changed.code).toBe(7);
});

it.each(FACES)("reports one of two webhooks with one id, and that the program fails (%s)", async (face) => {
  const eu = await startSimulator({ apiKey: KEY, ...simulator });
  await using stack = await Stack.create({ face, config: { "webhooks:drift": "probe" }, simulator });
  const provider = (name: string) =>
    `const ${name} = new webhooks.Provider("${name}", { apiKey: config.requireSecret("euKey"), baseUrl: "${eu.url}", drift: "probe" });\n`;
  const inProvider = (name: string) =>
    `new webhooks.Webhook("b", { url: "https://example.com/b" }, { provider: ${name} });\n`;
  await stack.configure({}, { euKey: KEY });
  await stack.deploy(webhook("a") + provider("eu") + provider("other") + inProvider("eu"));
  eu.behavior.clockSkewSeconds += 60;
  eu.dashboard.edit("1", { enabled: false });
  eu.behavior.clockSkewSeconds += 60;
  // The engine reads it with the Provider that the program declares now.
  await stack.declare(webhook("a") + provider("eu") + provider("other") + inProvider("other"));
  const found = await drift(stack, "--json");
  const expected = { webhooks: 2, drift: [{ urn: stack.urn("b"), id: "1" }], errors: [] };
  expect(JSON.parse(found.stdout)).toMatchObject(expected);
  expect(found.code).toBe(7);

  await stack.declare(`${webhook("a")}throw new Error("the program is broken");`);
  const stdout = expect.stringContaining("Error: the program is broken");
  expect(await drift(stack)).toMatchObject({ code: 1, stdout });
  await eu.close();
});
