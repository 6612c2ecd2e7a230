import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { getLanguages } from "../../scripts/languages.mts";
import schema from "../../src/plugin/schema.json" with { type: "json" };
import { declareExample } from "./support/languages.js";
import { createStackWithoutNode, getArchive, serveRelease } from "./support/release.js";
import { KEY } from "./support/stack.js";

const PLUGIN = `webhooks@${schema.version}`;
const { pluginDownloadURL: SOURCE, version: VERSION } = schema;

let archive = "";
// The first time on a machine, Pulumi's language hosts are compiled.
beforeAll(async () => {
  [archive] = await Promise.all([getArchive(), getLanguages()]);
}, 900_000);

it.each([
  ["from the release, as before Pulumi 3.256", ["--server", SOURCE]],
  ["from a file", ["--file", "ARCHIVE"]],
])(
  "pulumi plugin install gets the plugin %s, and pulumi import writes code with what the probe returned",
  async (_, options) => {
    await using release = await serveRelease();
    await using stack = await createStackWithoutNode(release.url);
    await declareExample(stack, "yaml", "");
    const from = options.map((word) => (word === "ARCHIVE" ? archive : word));
    await stack.ok("plugin", "install", "resource", "webhooks", VERSION, ...from);
    await stack.ok("package", "add", PLUGIN);
    await stack.up();
    expect(stack.takeCalls().sort()).toEqual(["create Orders", "create refunds"]);
    const { id } = stack.api.dashboard.create({ url: "https://example.com", name: "Old", enabled: false });
    expect(await stack.ok("import", "webhooks:index:Webhook", "legacy", id, "--yes")).toMatch(
      /legacy:\n +type: webhooks:Webhook\n +properties:\n(?:.*\n)*? +enabled: false\n +name: Old\n/,
    );
  },
);

it("the doctor in the executable checks an API, and its hints name the executable", async () => {
  await using stack = await createStackWithoutNode();
  const { environment, api } = stack;
  Object.assign(environment, { WEBHOOKS_API_KEY: KEY, WEBHOOKS_BASE_URL: api.url });
  for (const args of [[], ["--jsn"]]) {
    const { output } = await stack.command(built(), "doctor", ...args);
    expect(output).toContain(`run: ${built()} doctor --help`);
  }
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
