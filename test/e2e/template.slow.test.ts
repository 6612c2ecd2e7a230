import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { type Line, runLine } from "../support/page.js";
import { KEY, SECRET, Stack } from "../support/stack.js";

it("asks for the URL, the key and the secret, and creates a webhook that preview, up and destroy manage", async () => {
  // No module of this repository is found there.
  await using stack = await Stack.create({ project: dirname(inject("home")), typeCheck: true });
  const { api, environment } = stack;
  const [template, folder] = ["template", "shop"].map((name) => join(stack.folder, name)) as [string, string];
  await mkdir(folder);
  await cp(join(import.meta.dirname, "../../template"), template, { recursive: true });
  await useTarball(join(template, "package.json"));
  const shop = { folder, environment: { ...environment, npm_config_prefer_offline: "true" } };
  // Pulumi 3.276 panics at a relative path.
  const screen = await answer(shop, `pulumi new ${template}`, {
    "Project name": "",
    "Project description": "",
    "Stack name": "",
    "(webhooks:baseUrl)": api.url,
    "(webhooks:apiKey)": KEY,
    "(hookSecret)": SECRET,
  });
  expect(screen).toContain("Your new project is ready to go!");
  await runLine("npm run check", shop);

  expect(await runLine("pulumi preview", shop)).toContain("+ 2 to create");
  expect(api.calls).toEqual([]);
  const up = await runLine("pulumi up --yes --skip-preview", shop);
  expect(api.webhooks).toEqual([
    expect.objectContaining({
      name: "Orders",
      url: "https://example.com/hooks/orders",
      secret: SECRET,
      enabled: false,
    }),
  ]);
  await runLine("pulumi preview --expect-no-changes", shop);

  const config = await readFile(join(shop.folder, "Pulumi.dev.yaml"), "utf8");
  const state = await runLine("pulumi stack export", shop);
  expect(state).toContain("pulumi-nodejs:dynamic/webhooks:Webhook");
  for (const text of [screen, config, up, state]) {
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(SECRET);
  }

  await runLine("pulumi destroy --yes --skip-preview", shop);
  expect(api.webhooks).toEqual([]);
});

/** Lets the template install the packed package, which may be newer than the one on the registry. */
async function useTarball(manifest: string): Promise<void> {
  const text = await readFile(manifest, "utf8");
  const dependency = /"pulumi-webhooks": "[^"]+"/;
  expect(text).toMatch(dependency);
  await writeFile(manifest, text.replace(dependency, `"pulumi-webhooks": "file:${inject("tarball")}"`));
}

/** Runs a command in a terminal, answers each of its questions, and returns what the terminal shows. */
async function answer({ folder, environment }: Line, command: string, answers: Record<string, string>) {
  // The programs of Linux and macOS share a name only.
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", command]
      : ["-qefc", command, "/dev/null"];
  const child = spawn("script", args, { cwd: folder, env: { ...environment, TERM: "xterm" }, stdio: "pipe" });
  const open = new Map(Object.entries(answers));
  child.stdin.on("error", () => {}); // The command may end before it reads.
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
