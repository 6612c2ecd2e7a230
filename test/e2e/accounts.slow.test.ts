import { expect, it, onTestFinished } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/src/index.js";
import { FACES, KEY, Stack } from "../support/stack.js";

const EU_KEY = "eu-key-canary";
const US_KEY = "us-key-canary";

/** A program with the default account and two others: the URL of one and the key of the other are outputs of the first webhook. */
const threeAccounts = (eu: Simulator, us: Simulator) => `
  const home = new webhooks.Webhook("home", { url: "https://example.com/home" });
  const eu = new webhooks.Provider("eu", {
    apiKey: config.requireSecret("euKey"),
    baseUrl: home.id.apply(() => "${eu.url}"),
    timeoutSeconds: 5,
  });
  const usKey = home.id.apply(() => "${US_KEY}");
  const us = new webhooks.Provider("us", { apiKey: pulumi.secret(usKey), baseUrl: "${us.url}" });
  new webhooks.Webhook("eu-orders", { url: "https://example.com/eu" }, { provider: eu });
  new webhooks.Webhook("us-orders", { url: "https://example.com/us" }, { provider: us });`;

it.each(FACES)("reaches each account with its own key and URL (%s)", async (face) => {
  const eu = await start(EU_KEY);
  const us = await start(US_KEY);
  await using stack = await Stack.create({ face, program: threeAccounts(eu, us) });
  await stack.configure({}, { euKey: EU_KEY });
  await stack.ok("preview");
  const up = await stack.up();
  for (const [api, name] of [
    [stack.api, "home"],
    [eu, "eu-orders"],
    [us, "us-orders"],
  ] as const) {
    expect(api.calls).toMatchObject([{ operation: "create", status: 201, body: { name } }]);
    api.clearCalls();
  }
  await stack.expectNoChanges();
  expect(up + (await stack.state())).not.toContain("canary");

  // A new key changes the Provider alone, and later requests use it.
  eu.apiKey = "eu-key-canary-rotated";
  await stack.configure({}, { euKey: "eu-key-canary-rotated" });
  await stack.up();
  expect(eu.calls).toEqual([]);
  await stack.deploy(threeAccounts(eu, us).replace("example.com/eu", "example.com/eu/v2"));
  expect(eu.calls).toMatchObject([{ operation: "update", status: 200 }]);
  expect(us.calls).toEqual([]);

  // The same up removes the Providers and their webhooks.
  await stack.deploy('new webhooks.Webhook("home", { url: "https://example.com/home" });');
  expect([eu.webhooks, us.webhooks]).toEqual([[], []]);
  expect(stack.api.webhooks).toHaveLength(1);
});

it.each(FACES)("imports an id of two accounts, and moves a webhook without a request (%s)", async (face) => {
  const eu = await start(EU_KEY);
  await using stack = await Stack.create({ face });
  const apis = [stack.api, eu];
  const program = (one: string, options: string) => `
    const eu = new webhooks.Provider("eu", { apiKey: "${EU_KEY}", baseUrl: "${eu.url}" });
    const main = new webhooks.Provider("main", { apiKey: "${KEY}", baseUrl: "${stack.api.url}" });
    const team = new pulumi.ComponentResource("test:Team", "team");
    const fields = { url: "https://example.com/a", name: "Orders", enabled: true };
    new webhooks.Webhook("${one}", fields, ${options});
    new webhooks.Webhook("two", fields, { import: "1", provider: eu });`;
  await stack.declare(program("one", '{ import: "1" }'));
  for (const api of apis) api.dashboard.create({ url: "https://example.com/old", name: "Old" });
  await stack.up();
  await stack.up(); // The engine's import, with the plugin, leaves the update to this one.
  for (const api of apis) expect(api.webhooks).toMatchObject([{ id: "1", name: "Orders" }]);
  await stack.expectNoChanges();
  stack.takeCalls();
  await stack.deploy(program("three", `{ aliases: ["${stack.urn("one")}"], parent: team, provider: main }`));
  expect(stack.takeCalls()).toEqual([]);
  await stack.expectNoChanges();
});

it("moves the webhooks of several accounts to the plugin and back, without a request", async () => {
  const eu = await start(EU_KEY);
  const us = await start(US_KEY);
  const program = threeAccounts(eu, us);
  const apis = () => [stack.api, eu, us];
  await using stack = await Stack.create({ face: "plugin" });
  await stack.configure({}, { euKey: EU_KEY });
  await stack.declare(program, "dynamic");
  await stack.up();
  for (const api of apis()) api.clearCalls();

  await stack.deploy(program);
  await stack.expectNoChanges();
  const moved = await stack.recorded();
  expect(moved.map(({ type }) => type)).toEqual(Array(3).fill("webhooks:index:Webhook"));

  const back = program
    .replace('home" }', 'home" }, { aliases }')
    .replaceAll("{ provider:", "{ aliases, provider:");
  await stack.declare(`const aliases = [{ type: "webhooks:index:Webhook" }];${back}`, "dynamic");
  await stack.up();
  await stack.expectNoChanges();
  for (const api of apis()) expect(api.calls).toEqual([]);
  await stack.destroy();
  for (const api of apis()) expect(api.webhooks).toEqual([]);
});

async function start(apiKey: string): Promise<Simulator> {
  const api = await startSimulator({ apiKey });
  onTestFinished(() => api.close());
  return api;
}
