import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import type { Simulator } from "../../src/simulator/index.js";
import { startSimulator } from "../../src/simulator/index.js";
import { runLine } from "./support/page.js";
import { KEY, killAll, SECRET } from "./support/setup.js";

let root: string;
let template: string;
let project: string;
let api: Simulator;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pulumi-webhooks-template-"));
  template = join(root, "template");
  project = join(root, "shop");
  await mkdir(join(root, "state"));
  await mkdir(project);
  await cp(join(import.meta.dirname, "../../template"), template, { recursive: true });
  await useTarball(join(template, "package.json"));
  api = await startSimulator({ apiKey: KEY });
  env = {
    ...process.env,
    ...inject("engine"),
    PULUMI_BACKEND_URL: `file://${join(root, "state")}`,
    npm_config_prefer_offline: "true",
  };
});

afterEach(async () => {
  await killAll(root);
  await api.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

it("asks for the URL, the key and the secret, and creates a webhook that preview, up and destroy manage", async () => {
  const screen = await answer(`pulumi new '${template}'`, {
    "Project name": "",
    "Project description": "",
    "Stack name": "",
    "(webhooks:baseUrl)": api.url,
    "(webhooks:apiKey)": KEY,
    "(hookSecret)": SECRET,
  });
  expect(screen).toContain("Your new project is ready to go!");
  await run("npm run check");

  expect(await run("pulumi preview")).toContain("+ 2 to create");
  expect(api.calls).toEqual([]);
  const up = await run("pulumi up --yes --skip-preview");
  expect(api.webhooks).toEqual([
    expect.objectContaining({
      name: "Orders",
      url: "https://example.com/hooks/orders",
      secret: SECRET,
      enabled: false,
    }),
  ]);
  await run("pulumi preview --expect-no-changes");

  const config = await readFile(join(project, "Pulumi.dev.yaml"), "utf8");
  const state = await run("pulumi stack export");
  expect(state).toContain("pulumi-nodejs:dynamic/webhooks:Webhook");
  for (const text of [screen, config, up, state]) {
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(SECRET);
  }

  await run("pulumi destroy --yes --skip-preview");
  expect(api.webhooks).toEqual([]);
});

it("asks for nothing with --yes, and runs when key and secret were set from standard input", async () => {
  await run(`pulumi new ${template} --yes --stack dev --config webhooks:baseUrl=${api.url}`);
  await run("pulumi config set --secret hookSecret", { answer: SECRET });
  expect(await run("pulumi preview", { code: 1 })).toContain("pulumi config set --secret webhooks:apiKey");
  await run("pulumi config set --secret webhooks:apiKey", { answer: KEY });
  await run("pulumi preview");
});

function run(line: string, options: { answer?: string; code?: number } = {}): Promise<string> {
  return runLine(line, { folder: project, environment: env, ...options });
}

/** Lets the template install the packed package, which may be newer than the one on the registry. */
async function useTarball(manifest: string): Promise<void> {
  const text = await readFile(manifest, "utf8");
  const dependency = /"pulumi-webhooks": "[^"]+"/;
  expect(text).toMatch(dependency);
  await writeFile(manifest, text.replace(dependency, `"pulumi-webhooks": "file:${inject("tarball")}"`));
}

/** Runs a command in a terminal, answers each of its questions, and returns what the terminal shows. */
async function answer(command: string, answers: Record<string, string>): Promise<string> {
  // The programs of Linux and macOS share a name only.
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", command]
      : ["-qefc", command, "/dev/null"];
  const child = spawn("script", args, { cwd: project, env: { ...env, TERM: "xterm" }, stdio: "pipe" });
  const open = new Map(Object.entries(answers));
  let screen = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    screen += text;
    for (const [question, reply] of open) {
      if (!screen.slice(seen).includes(question)) continue;
      seen = screen.length;
      open.delete(question);
      child.stdin.write(`${reply}\r`);
    }
  });
  const [code] = await once(child, "close");
  expect(code, screen).toBe(0);
  expect([...open.keys()]).toEqual([]);
  return screen;
}
