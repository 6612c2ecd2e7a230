import { execFile, spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { stop } from "../../scripts/backends/backend.mts";
import { findFreePort } from "../../scripts/listen.mts";
import { takeCalls } from "../calls.js";
import { toolsEnvironment } from "../support/languages.js";
import { Stack } from "../support/stack.js";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

it("the package that npm publish sends to a registry installs from there, and pulumi package add adds its plugin, which its host kills", async () => {
  await using registry = await startRegistry();
  await using stack = await Stack.create({ compiledByPulumi: true });
  const { environment, folder } = stack;
  environment.PATH = (await toolsEnvironment()).PATH;
  const token = registry.url.replace("http:", "");
  await writeFile(join(folder, ".npmrc"), `registry=${registry.url}\n${token}:_authToken=anonymous\n`);
  Object.assign(environment, { npm_config_userconfig: join(folder, ".npmrc"), npm_config_audit: "false" });
  const npm = (...args: string[]) => run("npm", args, { cwd: folder, env: environment });
  await npm("publish", ROOT, "--access", "public");
  await npm("install", "pulumi-webhooks", "@pulumi/pulumi", "typescript@6");
  await stack.ok("package", "add", "./node_modules/pulumi-webhooks/plugin");

  await writeFile(join(folder, "index.ts"), PROGRAM);
  await stack.up();
  expect(takeCalls(stack.api).sort()).toEqual(["create orders", "create refunds"]);
  await stack.expectNoChanges();
  await stack.destroy();
  expect(stack.api.webhooks).toEqual([]);
});

const PROGRAM = `import * as webhooks from "pulumi-webhooks-plugin";
new webhooks.Webhook("orders", { url: "https://example.com/hooks/orders" });
new webhooks.Webhook("refunds", { url: "https://example.com/hooks/refunds" });
`;

/** Starts a registry server that has what this machine's registry has, and what is published to it. */
async function startRegistry() {
  const folder = await mkdtemp(join(inject("home"), "registry-"));
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  const access = "access: $all, publish: $anonymous";
  const config = `storage: ./storage
uplinks: { npm: { url: ${stdout.trim()}, max_fails: 10, timeout: 60s } }
packages:
  pulumi-webhooks: { ${access} }
  "**": { ${access}, proxy: npm }
log: { type: stdout, level: error }
`;
  const file = join(folder, "config.yaml");
  await writeFile(file, config);
  // One of its dependencies requires node-fetch by a tag, which a mirror of npm may lack.
  const manifest = { dependencies: { verdaccio: "6.10.4" }, overrides: { "node-fetch": "^2.7.0" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--prefer-offline"], { cwd: folder });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const args = ["node_modules/verdaccio/bin/verdaccio", "--config", file, "--listen", `127.0.0.1:${port}`];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const isReady = () => fetch(`${url}-/ping`).catch(() => ({ ok: false }));
  await expect.poll(isReady, { timeout: 60_000 }).toMatchObject({ ok: true });
  return { url, [Symbol.asyncDispose]: () => stop(server, "SIGTERM") };
}
