import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FACES, KEY, Stack } from "../support/stack.js";

const OTHER_KEY = "other-key-canary";
/** Two keys of two accounts at one URL, whose ids count alike. */
const TWO_ACCOUNTS = { behavior: { acceptedKeys: "any", keysFind: "their own account" } } as const;
/** Two keys of one account. */
const ONE_ACCOUNT = { behavior: { acceptedKeys: "any" } } as const;

const orders = (options: string, fields = "") =>
  `new webhooks.Webhook("orders", { url: "https://example.com/a", name: "Orders", enabled: true${fields} }, ${options});`;
const SECRET = ', secret: config.requireSecret("hookSecret")';
const providers =
  (keys: Record<string, string>, settings = "") =>
  (stack: Stack) =>
    Object.entries(keys)
      .map(([name, key]) => {
        const args = `{ apiKey: "${key}", baseUrl: "${stack.api.url}"${settings} }`;
        return `const ${name} = new webhooks.Provider("${name}", ${args});`;
      })
      .join("\n");
const PROBE = ', drift: "probe"';
const MOVED =
  "Webhook 1 (orders) was managed by another Provider, with another API key: no request was sent.";
const otherKey = { "webhooks:apiKey": OTHER_KEY };
const rotated = { ...otherKey, hookSecret: "whsec-canary-2" };

/** Lets a person look at the other account, and returns its webhooks. */
function otherAccount(stack: Stack, act: () => void = () => {}) {
  stack.api.apiKey = OTHER_KEY;
  act();
  const { webhooks } = stack.api;
  stack.api.apiKey = KEY;
  return webhooks;
}

const stranger = { url: "https://example.com/stranger", name: "Stranger" };

it.each(FACES)(
  "refuses a webhook that moves to the Provider of another account, whatever is refreshed, and moves it with its own key (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
    const declare = (options: string, name = "orders") =>
      stack.declare(
        providers({ a: KEY, b: OTHER_KEY, renamed: KEY })(stack) +
          orders(options).replace('"orders"', `"${name}"`),
      );
    await declare("{ provider: a }");
    await stack.up();
    otherAccount(stack, () => stack.api.dashboard.create(stranger));
    stack.takeCalls();
    await declare("{ provider: b }");
    const refused = [await stack.fails("preview"), await stack.upFails()];
    await stack.run("refresh", "--yes", "--run-program");
    refused.push(await stack.upFails("--refresh", "--run-program"), await stack.upFails());
    for (const output of refused) {
      expect(output).toContain(MOVED);
      expect(output, "which proves nothing without probe").not.toContain("pulumi refresh");
    }
    await declare("{ provider: renamed }");
    await stack.up();
    await stack.expectNoChanges();
    await declare(`{ provider: renamed, aliases: [{ name: "orders" }] }`, "sales");
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
    expect(otherAccount(stack)).toMatchObject([stranger]);
  },
);

it.each(FACES)(
  "moves a webhook whose key was rotated before to an explicit Provider, in the way that the refusal prints (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: ONE_ACCOUNT });
    const moved = (fields = "") => providers({ b: OTHER_KEY })(stack) + orders("{ provider: b }", fields);
    await stack.declare(orders("{}"));
    await stack.up();
    await stack.configure({}, otherKey);
    await stack.up();
    await stack.declare(moved());
    expect(await stack.fails("preview")).toContain(
      "undo the move, give both Providers one API key, change the name alone and run pulumi up, which records that key; then move it.",
    );
    const renamed = ', name: "Sales"';
    await stack.declare(orders("{}", renamed).replace('name: "Orders", ', ""));
    await stack.up();
    stack.takeCalls();
    await stack.declare(moved(renamed).replace('name: "Orders", ', ""));
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
  },
);

it.each(FACES)(
  "records another key of the same account, with which a webhook moves then, by a refresh that finds its creation (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: ONE_ACCOUNT });
    const declare = (name: string, key: string) =>
      stack.declare(providers({ [name]: key }, PROBE)(stack) + orders(`{ provider: ${name} }`));
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
  "creates and deletes nothing with the key of another account, and says where to look (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
    const kept = 'new webhooks.Webhook("kept", { url: "https://example.com/kept" });';
    await stack.declare(orders("{}", SECRET) + kept);
    await stack.up();
    stack.passMinutes();
    stack.takeCalls();
    const id = stack.idOf("Orders");
    await stack.configure({}, rotated);
    const refused = await stack.upFails();
    expect(refused).toContain(`Asking whether this API key sees webhook ${id} (orders) failed: 404`);
    expect(refused).toContain("another API key saw it last. Set a key of that account.");
    expect(stack.takeCalls()).toEqual(Array(5).fill(`update ${id} -> 404`));
    expect(otherAccount(stack)).toEqual([]);
    await stack.configure({}, { "webhooks:apiKey": KEY });
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", `delete ${id}`]);

    // A removal keeps its entry, too.
    stack.passMinutes();
    await stack.configure({}, otherKey);
    await stack.declare(kept);
    expect(await stack.upFails()).toContain(
      "delete it in that account's dashboard, then run pulumi state delete",
    );
    await stack.configure({}, { "webhooks:apiKey": KEY });
    await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ name: "kept" }]);
  },
);

it.each(FACES)(
  "needs no proof of a webhook whose receiver refuses updates: under a rotated key it is replaced by force, rotated and removed (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: ONE_ACCOUNT });
    await stack.declare(orders("{}", SECRET));
    await stack.up();
    stack.passMinutes();
    await stack.configure({}, otherKey);
    stack.takeCalls();
    const message = "The receiver does not answer.";
    const fault = { kind: "status", status: 422, body: JSON.stringify({ message }) } as const;
    stack.api.inject({ operation: "update", times: Number.POSITIVE_INFINITY, fault });
    await stack.up("--replace", stack.urn("orders"));
    expect(stack.takeCalls()).toEqual(["update 1 -> 422", "create Orders", "update 1 -> 422", "delete 1"]);
    await stack.configure({}, { "webhooks:apiKey": "third-key-canary", hookSecret: "whsec-canary-2" });
    await stack.up();
    await stack.configure({}, otherKey);
    await stack.destroy("--run-program");
    expect(stack.api.webhooks).toEqual([]);
  },
);

it.each(FACES)(
  "creates what deleteBeforeReplace has deleted, also under a rotated key, and does not delete it again after a revert (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: ONE_ACCOUNT });
    const program = orders("{ deleteBeforeReplace: true }", SECRET);
    await stack.declare(program);
    await stack.up();
    for (const revert of [false, true]) {
      stack.passMinutes();
      const key = revert ? "third-key-canary" : OTHER_KEY;
      await stack.configure({}, { "webhooks:apiKey": key, hookSecret: `whsec-canary-${revert}` });
      stack.takeCalls();
      stack.api.inject({ operation: "create", fault: { kind: "status", status: 422 } });
      const id = stack.idOf("Orders");
      await stack.upFails();
      expect(stack.takeCalls()).toEqual([`update ${id}`, `delete ${id}`, "create Orders -> 422"]);
      if (revert) await stack.configure({}, { hookSecret: "whsec-canary-false" });
      await stack.up();
      expect(stack.takeCalls()).toEqual(["create Orders"]);
      await stack.expectNoChanges();
    }
  },
);

it.each(FACES)(
  "touches no webhook of staging, where ids count alike, at an API whose create shows no time (%s)",
  async (face) => {
    const behavior = { ...TWO_ACCOUNTS.behavior, timestampsInCreateReply: false };
    await using stack = await Stack.create({ face, simulator: { behavior } });
    await stack.declare(orders("{}", SECRET));
    await stack.up();
    stack.passMinutes();
    otherAccount(stack, () => stack.api.dashboard.create(stranger));
    await stack.configure({}, rotated);
    stack.takeCalls();
    // The update that asks has overwritten it.
    expect(await stack.upFails()).toContain("Webhook 1 (orders) is another webhook now");
    await stack.declare("");
    expect(await stack.upFails()).toMatch(/Webhook 1 (?:\(orders\) )?is another webhook now/);
    expect(otherAccount(stack)).toHaveLength(1);
    expect(stack.takeCalls()).toEqual(["update 1", "update 1"]);
  },
);

it.each(FACES)(
  "says where the webhook is if the first deployment ran with another account's key (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, simulator: TWO_ACCOUNTS });
    await stack.configure({}, otherKey);
    await stack.declare(orders("{}"));
    await stack.up();
    await stack.configure({}, { "webhooks:apiKey": KEY });
    await stack.up();
    stack.passMinutes();
    await stack.declare(orders("{}").replace("/a", "/b"));
    expect(await stack.upFails()).toContain(
      "delete it in that account's dashboard, then run pulumi state delete",
    );
    otherAccount(stack, () => stack.api.dashboard.delete("1"));
    await stack.ok("state", "delete", stack.urn("orders"), "--yes");
    await stack.up();
    expect(stack.api.webhooks).toMatchObject([{ url: "https://example.com/b" }]);
  },
);

it.each(FACES)("creates nothing because of one 404 that a probe gets (%s)", async (face) => {
  await using stack = await Stack.create({ face, config: { "webhooks:drift": "probe" } });
  await stack.declare(["a", "b"].map((name) => orders("{}").replace('"orders"', `"${name}"`)).join("\n"));
  await stack.up();
  stack.passMinutes();
  stack.takeCalls();
  const fault = { kind: "status", status: 404, body: '{ "message": "Not found." }' } as const;
  stack.api.inject({ operation: "update", times: 1, fault });
  await stack.up("--refresh", "--run-program");
  expect(stack.takeCalls().filter((call) => !call.startsWith("update"))).toEqual([]);
  expect(stack.api.webhooks).toHaveLength(2);
});

it("deletes and overwrites with staging's key no webhook of staging that has the id of an imported one", async () => {
  const config = { "webhooks:drift": "probe" };
  await using stack = await Stack.create({ face: "plugin", simulator: TWO_ACCOUNTS, config });
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old" });
  stack.passMinutes();
  otherAccount(stack, () => stack.api.dashboard.create(stranger));
  await stack.declare(orders('{ import: "1" }'));
  await stack.up();
  await stack.configure({}, otherKey);
  for (const program of [orders("{}"), ""]) {
    await stack.declare(program);
    expect(await stack.upFails()).toContain("is another webhook now");
  }
  expect(otherAccount(stack)).toMatchObject([stranger]);
});

const [plain] = FACES;

it("refuses the same import for a second Provider of one program", async () => {
  await using stack = await Stack.create({ face: plain, simulator: ONE_ACCOUNT });
  const copy = orders('{ provider: b, import: "1" }').replace('"orders"', '"copy"');
  stack.api.dashboard.create({ url: "https://example.com/old", name: "Old" });
  await stack.declare(
    providers({ a: KEY, b: OTHER_KEY })(stack) + orders('{ provider: a, import: "1" }') + copy,
  );
  expect(await stack.upFails()).toContain(
    `Webhook 1 belongs to another resource of this stack, ${stack.urn("orders")}. If`,
  );
});

// Each process of a plugin's two Providers imports it, if both read the state before.
it.each(FACES)(
  "refuses two records of one webhook until one is taken out of the state, with the commands for both (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders("{}") });
    await stack.up();
    const state = JSON.parse(await stack.state());
    const record = state.deployment.resources.find(({ urn }: { urn: string }) => urn === stack.urn("orders"));
    state.deployment.resources.push({ ...record, urn: stack.urn("copy") });
    const file = join(stack.folder, "state.json");
    await writeFile(file, JSON.stringify(state));
    await stack.ok("stack", "import", "--file", file);
    stack.takeCalls();
    const refused = await stack.fails("preview");
    expect(refused).toContain(`Webhook 1 (orders) is also recorded for ${stack.urn("copy")}`);
    for (const name of ["orders", "copy"])
      expect(refused).toContain(`pulumi state delete '${stack.urn(name)}' --stack dev`);
    await stack.ok("state", "delete", stack.urn("copy"), "--yes");
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
  },
);

it.each([
  ["off", 1],
  ["probe", 0],
])(
  "overwrites at most one of three webhooks of another account, and with drift probe none (%s)",
  async (drift, count) => {
    await using stack = await Stack.create({ simulator: TWO_ACCOUNTS, config: { "webhooks:drift": drift } });
    const declare = (url: string) =>
      stack.declare(
        ["a", "b", "c"].map((name) => orders("{}").replace("orders", name).replace("/a", url)).join("\n"),
      );
    await declare("/a");
    await stack.up();
    stack.passMinutes();
    otherAccount(stack, () => {
      for (const name of ["1", "2", "3"]) stack.api.dashboard.create({ ...stranger, name });
    });
    await stack.configure({}, otherKey);
    await declare("/b");
    expect(await stack.upFails()).toContain("is another webhook now");
    expect(otherAccount(stack).filter(({ url }) => url !== stranger.url)).toHaveLength(count);
  },
);

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

it.each(FACES)(
  "says how to end the record of a renamed resource if its webhook is imported again (%s)",
  async (face) => {
    await using stack = await Stack.create({ face, program: orders("{}") });
    await stack.up();
    await stack.declare(orders('{ import: "1" }').replace("orders", "sales"));
    const command = `pulumi state delete '${stack.urn("orders")}' --stack dev`;
    expect(await stack.fails("preview")).toContain(
      `If the program no longer declares it, run ${command} first.`,
    );
    await stack.ok("state", "delete", stack.urn("orders"), "--yes");
    await stack.up();
    await stack.up();
    await stack.expectNoChanges();
    expect(stack.api.webhooks).toMatchObject([{ id: "1", name: "Orders" }]);
  },
);
