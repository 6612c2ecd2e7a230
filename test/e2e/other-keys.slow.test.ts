import { expect, it } from "vitest";
import { FACES, KEY, Stack } from "../support/stack.js";

// What the engine does with webhooks whose key changes: it moves their records, and refreshes them with another Provider. What a key that
// has not seen a webhook may do is tested in test/lifecycle.

const OTHER_KEY = "other-key-canary";
/** Two keys of two accounts at one URL, whose ids count alike. */
const TWO_ACCOUNTS = { behavior: { acceptedKeys: "any", keysFind: "their own account" } } as const;
/** Two keys of one account. */
const ONE_ACCOUNT = { behavior: { acceptedKeys: "any" } } as const;

const orders = (options: string) =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true }, ${options});`;

/** Declares Providers, by their names, with keys. */
const providers = ({ api }: Stack, keys: Record<string, string>, settings = "") =>
  Object.entries(keys)
    .map(([name, key]) => {
      const args = `{ apiKey: "${key}", baseUrl: "${api.url}"${settings} }`;
      return `const ${name} = new webhooks.Provider("${name}", ${args});\n`;
    })
    .join("");

const stranger = { url: "https://example.com/stranger", name: "Stranger" };
const otherKey = { "webhooks:apiKey": OTHER_KEY };
const MOVED =
  "Webhook 1 (orders) was managed by another Provider, with another API key: no request was sent.";

it.each(FACES)("refuses a webhook that moves to another account's Provider (%s)", async (face) => {
  await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
  const declare = (options: string) =>
    stack.declare(providers(stack, { a: KEY, b: OTHER_KEY }) + orders(options));
  await declare("{ provider: a }");
  await stack.up();
  stack.api.apiKey = OTHER_KEY;
  stack.api.dashboard.create(stranger);
  stack.api.apiKey = KEY;
  stack.takeCalls();
  await declare("{ provider: b }");
  const refused = [await stack.fails("preview"), await stack.upFails()];
  await stack.run("refresh", "--yes", "--run-program");
  refused.push(await stack.upFails("--refresh", "--run-program"), await stack.upFails());
  for (const output of refused) {
    expect(output).toContain(MOVED);
    expect(output, "which proves nothing without probe").not.toContain("pulumi refresh");
  }
  expect(stack.takeCalls()).toEqual([]);
  stack.api.apiKey = OTHER_KEY;
  expect(stack.api.webhooks).toMatchObject([stranger]);
});

it.each(FACES)("moves a webhook with another key that a refresh has recorded (%s)", async (face) => {
  await using stack = await Stack.create({ face, simulator: ONE_ACCOUNT });
  const declare = (name: string, key: string) =>
    stack.declare(providers(stack, { [name]: key }, ', drift: "probe"') + orders(`{ provider: ${name} }`));
  await declare("a", KEY);
  await stack.up();
  stack.passMinutes();
  await declare("b", OTHER_KEY);
  const refused = await stack.fails("preview");
  expect(refused).toContain("run pulumi refresh --run-program --stack dev, which records the new key");
  await stack.ok("refresh", "--yes", "--run-program");
  await stack.up();
  await stack.expectNoChanges();
  expect(stack.takeCalls().filter((call) => !call.startsWith("update"))).toEqual(["create Orders"]);
});

it.each([
  ["off", 1],
  ["probe", 0],
])("overwrites at most one webhook of another account, none with probe (%s)", async (drift, count) => {
  await using stack = await Stack.create({ simulator: TWO_ACCOUNTS, config: { "webhooks:drift": drift } });
  const declare = (url: string) =>
    stack.declare(
      ["a", "b", "c"].map((name) => orders("{}").replace("orders", name).replace("/a", url)).join("\n"),
    );
  await declare("/a");
  await stack.up();
  stack.passMinutes();
  stack.api.apiKey = OTHER_KEY;
  for (const name of ["1", "2", "3"]) stack.api.dashboard.create({ ...stranger, name });
  await stack.configure({}, otherKey);
  await declare("/b");
  expect(await stack.upFails()).toContain("is another webhook now");
  expect(stack.api.webhooks.filter(({ url }) => url !== stranger.url)).toHaveLength(count);
});

it("knows a webhook under a rotated key by its creation, of which the API keeps fewer digits now", async () => {
  const config = { "webhooks:drift": "probe" };
  await using stack = await Stack.create({ simulator: ONE_ACCOUNT, config, program: orders("{}") });
  await stack.up();
  stack.passMinutes();
  stack.api.behavior = { ...stack.api.behavior, timestampPrecision: "milliseconds" };
  await stack.configure({}, otherKey);
  expect(await stack.ok("refresh", "--yes", "--run-program")).not.toContain("was not compared");
  await stack.expectNoChanges();
});

it.each(FACES)("says how to end the record of a resource renamed by an import (%s)", async (face) => {
  await using stack = await Stack.create({ face, program: orders("{}") });
  await stack.up();
  await stack.declare(orders('{ import: "1" }').replace("orders", "sales"));
  const command = `pulumi state delete '${stack.urn("orders")}' --stack dev`;
  expect(await stack.fails("preview")).toContain(`If the program no longer declares it, run ${command}`);
  await stack.ok("state", "delete", stack.urn("orders"), "--yes");
  await stack.up();
  await stack.up();
  await stack.expectNoChanges();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders" }]);
});
