import { globSync } from "node:fs";
import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kill, killProvider, upInFlight } from "../support/kill.js";
import { webhook } from "../support/programs.js";
import { Stack } from "../support/stack.js";

it("resolves interrupted creates in a component, with an explicit Provider, in a folder of its own, when all have left the state", async () => {
  // The colons are in the URNs. The name of the Provider looks like that of a default one.
  const program = `
    class Team extends pulumi.ComponentResource {
      constructor(name: string, eu: webhooks.Provider) {
        super("test:Team", name);
        new webhooks.Webhook("orders", { url: "https://example.com/orders" }, { parent: this });
        new webhooks.Webhook("refunds", { url: "https://example.com/refunds" }, { parent: this, provider: eu });
      }
    }
    const settings = new pulumi.Config("webhooks");
    const apiKey = settings.requireSecret("apiKey");
    new Team("team::a", new webhooks.Provider("default_eu", { apiKey, baseUrl: settings.require("baseUrl") }));`;
  await using stack = await Stack.create({ program });
  await moveProgram(stack);
  await writeFile(join(stack.folder, "src/Pulumi.yaml"), "name: another\nruntime: nodejs\n");
  stack.environment.PULUMI_BACKEND_URL = "file://./state";
  // The language host of these tests is older than the CLI. Newer ones pass the project's folder this way.
  stack.environment.PULUMI_NODEJS_ROOT_DIRECTORY = stack.folder;

  const fault = { kind: "hang", commit: true } as const;
  await kill(stack, await upInFlight(stack, { fault, count: 2 }));
  stack.takeCalls();
  await stack.deploy("");
  await stack.declare(program);
  expect(await stack.upFails("--continue-on-error")).toContain(
    "it is unknown whether the API created webhooks orders, refunds.",
  );
  expect(stack.takeCalls()).toEqual([]);
  const { code, output } = await stack.answerNone();
  expect(code, output).toBe(0);
  await stack.up();
  expect(stack.takeCalls().sort()).toEqual(["create orders", "create refunds"]);
  expect(stack.api.webhooks).toHaveLength(2);
  await stack.expectNoChanges();
});

it("knows what a killed provider has sent, whichever folders and options the environment names, and copies no secret", async () => {
  const secrets = 'url: pulumi.secret("https://example.com/url-canary"), name: pulumi.secret("name-canary")';
  const hidden = `new webhooks.Webhook("hidden", { ${secrets}, secret: config.requireSecret("hookSecret") });\n`;
  await using stack = await Stack.create({ program: webhook("plain") + hidden });
  await moveProgram(stack);
  stack.environment.PULUMI_HOME = "./home";
  const fault = { kind: "hang", commit: true } as const;
  await killProvider(await upInFlight(stack, { fault, count: 2 }));
  stack.takeCalls();
  expect(await stack.recorded()).toEqual([]);
  const [notes = "", ...more] = findFiles(stack, "home/webhooks/*/*.jsonl");
  expect(more).toEqual([]);
  const noted = await readFile(notes, "utf8");
  expect(noted).toContain("::plain");
  expect(noted).not.toMatch(/canary/i);

  const options = { PULUMI_OPTION_SHOW_SECRETS: "true", PULUMI_OPTION_CWD: join(stack.folder, "src") };
  Object.assign(stack.environment, options);
  const { code, output } = await stack.resolve("--record");
  for (const name of Object.keys(options)) delete stack.environment[name];
  expect(code, output).toBe(3);
  for (const name of ["hidden", "plain"]) expect(output).toContain(`${name}: unresolved.`);
  const backups = findFiles(stack, "home/webhooks/backups/test-dev-*.json");
  expect(backups).toHaveLength(1);
  const files = [...backups, ...findFiles(stack, "state/.pulumi/**/*.json*")];
  for (const file of files) expect(await readFile(file, "utf8"), file).not.toMatch(/canary/i);
  expect(await readFile(backups[0] ?? "", "utf8")).toContain("ciphertext");

  // On another machine.
  stack.environment.PULUMI_HOME = "./elsewhere";
  expect(await stack.upFails()).toContain("it is unknown whether the API created webhooks hidden, plain.");
  expect(stack.takeCalls()).toEqual([]);
});

/** Puts the program into a folder of its own. */
async function moveProgram({ folder }: Stack): Promise<void> {
  await mkdir(join(folder, "src"));
  await symlink("../index.js", join(folder, "src/index.js"));
  await appendFile(join(folder, "Pulumi.yaml"), "main: src\n");
}

const findFiles = ({ folder }: Stack, pattern: string) => globSync(join(folder, pattern));
