import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import schema from "../../plugin/schema.json" with { type: "json" };
import { getLanguages } from "../../scripts/languages.mts";
import { startSimulator } from "../../simulator/src/index.js";
import { takeCalls } from "../calls.js";
import { createMachine, useExample } from "../support/machines.js";
import { runLine } from "../support/page.js";
import { getArchive, serveRelease } from "../support/release.js";
import { KEY, SECRET } from "../support/stack.js";

let archive = "";
// The first time on a machine, Pulumi's language hosts are compiled.
beforeAll(async () => {
  [archive] = await Promise.all([getArchive(), getLanguages()]);
}, 900_000);
/** The executable is beside the archive. */
const built = () => join(dirname(archive), "pulumi-resource-webhooks");

it("pulumi plugin install gets the plugin from the release, and pulumi import writes code with what the probe returned", async () => {
  await using release = await serveRelease();
  const api = await startSimulator({ apiKey: KEY, behavior: { emptyUpdate: "leaves updated_at" } });
  const machine = await createMachine(release.environment);
  await useExample(machine, { language: "yaml", api });
  machine.environment.WEBHOOKS_DRIFT = "probe";
  await runLine("node --version", { ...machine, code: 127 });
  await runLine("pulumi stack init dev", machine);
  const server = `--server ${schema.pluginDownloadURL}`;
  await runLine(`pulumi plugin install resource webhooks ${schema.version} ${server}`, machine);
  await runLine(`pulumi package add webhooks@${schema.version}`, machine);
  await runLine("pulumi config set --secret hookSecret", { ...machine, answer: SECRET });
  await runLine("pulumi up", machine);
  expect(takeCalls(api).sort()).toEqual(["create Orders", "create refunds"]);
  const { id } = api.dashboard.create({ url: "https://example.com", name: "Old", enabled: false });
  expect(await runLine(`pulumi import webhooks:index:Webhook legacy ${id} --yes`, machine)).toMatch(
    /legacy:\n +type: webhooks:Webhook\n +properties:\n(?:.*\n)*? +enabled: false\n +name: Old\n/,
  );
  await api.close();
});

it("the archive contains the licenses of the package, of Node.js and of what the executable contains", async () => {
  const machine = { folder: dirname(archive), environment: process.env };
  const license = await readFile(join(import.meta.dirname, "../../LICENSE"), "utf8");
  expect(await runLine(`tar -xOf ${archive} LICENSE`, machine)).toBe(license);
  const others = await runLine(`tar -xOf ${archive} THIRD-PARTY-LICENSES.txt`, machine);
  expect(others).toContain(`Node.js ${process.version}\n`);
  for (const name of ["@pulumi/pulumi", "commander", "undici", "zod"])
    expect(others).toMatch(new RegExp(`^${name} \\d+\\.`, "m"));
});

it("the hints of the executable name it and its simulator, which serves the page with each file", async () => {
  const machine = await createMachine();
  for (const args of ["", "--jsn"]) {
    const output = await runLine(`${built()} doctor ${args}`, { ...machine, code: 2 });
    expect(output).toContain(`run: ${built()} doctor --help`);
  }
  expect(await runLine(`${built()} --help`, machine)).toContain("simulator");
  const child = spawn(built(), ["simulator"], {
    env: machine.environment,
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
