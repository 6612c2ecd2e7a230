import { expect, it } from "vitest";
import { FACES, KEY, Stack } from "../support/stack.js";

const OTHER_KEY = "other-key-canary";
/** Two keys of two accounts at one URL, whose ids count alike. */
const TWO_ACCOUNTS = { behavior: { acceptedKeys: "any", keysFind: "their own account" } } as const;

const orders = (options: string, fields = "") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true${fields} }, ${options});`;
const providers = (keys: Record<string, string>) => (stack: Stack) =>
  Object.entries(keys)
    .map(([name, key]) => {
      const args = `{ apiKey: "${key}", baseUrl: "${stack.api.url}", drift: "probe" }`;
      return `const ${name} = new webhooks.Provider("${name}", ${args});`;
    })
    .join("\n");

/** Lets a person look at the other account, and returns its webhooks. */
function otherAccount(stack: Stack, act: () => void = () => {}) {
  stack.api.apiKey = OTHER_KEY;
  act();
  const { webhooks } = stack.api;
  stack.api.apiKey = KEY;
  return webhooks;
}

it.each(FACES)(
  "refuses a webhook that moves to the Provider of another account, which has one of its id, and moves it with its own key (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
    const declare = (options: string) =>
      stack.declare(providers({ a: KEY, b: OTHER_KEY, renamed: KEY })(stack) + orders(options));
    await declare("{ provider: a }");
    await stack.up();
    const stranger = { url: "https://example.com/stranger", name: "Stranger" };
    otherAccount(stack, () => stack.api.dashboard.create(stranger));
    stack.takeCalls();
    await declare("{ provider: b }");
    for (const refused of [await stack.fails("preview"), await stack.upFails()])
      expect(refused).toContain(
        "Webhook 1 (orders) was managed by another Provider, with another API key: no request was sent.",
      );
    await declare("{ provider: renamed }");
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
    expect(otherAccount(stack)).toMatchObject([stranger]);
  },
);

it.each(FACES)(
  "records another key of the same account, with which a webhook moves then, by a refresh that finds its creation (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: { behavior: { acceptedKeys: "any" } } });
    const declare = (name: string, key: string) =>
      stack.declare(providers({ [name]: key })(stack) + orders(`{ provider: ${name} }`));
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
  },
);

it.each(FACES)(
  "creates nothing with the key of another account, which does not see the webhook that is to be replaced (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
    const kept = 'new webhooks.Webhook("kept", { url: "https://example.com/kept" });';
    await stack.declare(orders("{}", ', secret: config.requireSecret("hookSecret")') + kept);
    await stack.up();
    stack.passMinutes();
    stack.takeCalls();
    const id = stack.idOf("Orders");
    await stack.configure({}, { "webhooks:apiKey": OTHER_KEY, hookSecret: "whsec-canary-2" });
    const refused = await stack.upFails();
    expect(refused).toContain("another API key saw it last, and this one may not see it.");
    expect(refused).toContain("Nothing was created.");
    expect(stack.takeCalls()).toEqual([`update ${id} -> 404`]);
    expect(otherAccount(stack)).toEqual([]);
    await stack.configure({}, { "webhooks:apiKey": KEY });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", `delete ${id}`]);

    // A removal keeps its entry, too.
    stack.passMinutes();
    await stack.configure({}, { "webhooks:apiKey": OTHER_KEY });
    await stack.declare(kept);
    expect(await stack.upFails()).toContain(
      "If the dashboard of that account does not show it, run pulumi state delete",
    );
    await stack.configure({}, { "webhooks:apiKey": KEY });
    await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ name: "kept" }]);
  },
);

// A plugin's processes read the state one after another: the second one may refuse the import already.
it("refuses two records of one webhook, which two Providers imported in one up, until one is taken out of the state", async () => {
  await using stack = await Stack.create({ simulator: { behavior: { acceptedKeys: "any" } } });
  const copy = orders('{ provider: b, import: "1" }').replace('"orders"', '"copy"');
  const both = providers({ a: KEY, b: OTHER_KEY })(stack) + orders('{ provider: a, import: "1" }');
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old" });
  await stack.declare(both + copy);
  await stack.up();
  await stack.declare(both);
  stack.takeCalls();
  const refused = await stack.fails("preview");
  expect(refused).toContain(`Webhook 1 (orders) is also recorded for ${stack.urn("copy")}`);
  expect(await stack.upFails()).toContain("take only its record out of the state: pulumi state delete");
  await stack.ok("state", "delete", stack.urn("copy"), "--yes");
  await stack.up();
  await stack.expectNoChanges();
  expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders" }]);
  expect(stack.takeCalls().filter((call) => call.startsWith("delete"))).toEqual([]);
});
