import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { generateSdk } from "../../scripts/languages.mts";
import { kill, upWithCreateInFlight } from "./kill.js";
import {
  createStack,
  declareExample,
  declareQuickstart,
  installExample,
  removeRefunds,
} from "./languages.js";
import type { Stack } from "./stack.js";
import { KEY, SECRET } from "./stack.js";

const run = promisify(execFile);
const SCHEMA = join(import.meta.dirname, "../../src/plugin/schema.json");

describe.each(["python", "go", "yaml"] as const)("a program in %s", (language) => {
  let prepared = "";

  // The first time on a machine, Pulumi's language hosts and its SDK for Go are compiled.
  beforeAll(async () => {
    prepared = await installExample(language);
  }, 900_000);

  if (language !== "yaml") {
    it("compiles with the SDK that Pulumi generates from the schema", async () => {
      if (language === "python") {
        const modules = ["__main__.py", "sdk"];
        await run("venv/bin/python", ["-m", "compileall", "-q", ...modules], { cwd: prepared });
        await run("venv/bin/python", ["-c", "import pulumi_webhooks"], { cwd: prepared });
      } else await run("go", ["vet", "./..."], { cwd: prepared });
    });
  }

  it("creates, updates, replaces and deletes webhooks", async () => {
    await using stack = await createStack();
    await declareExample(stack, language, prepared);
    await stack.ok("preview");
    expect(stack.takeCalls()).toEqual([]);

    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["create Orders", "create refunds"]);
    expect(stack.api.webhooks.map(({ name, enabled }) => `${name} ${enabled}`).sort()).toEqual([
      "Orders true",
      "refunds false",
    ]);
    const { ordersId, refundsId } = await stack.outputs();
    expect(stack.api.webhooks.find(({ name }) => name === "Orders")?.id).toBe(ordersId);
    await stack.expectNoChanges();

    await stack.configure({ ordersUrl: "https://example.com/hooks/moved" });
    await stack.up();
    expect(stack.takeCalls()).toEqual([`update ${ordersId}`]);

    await stack.configure({}, { hookSecret: "whsec-canary-rotated" });
    expect(await stack.ok("preview", "--diff")).toContain("~ secret: [secret] => [secret]");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders", `delete ${ordersId}`]);

    await removeRefunds(stack, language);
    await stack.up();
    expect(stack.takeCalls()).toEqual([`delete ${refundsId}`]);
    await stack.expectNoChanges();

    const state = await stack.state();
    for (const secret of [KEY, SECRET, "whsec-canary-rotated"]) expect(state).not.toContain(secret);
    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  });

  it("sends a create with an unknown outcome once, and goes on after resolve", async () => {
    await using stack = await createStack();
    await declareExample(stack, language, prepared);
    await removeRefunds(stack, language);
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook");
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook: Orders.");
    expect(stack.takeCalls()).toEqual(["create Orders -> no reply"]);

    await resolve(stack, "1");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
  });

  it("does not repeat a create that a killed run had started", async () => {
    await using stack = await createStack();
    await declareExample(stack, language, prepared);
    await removeRefunds(stack, language);
    const up = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } });
    await kill(stack, up);
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook: Orders.");
    expect(stack.takeCalls()).toEqual(["create Orders -> no reply"]);

    await resolve(stack, "1");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["update 1"]);
    await stack.expectNoChanges();
  });

  it("shows and corrects changes of the dashboard without an option of the preview", async () => {
    await using stack = await createStack({
      simulator: { behavior: { emptyUpdate: "leaves updated_at" } },
      config: { "webhooks:drift": "probe", "webhooks:refreshBeforeUpdate": "true" },
    });
    await declareExample(stack, language, prepared);
    await stack.up();
    await stack.expectNoChanges();
    const { refundsId } = await stack.outputs();
    stack.api.dashboard.edit(String(refundsId), { name: "Do not touch", enabled: true });
    expect((await stack.webhooks("drift", "--stack", "dev")).code).toBe(7);
    const preview = await stack.ok("preview", "--diff");
    expect(preview).toMatch(/~ name +: "Do not touch" => "refunds"/);
    expect(preview).toMatch(/~ enabled *: true => false/);

    stack.takeCalls();
    await stack.up();
    expect(stack.api.webhooks).toContainEqual(
      expect.objectContaining({ id: refundsId, name: "refunds", enabled: false }),
    );
    await stack.expectNoChanges();
  });

  it("takes a stack over from the dynamic provider, and gives it back, without a request", async () => {
    await using stack = await createStack();
    await declareQuickstart(stack);
    await stack.up();
    const before = await stack.outputs();
    stack.takeCalls();

    await declareExample(stack, language, prepared);
    await stack.up();
    expect(await types(stack)).toEqual(["webhooks:index:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual(before);

    await declareQuickstart(stack, 'aliases: [{ type: "webhooks:index:Webhook" }]');
    await stack.up();
    expect(await types(stack)).toEqual(["pulumi-nodejs:dynamic/webhooks:Webhook"]);
    await stack.expectNoChanges();
    expect(await stack.outputs()).toEqual(before);
    expect(stack.takeCalls()).toEqual([]);

    await stack.destroy();
    expect(stack.api.webhooks).toEqual([]);
  });

  it("takes over a webhook in doubt from the dynamic provider", async () => {
    await using stack = await createStack({
      program: `new webhooks.Webhook("orders", {
        url: "https://example.com/hooks/orders", name: "Orders", secret: config.requireSecret("hookSecret"),
      });`,
    });
    stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
    await stack.upFails();

    await declareExample(stack, language, prepared);
    await removeRefunds(stack, language);
    expect(await stack.upFails()).toContain("It is unknown whether the API created this webhook: Orders.");
    await resolve(stack, "1");
    await stack.up();
    expect(stack.takeCalls()).toEqual(["create Orders -> no reply", "update 1"]);
    await stack.expectNoChanges();
  });

  if (language === "python") {
    it("imports a webhook by Pulumi's own option, never replaces it for its secret, and requires every field", async () => {
      await using stack = await createStack();
      const { id } = stack.api.dashboard.create({ url: "https://example.com", name: "Old", enabled: false });
      await declareExample(stack, language, prepared);
      const file = join(stack.folder, "__main__.py");
      const program = (fields: string) =>
        `import pulumi\nimport pulumi_webhooks as webhooks\nwebhooks.Webhook("legacy", url="https://example.com/new", ${fields}secret="whsec-legacy", opts=pulumi.ResourceOptions(import_="${id}"))\n`;

      await writeFile(file, program('name="Legacy", '));
      expect(await stack.fails("preview")).toContain("was imported, and the program does not set enabled");
      await writeFile(file, program('name="Legacy", enabled=True, '));
      await stack.up();
      expect(stack.takeCalls()).toEqual([]);
      await stack.up();
      expect(stack.takeCalls()).toEqual([`update ${id}`]);
      await stack.expectNoChanges();
      expect(stack.api.webhooks).toMatchObject([
        { id, url: "https://example.com/new", name: "Legacy", enabled: true },
      ]);
    });
  }
});

it.each([
  ["a field that the metaschema does not know", { resource: {} }, "resource"],
  ["a version that is none", { version: "one" }, "version"],
  ["a type that is not declared", { types: {} }, "webhooks:index:Drift"],
])("Pulumi's generators refuse a schema with %s", async (_, change, message) => {
  const folder = await mkdtemp(join(inject("projects").newest, "schema-"));
  const schema = join(folder, "schema.json");
  await writeFile(schema, JSON.stringify({ ...JSON.parse(await readFile(SCHEMA, "utf8")), ...change }));
  await expect(generateSdk("python", { schema, folder })).rejects.toThrow(message);
});

it("Pulumi's TypeScript compiles the generated SDK for Node.js", async () => {
  const folder = await mkdtemp(join(inject("projects").newest, "sdk-"));
  await generateSdk("nodejs", { schema: SCHEMA, folder });
  const tsc = join(import.meta.dirname, "../../node_modules/.bin/tsc");
  await run(tsc, ["--noEmit", "--skipLibCheck", "--ignoreDeprecations", "6.0"], { cwd: folder });
});

it("the folder of the plugin starts as Pulumi's language host for Node.js starts it, with nothing from a registry", async () => {
  await using stack = await createStack();
  const modules = join(inject("projects").newest, "node_modules");
  const plugin = join(modules, "pulumi-webhooks/plugin");
  await run("npm", ["install", "--offline"], { cwd: plugin });
  const starter = join(modules, "@pulumi/pulumi/cmd/run-plugin");
  const child = spawn(process.execPath, [starter, plugin, "127.0.0.1:9"], {
    cwd: stack.folder,
    env: stack.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout, "data");
  expect(String(printed)).toMatch(/^\d+\n$/); // The port, which the engine reads.
  child.kill();
  await once(child, "exit");
});

/** Answers that the webhook orders exists. */
async function resolve(stack: Stack, id: string): Promise<void> {
  const { code, output } = await stack.webhooks("resolve", "--stack", "dev", "--found", `orders=${id}`);
  expect(output).toContain(`webhook ${id}. The next pulumi up confirms the id with an update.`);
  expect(code).toBe(0);
}

/** Returns the types of the webhooks in the state. */
async function types(stack: Stack): Promise<string[]> {
  return [...new Set((await stack.recorded()).map(({ type }) => type))];
}
