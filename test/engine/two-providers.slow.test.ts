import { expect, it } from "vitest";
import { startSimulator } from "../../src/simulator/index.js";
import { KEY, Stack } from "./stack.js";

// Two Providers of one account are two processes: neither knows what the other does in the same run.

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webhooks:Webhook::";
const provider = (baseUrl: string) =>
  `const own = new webhooks.Provider("own", { apiKey: new pulumi.Config("webhooks").requireSecret("apiKey"), baseUrl: "${baseUrl}" });\n`;
const webhook = (name: string, options = "{}") =>
  `new webhooks.Webhook("${name}", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});\n`;

it.each([
  ["the default Provider comes first", "{}", "{ provider: own }"],
  ["the default Provider comes last", "{ provider: own }", "{}"],
])(
  "refuses to import one webhook by resources of two Providers, in a preview already: %s",
  async (_, ...options) => {
    await using stack = await Stack.create();
    stack.api.dashboard.create({ url: "https://example.com/old", name: "Orders", enabled: true });
    const [one = "", two = ""] = options.map((option, n) =>
      webhook(["one", "two"][n] ?? "", `{ ...${option}, import: "1" }`),
    );
    // Another spelling of the same URL.
    const own = provider(`${stack.api.url}/`);
    await stack.declare(own + one + two);
    for (const output of [await stack.fails("preview"), await stack.upFails()]) {
      expect(output).toContain(`webhook 1 belongs to another resource of this stack, ${URN}one.`);
    }
    // The refusal ends the up before or after the first import.
    await stack.declare(own + one);
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    expect((await stack.recorded()).map(({ id }) => id)).toEqual(["1"]);
  },
);

it("imports the same id of two accounts", async () => {
  const other = await startSimulator({ apiKey: KEY });
  await using stack = await Stack.create();
  for (const api of [stack.api, other]) {
    for (const name of ["First", "Second"]) api.dashboard.create({ url: "https://example.com/old", name });
  }
  await stack.declare(
    provider(other.url) +
      webhook("one", '{ import: "1" }') +
      webhook("two", '{ import: "1", provider: own }') +
      webhook("three", '{ import: "2", provider: own }') +
      webhook("four", '{ import: "2" }'),
  );
  await stack.ok("preview");
  await stack.up();
  for (const api of [stack.api, other]) {
    expect(api.webhooks.map(({ name }) => name)).toEqual(["Orders", "Orders"]);
  }
  await other.close();
});

it("keeps a webhook in doubt in the state while it is imported and moved to another Provider in one step", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  await stack.upFails();
  const [{ id = "" } = {}] = await stack.recorded();
  stack.takeCalls();

  const own = provider(stack.api.url);
  for (const options of [
    '{ import: "1", provider: own }',
    '{ import: "1", provider: own, deleteBeforeReplace: true }',
  ]) {
    await stack.declare(own + webhook("orders", options));
    for (const output of [await stack.fails("preview"), await stack.upFails()]) {
      expect(output).toContain(
        "Webhook Orders is in doubt, so it cannot move to another Provider yet. Set its option provider back to the default Provider, then run pulumi up.",
      );
    }
  }
  await stack.declare(own + webhook("orders", "{ provider: own }"));
  await stack.upFails("--replace", `${URN}orders`);
  expect((await stack.recorded()).map((one) => one.id)).toEqual([id]);
  expect(stack.takeCalls()).toEqual([]);

  // One step after the other.
  await stack.declare(own + webhook("orders", '{ import: "1" }'));
  expect(await stack.up()).not.toContain("was removed from the state");
  await stack.declare(own + webhook("orders", "{ provider: own }"));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});
