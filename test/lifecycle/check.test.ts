import { expect, it } from "vitest";
import { KEY } from "../../src/stack/hidden-properties.js";
import { __provider, declare, failureOf, keyed, orders, startProvider, useSimulator } from "./setup.js";

useSimulator();

it("reports the problems of inputs and settings together, and names no property", async () => {
  const provider = startProvider({ "webhooks:apiKey": "", "webhooks:baseUrl": "" });
  const { failures } = await provider.check({}, { __provider, url: "nowhere", name: "Orders" });
  expect(failures).toEqual([
    { property: "", reason: expect.stringMatching(/^url: /) },
    { property: "", reason: expect.stringMatching(/^webhooks:apiKey is missing/) },
    { property: "", reason: expect.stringMatching(/^webhooks:baseUrl is missing/) },
  ]);
});

it("drops the mark of drift that ignoreChanges copies from the state to the inputs", async () => {
  const news = { __provider, ...orders, changedOutsidePulumi: "2026-01-01T12:00:00Z" };
  expect(await startProvider().check(news, news)).toEqual({ inputs: orders, failures: [] });
});

it("returns the resource's key alone, which the engine records and passes to the other operations", async () => {
  const past = { recordedId: "1", replacedIds: ["2"], provider: {} };
  const declared = keyed(orders, { key: "k3J9x2Qa", given: ["url"], ignored: ["name"], past });
  expect(await startProvider().check(orders, declared)).toEqual({
    inputs: { ...orders, [KEY]: "k3J9x2Qa" },
    failures: [],
  });
});

it("drops a recorded key, which ignoreChanges copies to the inputs and which may be an earlier name's", async () => {
  const copied = { __provider, ...orders, [KEY]: "k3J9x2Qa" };
  expect(await startProvider().check(orders, copied)).toEqual({ inputs: orders, failures: [] });
});

it("reports an argument that the program sets, but whose output is undefined", async () => {
  const webhook = declare(startProvider(), { given: ["url", "secret"] });
  expect(await webhook.check({}, orders)).toEqual([
    "secret: has no value: the output or promise that sets it is undefined",
  ]);
});

it.each([
  ["the default Provider", {}, { "webhooks:explicitProvider": "eu" }],
  ["the Provider eu", { name: "eu" }, {}],
])("refuses to replace a webhook that moves away from %s in the same run", async (known, from, settings) => {
  const past = { recordedId: "1", provider: from };
  const moved = declare(startProvider(settings), { past });
  expect(await moved.check(orders, orders)).toEqual([]);
  expect(await moved.check({}, orders)).toEqual([
    `Webhook Orders cannot be replaced and move to another Provider in the same run. Set its option provider back to ${known}, then run pulumi up. After that, change the provider.`,
  ]);
  const same = startProvider({ "webhooks:explicitProvider": Object(from).name });
  expect(await declare(same, { past }).check({}, orders)).toEqual([]);
  const deleted = declare(startProvider(settings), { past: { ...past, isDeleted: true } });
  expect(await deleted.check({}, orders)).toEqual([]);
});

it("lets an operation without its settings fail with the command that sets them", async () => {
  const provider = startProvider({ "webhooks:apiKey": "" });
  const failure = await failureOf(provider.create({ __provider, ...orders }));
  expect(failure.message).toBe(
    "Creating webhook Orders failed: webhooks:apiKey is missing. Set the environment variable WEBHOOKS_API_KEY, or run pulumi config set --secret webhooks:apiKey and add --run-program to this command.",
  );
});
