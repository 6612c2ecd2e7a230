import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, it } from "vitest";
import { getLanguages } from "../../scripts/languages.mts";
import schema from "../../src/plugin/schema.json" with { type: "json" };
import { kill, upWithCreateInFlight } from "./kill.js";
import { declareExample, installExample } from "./languages.js";
import { KEY, Stack } from "./stack.js";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const PLUGIN = `webhooks@${schema.version}`;

let archive = "";
// The first time on a machine, Pulumi's language hosts are compiled.
beforeAll(async () => {
  const building = run(process.execPath, [join(ROOT, "scripts/build-executable.mts")]);
  const [{ stdout }] = await Promise.all([building, getLanguages()]);
  archive = stdout.trim();
}, 900_000);

it("a YAML team without Node.js gets plugin and commands from the release", async () => {
  await using release = await serveRelease();
  await using stack = await createStackWithoutNode(release.url);
  await declareExample(stack, "yaml", "");
  await stack.ok("package", "add", PLUGIN, "--server", schema.pluginDownloadURL);

  const isOrders = ({ body }: { body?: unknown }) => Object(body).name === "Orders";
  stack.api.inject({
    operation: "create",
    match: isOrders,
    fault: { kind: "reset", when: "after commit" },
  });
  const first = executableOf(stack);
  expect(await stack.upFails()).toContain(`Run ${first} resolve`);
  const idOf = (name: string) => stack.api.webhooks.find((webhook) => webhook.name === name)?.id ?? "";
  await resolve(stack, `orders=${idOf("Orders")}`);
  await stack.up();
  await stack.expectNoChanges();
  expect(release.downloads()).toBe(1);

  // The machine of a colleague.
  stack.environment.PULUMI_HOME = join(stack.folder, "colleague");
  expect((await stack.command(first, "drift", "--stack", "dev")).code).toBe(0);
  stack.api.dashboard.edit(idOf("Orders"), { enabled: false });
  expect((await stack.command(first, "drift", "--stack", "dev")).code).toBe(7);
  await stack.configure({ ordersUrl: "https://example.com/hooks/moved" });
  await stack.up();
  expect(stack.api.webhooks.find(({ name }) => name === "Orders")).toMatchObject({
    enabled: true,
    url: "https://example.com/hooks/moved",
  });
  expect(release.downloads()).toBe(2);

  const file = join(stack.folder, "Pulumi.yaml");
  const later = "  later: { type: webhooks:Webhook, properties: { url: https://example.com/hooks/later } }\n";
  await writeFile(file, (await readFile(file, "utf8")).replace("outputs:", `${later}outputs:`));
  const up = await upWithCreateInFlight(stack, { fault: { kind: "hang", commit: true } });
  await kill(stack, up);
  expect(await stack.upFails()).toContain(`Run ${executableOf(stack)} resolve`);
  await resolve(stack, `later=${idOf("later")}`);
  await stack.expectNoChanges();
  expect(stack.api.webhooks).toHaveLength(3);
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it.each([
  [
    "yaml",
    "by pulumi plugin install and pulumi package add, as before Pulumi 3.256",
    [
      ["plugin", "install", "resource", "webhooks", schema.version, "--server", schema.pluginDownloadURL],
      ["package", "add", PLUGIN],
    ],
  ],
  [
    "python",
    "from a file",
    [["plugin", "install", "resource", "webhooks", schema.version, "--file", "ARCHIVE"]],
  ],
] as const)("a team without Node.js that uses %s installs the plugin %s", async (language, _, commands) => {
  const prepared = await installExample(language);
  await using release = await serveRelease();
  await using stack = await createStackWithoutNode(release.url);
  await declareExample(stack, language, prepared);
  for (const command of commands)
    await stack.ok(...command.map((word) => (word === "ARCHIVE" ? archive : word)));
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create Orders", "create refunds"]);
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

it("the doctor in the executable checks an API", async () => {
  await using stack = await createStackWithoutNode();
  const { environment, api } = stack;
  Object.assign(environment, { WEBHOOKS_API_KEY: KEY, WEBHOOKS_BASE_URL: api.url });
  const { code, stdout } = await stack.command(built(), "doctor", "--yes", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ baseUrl: api.url, ok: true });
  expect(code).toBe(0);
});

it("the simulator in the executable serves its page, with each file", async () => {
  await using stack = await createStackWithoutNode();
  const child = spawn(built(), ["simulator"], {
    env: stack.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout, "data");
  const [url = ""] = /http:\S+/.exec(String(printed)) ?? [];
  const page = await (await fetch(url)).text();
  const files = [...page.matchAll(/(?:href|src)="\/(@simulator\/[^"]+)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect((await fetch(`${url}/${file}`)).status, file).toBe(200);
  child.kill();
  await once(child, "exit");
});

/** Returns the executable beside the archive. */
function built(): string {
  return join(dirname(archive), "pulumi-resource-webhooks");
}

/** Returns the executable that Pulumi has installed on the machine of a stack. */
function executableOf({ environment: { PULUMI_HOME = "" } }: Stack): string {
  return join(PULUMI_HOME, "plugins", `resource-webhooks-v${schema.version}`, "pulumi-resource-webhooks");
}

/** Answers with the installed executable that a webhook exists. */
async function resolve(stack: Stack, answer: string): Promise<void> {
  const args = ["resolve", "--stack", "dev", "--found", answer];
  const { code, output } = await stack.command(executableOf(stack), ...args);
  expect(code, output).toBe(0);
}

/** Creates a stack on a machine of its own: PATH has Pulumi and its language hosts, but no node. */
async function createStackWithoutNode(release = "http://127.0.0.1:9"): Promise<Stack> {
  const stack = await Stack.create({
    simulator: { behavior: { emptyUpdate: "leaves updated_at" } },
    config: { "webhooks:drift": "probe" },
  });
  const { environment, folder } = stack;
  const bin = join(folder, "bin");
  await mkdir(bin);
  const [engine = ""] = inject("engine").PATH?.split(delimiter) ?? [];
  await symlink(join(engine, "pulumi"), join(bin, "pulumi"));
  const languages = await getLanguages();
  for (const host of await readdir(languages)) await symlink(join(languages, host), join(bin, host));
  environment.PATH = bin;
  await expect(run("node", ["--version"], { env: environment })).rejects.toThrow("ENOENT");
  environment.PULUMI_HOME = join(folder, "home");
  const { pluginDownloadURL } = schema;
  environment.PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES = `^${pluginDownloadURL}=${release}`;
  return stack;
}

/** Serves the archive as the release does, at the URL that replaces GitHub's. */
async function serveRelease() {
  const content = await readFile(archive);
  let downloads = 0;
  const server = createServer(({ url }, response) => {
    if (url !== `/${basename(archive)}`) return response.writeHead(404).end();
    downloads++;
    return response.end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    downloads: () => downloads,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
