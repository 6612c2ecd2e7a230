import { appendFile, mkdir, rename } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { kill } from "./kill.js";
import { KEY, Stack } from "./stack.js";

it("warns once of what it does not notice if pulumi is not on the PATH, and runs", async () => {
  const two = ["a", "b"].map(
    (name) => `new webhooks.Webhook("${name}", { url: "https://example.com/${name}" });\n`,
  );
  await using stack = await Stack.create({ program: two.join("") });
  // The engine comes first on the PATH, and is the only one.
  const [engine = "", ...others] = (stack.environment.PATH ?? "").split(delimiter);
  stack.environment.PATH = others.join(delimiter);
  const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--color=never"];
  const { code, output } = await stack.command(join(engine, "pulumi"), ...args);
  expect(code).toBe(0);
  const [, diagnostics = ""] = output.split("Diagnostics:");
  expect(diagnostics.split("The state of this stack could not be read.")).toHaveLength(2);
  expect(diagnostics).toContain("There is no pulumi on the PATH");
  expect(diagnostics).toContain("would create them a second time");
});

it("notices interrupted creates in a component, with an explicit Provider, and with main in another folder", async () => {
  const program = `
    class Team extends pulumi.ComponentResource {
      constructor(name: string, eu: webhooks.Provider) {
        super("test:Team", name);
        new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { parent: this });
        new webhooks.Webhook("refunds", { url: "https://example.com/refunds" }, { parent: this, provider: eu });
      }
    }
    const baseUrl = new pulumi.Config("webhooks").require("baseUrl");
    new Team("team", new webhooks.Provider("eu", { apiKey: config.requireSecret("key"), baseUrl }));`;
  await using stack = await Stack.create({ program });
  await stack.configure({}, { key: KEY });
  await mkdir(join(stack.folder, "src"));
  await rename(join(stack.folder, "index.ts"), join(stack.folder, "src/index.ts"));
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");

  let creates = 0;
  const sent = new Promise<void>((resolve) => {
    const match = () => {
      creates++;
      if (creates === 2) resolve();
      return true;
    };
    stack.api.inject({ operation: "create", times: 2, match, fault: { kind: "hang", commit: false } });
  });
  const run = stack.start("up", "--yes", "--skip-preview");
  await sent;
  await kill(stack, run);
  stack.takeCalls();
  const output = await stack.upFails("--continue-on-error");
  for (const name of ["orders", "refunds"]) {
    expect(output).toContain(`Creating webhook ${name} failed: an earlier run was killed`);
  }
  expect(stack.takeCalls()).toEqual([]);

  const answers = ["--none", "orders", "--none", "refunds"];
  expect(await stack.webhooks("resolve", "--stack", "dev", ...answers)).toMatchObject({ code: 0 });
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds"]);
  await stack.expectNoChanges();
});
