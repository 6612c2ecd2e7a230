import { expect, it } from "vitest";
import { KEY, Stack } from "./stack.js";

it("overwrites changes in the dashboard with webhooks:drift enforce", async () => {
  const names = ["moved", "renamed", "disabled"] as const;
  const program = names
    .map((name) => `new webhooks.Webhook("${name}", { url: "https://example.com/${name}" });\n`)
    .join("");
  await using stack = await Stack.create({
    program,
    config: { "webhooks:drift": "enforce" },
    simulator: { behavior: { omittedFields: "cleared" } },
  });
  await stack.up();
  const idOf = (name: string) => stack.api.webhooks.find((webhook) => webhook.name === name)?.id ?? "";
  stack.api.dashboard.edit(idOf("moved"), { url: "https://elsewhere.example.com" });
  stack.api.dashboard.edit(idOf("disabled"), { enabled: false });
  stack.api.dashboard.edit(idOf("renamed"), { name: "Something else" });
  stack.takeCalls();

  // A refresh keeps the record, and shows nothing.
  const refresh = await stack.ok("refresh", "--yes", "--expect-no-changes");
  expect(refresh).not.toContain("warning");
  const { code, output } = await stack.run("preview", "--expect-no-changes");
  expect(code).toBe(7);
  expect(output).toContain("~ 3 to update");
  expect(output).toContain(
    "webhooks:drift is enforce: every pulumi up sends url, name and enabled of every webhook again.",
  );
  expect(stack.takeCalls()).toEqual([]);

  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["update 1", "update 2", "update 3"]);
  const declared = names.map((name) => ({ name, url: `https://example.com/${name}`, enabled: true }));
  for (const webhook of declared) expect(stack.api.webhooks).toContainEqual(expect.objectContaining(webhook));
});

it("advises by the source of the key, and refuses unknown settings", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("a", { url: "https://example.com/a" });',
  });
  await stack.configure({ "webhooks:Drift": "probe", "webhooks:timeout": "5" });
  const refusal = await stack.fails("preview");
  expect(refusal).toContain("Drift (did you mean drift?), timeout (did you mean timeoutSeconds?)");
  await stack.ok("config", "rm-all", "webhooks:Drift", "webhooks:timeout", "webhooks:apiKey");

  stack.environment.WEBHOOKS_API_KEY = KEY;
  await stack.up();
  stack.environment.WEBHOOKS_API_KEY = "another";
  const refused = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(refused).toContain("The API key was refused. Set the right one: WEBHOOKS_API_KEY.");
  delete stack.environment.WEBHOOKS_API_KEY;
  const missing = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(missing).toContain("webhooks:apiKey is missing.");
  expect(missing).toContain("the environment variable WEBHOOKS_API_KEY");
  expect(missing).toContain("--run-program");
  // The advice leads on: either one.
  await stack.configure({}, { "webhooks:apiKey": KEY });
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
