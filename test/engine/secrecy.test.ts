import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY, SECRET, Stack } from "./stack.js";

const CANARY = /canary|Y2FuYX|NhbmFye|jYW5hcn/i;

/** The first secret is plain text: the package must make it a secret. */
const program = (url: string) =>
  `new webhooks.Webhook("orders", { url: "${url}", secret: "${SECRET}" });
   new webhooks.Webhook("others", { url: "${url}", secret: config.requireSecret("hookSecret") });`;

it("shows key and secret in no state, output, JSON or error, even if the API echoes them", async () => {
  await using stack = await Stack.create({ program: program("https://example.com/a") });
  const seen: Record<string, string> = {
    preview: await stack.ok("preview", "--diff"),
    json: await stack.ok("preview", "--json"),
    up: await stack.ok("up", "--yes"),
    state: await stack.state(),
  };
  expect(stack.api.webhooks).toMatchObject([{ secret: SECRET }, { secret: SECRET }]);

  const echo = JSON.stringify({
    message: `Bearer ${KEY} sent ${SECRET}`,
    json: JSON.stringify(JSON.stringify(SECRET)),
    base64: [KEY, SECRET, `Bearer ${KEY}`, `{"secret":"${SECRET}"}`].map((text) => btoa(text)),
    url: `?key=${encodeURIComponent(KEY)}&secret=${encodeURIComponent(SECRET)}`,
    lines: `${KEY}\n${SECRET}\n${btoa(SECRET)}`,
  });
  stack.api.inject({ times: 2, operation: "update", fault: { kind: "status", status: 422, body: echo } });
  await stack.declare(program("https://example.com/b"));
  const failed = await stack.fails("up", "--yes");
  expect(failed).toContain("(not shown: it may contain a secret");
  Object.assign(seen, { failed, failedState: await stack.state(), calls: JSON.stringify(stack.api.calls) });

  stack.api.inject({ times: 2, operation: "delete", fault: { kind: "status", status: 403, body: echo } });
  seen.destroy = await stack.fails("destroy", "--yes");
  expect(seen.destroy).toContain("(not shown: it may contain a secret");

  // The files of the backend: checkpoints, their backups, and the history of updates.
  for (const entry of await readdir(join(stack.folder, "state"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    seen[file] = await readFile(file, "utf8");
  }
  expect(Object.keys(seen).filter((name) => name.includes("history")).length).toBeGreaterThan(0);
  for (const [where, text] of Object.entries(seen)) {
    expect(CANARY.test(text), `${where} shows a secret`).toBe(false);
  }
});

it("refuses a plain-text key in the stack's config before anything is stored", async () => {
  await using stack = await Stack.create({ program: program("https://example.com/a") });
  await stack.configure({ "webhooks:apiKey": "plain-key" });
  const output = await stack.upFails();
  expect(output).toContain("pulumi config set --secret webhooks:apiKey");
  expect(output).not.toContain("plain-key");
  expect(await stack.state()).not.toContain("plain-key");
  expect(stack.takeCalls()).toEqual([]);
});

it("reads the key from the environment, and stores it in no state", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("orders", { url: "https://example.com/a" });',
  });
  await stack.ok("config", "rm", "webhooks:apiKey");
  const missing = await stack.fails("preview");
  expect(missing).toContain("webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey");
  stack.environment.WEBHOOKS_API_KEY = KEY;
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders"]);
  expect(await stack.state()).not.toContain("webhooks:apiKey");
});
