import { expect, it } from "vitest";
import { KEY, Stack } from "./support/stack.js";

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
  stack.api.dashboard.edit(stack.idOf("moved"), { url: "https://elsewhere.example.com" });
  stack.api.dashboard.edit(stack.idOf("disabled"), { enabled: false });
  stack.api.dashboard.edit(stack.idOf("renamed"), { name: "Something else" });
  stack.takeCalls();

  // A refresh keeps the record, and shows nothing.
  const refresh = await stack.ok("refresh", "--yes", "--skip-preview", "--expect-no-changes");
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

it("advises by the source of the key, and stores no key of the environment", async () => {
  await using stack = await Stack.create({
    program: 'new webhooks.Webhook("a", { url: "https://example.com/a" });',
  });
  await stack.ok("config", "rm", "webhooks:apiKey");
  const missing = "webhooks:apiKey is missing. Set it: pulumi config set --secret webhooks:apiKey";
  expect(await stack.fails("preview")).toContain(missing);

  stack.environment.WEBHOOKS_API_KEY = KEY;
  await stack.up();
  expect(await stack.state()).not.toContain("webhooks:apiKey");
  stack.environment.WEBHOOKS_API_KEY = "another";
  const refused = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(refused).toContain("The API key was refused. Set the right one: WEBHOOKS_API_KEY.");
  delete stack.environment.WEBHOOKS_API_KEY;
  const destroying = await stack.fails("destroy", "--yes", "--skip-preview");
  expect(destroying).toContain("webhooks:apiKey is missing.");
  expect(destroying).toContain("the environment variable WEBHOOKS_API_KEY");
  expect(destroying).toContain("--run-program");
  // The advice leads on: either one.
  await stack.configure({}, { "webhooks:apiKey": KEY });
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});

it("uses a new API key from the next up on, and shows no change of any webhook", async () => {
  const program = (path: string) => `new webhooks.Webhook("orders", { url: "https://example.com/${path}" });`;
  await using stack = await Stack.create({ program: program("a") });
  await stack.up();
  const rotate = (key: string) => {
    stack.api.apiKey = key;
    stack.takeCalls();
    return stack.configure({}, { "webhooks:apiKey": key });
  };
  await rotate(`${KEY}-second`);
  await stack.expectNoChanges();
  await stack.up();
  expect(stack.takeCalls()).toEqual([]);
  await stack.declare(program("b"));
  await stack.up();
  expect(stack.takeCalls()).toEqual(["update 1"]);

  // Until an up with the new key, a destroy uses the one in the state.
  await rotate(`${KEY}-third`);
  expect(await stack.fails("destroy", "--yes", "--skip-preview")).toContain(
    "A refresh or a destroy without --run-program uses the settings of the last up",
  );
  await stack.destroy("--run-program");
  expect(stack.api.webhooks).toEqual([]);
});
