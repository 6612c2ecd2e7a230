import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAbout } from "../calls.js";
import { KEY, SECRET, Stack, TESTED_FACES } from "../support/stack.js";

const REFUSED = { kind: "status", status: 422 } as const;
const CANARY = /canary|Y2FuYX|NhbmFye|jYW5hcn/i;

/** The first secret is plain text, and the package must make it a secret. All is secret of the second webhook. */
const program = (path: string, hidden: string) => `
  const settings = new pulumi.Config("webhooks");
  const [apiKey, baseUrl] = [settings.requireSecret("apiKey"), settings.requireSecret("baseUrl")];
  const provider = new webhooks.Provider("eu", { apiKey, baseUrl });
  new webhooks.Webhook("orders", { url: "https://example.com/${path}", secret: "${SECRET}" });
  new webhooks.Webhook("hidden", { ${hidden}, secret: config.requireSecret("hookSecret") }, { provider });`;
const HIDDEN =
  'url: pulumi.secret("https://user-canary:password-canary@example.com/url-canary"), name: pulumi.secret("name-canary")';

it.each(TESTED_FACES)("shows key, secret and secret values nowhere, even if echoed (%s)", async (face) => {
  await using stack = await Stack.create({ face, program: program("a", HIDDEN) });
  await stack.configure({}, { "webhooks:baseUrl": stack.api.url });
  // Stack.create has written the plain value.
  expect(await readFile(join(stack.folder, "Pulumi.dev.yaml"), "utf8")).not.toContain(stack.api.url);
  const seen: Record<string, string> = {
    preview: await stack.ok("preview", "--diff"),
    json: await stack.ok("preview", "--json"),
    up: await stack.ok("up", "--yes"),
    refresh: await stack.ok("refresh", "--yes"),
    state: await stack.state(),
  };
  expect(seen.state).not.toContain(stack.api.url);
  expect(stack.api.webhooks).toMatchObject([{ secret: SECRET }, { secret: SECRET }]);

  stack.passMinutes();
  // Every form in which an API may echo them is tested with the client.
  const echo = JSON.stringify({ message: `Bearer ${KEY} sent ${SECRET}`, base64: [btoa(KEY), btoa(SECRET)] });
  const receiver = `401 for Basic ${btoa("user-canary:password-canary")}`;
  const refuse = (name: string, body: string) =>
    stack.api.inject({ operation: "update", match: isAbout(name), fault: { ...REFUSED, body } });
  refuse("orders", echo);
  refuse("name-canary", JSON.stringify({ message: receiver }));
  await stack.declare(program("b", `${HIDDEN}, enabled: false`));
  seen.failed = await stack.fails("up", "--yes", "--continue-on-error");
  expect(seen.failed).toContain("The API's message: Bearer … sent …");
  expect(seen.failed).toContain("The API's message: 401 for Basic …");
  expect(seen.failed).toContain("(hidden) failed: 422");

  stack.api.inject({ times: 2, operation: "delete", fault: { kind: "status", status: 403, body: echo } });
  seen.destroy = await stack.fails("destroy", "--yes", "--continue-on-error");
  expect(seen.destroy).toContain("The API's message: Bearer … sent …");
  seen.calls = JSON.stringify(stack.api.calls).replaceAll(/(url|name|user|password)-canary/g, "");

  // The files of the backend: checkpoints, their backups, and the history of updates.
  for (const file of globSync(join(stack.folder, "state/.pulumi/**/*.*")))
    seen[file] = await readFile(file, "utf8");
  expect(Object.keys(seen).filter((name) => name.includes("history")).length).toBeGreaterThan(0);
  for (const [where, text] of Object.entries(seen)) {
    expect(CANARY.test(text), `${where} shows a secret`).toBe(false);
  }
});

it("refuses a plain-text key in the stack's config before anything is stored", async () => {
  await using stack = await Stack.create({ program: program("a", HIDDEN) });
  await stack.configure({ "webhooks:apiKey": "plain-key" });
  const output = await stack.upFails();
  expect(output).toContain("pulumi config set --secret webhooks:apiKey");
  expect(output).not.toContain("plain-key");
  expect(await stack.state()).not.toContain("plain-key");
  expect(stack.takeCalls()).toEqual([]);
});

it.each(TESTED_FACES)("shows no url that additionalSecretOutputs lists (%s)", async (face) => {
  const options = '{ additionalSecretOutputs: ["url"] }';
  const declared = `new webhooks.Webhook("orders", { url: "https://example.com/a?token=url-canary" }, ${options});`;
  await using stack = await Stack.create({ face, program: declared });
  stack.api.inject({ operation: "create", fault: { kind: "reset", when: "after commit" } });
  const outputs = [await stack.upFails(), await stack.destroy()];
  expect(outputs[1]).toContain("was removed from the state");
  expect(outputs.join()).not.toMatch(CANARY);
});
