import { appendFile, cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { Stack } from "./support/stack.js";

const program = (url = "https://example.com/hooks/orders") => `
  new webhooks.Webhook("orders", { url: "${url}", name: "Orders", secret: config.requireSecret("hookSecret") });
  new webhooks.Webhook("plain", { url: "${url}" });`;

it("shows no change after an upgrade, and runs the new release", async () => {
  const project = await copyProject();
  await using stack = await Stack.create({ program: program(), project });
  await stack.up();
  const before = await inputsOf(stack);

  await upgrade(project);
  await stack.expectNoChanges();
  // A refresh does not run the program: it uses only what the old release stored.
  expect(await stack.ok("refresh", "--yes", "--skip-preview")).toContain("This is release 0.3.0.");
  await stack.up();
  expect(await inputsOf(stack)).toEqual(before);
  expect(stack.takeCalls().sort()).toEqual(["create Orders", "create plain"]);
  await stack.destroy();
  expect(stack.takeCalls().sort()).toEqual(["delete 1", "delete 2"]);
});

it.each([
  { face: "dynamic", importing: '{ import: "3" }', first: ["preview", "--expect-no-changes"] },
  { face: "plugin", importing: "{}", first: ["up", "--yes", "--skip-preview"] },
] as const)(
  "previews, refreshes, updates and destroys the state of release 0.1.0, which was written by the dynamic provider ($face)",
  async ({ face, importing, first }) => {
    const declared = (url: string) => `
      new webhooks.Webhook("orders", { url: "${url}/orders", name: "Orders", secret: config.requireSecret("hookSecret") });
      new webhooks.Webhook("refunds", { url: "${url}/refunds", enabled: false });
      new webhooks.Webhook("legacy", { url: "${url}/legacy", name: "Legacy", enabled: true }, ${importing});`;
    const apiKey = "fixture-key";
    await using stack = await Stack.create({
      face,
      program: declared("https://example.com/hooks"),
      simulator: { apiKey },
    });
    await stack.configure({}, { "webhooks:apiKey": apiKey, hookSecret: "fixture-hook-secret" });
    for (let id = 1; id <= 5; id++)
      stack.api.dashboard.create({ url: "https://example.com", name: "x", enabled: true });

    const fixture = await readFile(join(import.meta.dirname, "fixtures/state-0.1.0.json"), "utf8");
    const file = join(stack.folder, "state.json");
    const state = fixture.replaceAll('http://127.0.0.1:1"', `${stack.api.url}"`);
    // Of a webhook with another time, the API would have used the id again.
    const [{ createdAt } = { createdAt: "" }] = stack.api.webhooks;
    await writeFile(file, state.replace(/("createdAt": )"[^"]*"/g, `$1"${createdAt}"`));
    await stack.ok("stack", "import", "--file", file);

    await stack.ok(...first);
    await stack.ok("refresh", "--yes", "--skip-preview");
    await stack.expectNoChanges();
    expect(stack.takeCalls()).toEqual([]);
    await stack.declare(declared("https://example.com/v2"));
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["update 3", "update 4", "update 5"]);
    expect((await stack.recorded()).map(({ urn }) => urn).sort()).toEqual(
      ["legacy", "orders", "refunds"].map((name) => stack.urn(name)),
    );
    await stack.destroy();
    expect(stack.takeCalls().sort()).toEqual(["delete 3", "delete 4", "delete 5"]);
  },
);

/** Reads the inputs in the state, byte for byte. */
async function inputsOf(stack: Stack): Promise<string[]> {
  const recorded = await stack.recorded("--show-secrets");
  expect(recorded).toHaveLength(2);
  return recorded.map(({ inputs }) => JSON.stringify(inputs)).sort();
}

/** Copies the project with the installed package, without its stacks. */
async function copyProject(): Promise<string> {
  const project = await mkdtemp(join(dirname(inject("home")), "upgrade-"));
  const filter = (path: string) => !/[\\/]stack-\w+$/.test(path);
  await cp(inject("projects").newest, project, { recursive: true, filter });
  return project;
}

/** Replaces the installed package by a later release: one with other code, which prints that it runs. */
async function upgrade(project: string): Promise<void> {
  const installed = join(project, "node_modules/pulumi-webhooks");
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  await writeFile(join(installed, "package.json"), JSON.stringify({ ...manifest, version: "0.3.0" }));
  await appendFile(
    join(installed, "dist/webhook.js"),
    "\n// A comment that the release before did not have.\n",
  );
  await appendFile(join(installed, "dist/dynamic/index.js"), '\nconsole.log("This is release 0.3.0.");\n');
}
