import { appendFile, chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, inject, it } from "vitest";
import { killEngine, killProvider, upWithCreateInFlight } from "./support/kill.js";
import { webhook } from "./support/programs.js";
import { Stack } from "./support/stack.js";

// What a pipeline does after an up that failed: it runs resolve --record.

const record = (stack: Stack) => stack.resolve("--record");
const three = ["one", "two", "three"].map((name) => webhook(name)).join("");

it("removes the lock of a dead process of this host only", async () => {
  await using stack = await Stack.create({ program: webhook("orders") });
  const fault = { kind: "latency", milliseconds: 5000 } as const;
  await killEngine(stack, await upWithCreateInFlight(stack, { fault }));
  const [file = "", ...others] = await findFiles(stack.folder, /locks\/.*\.json$/);
  expect(others).toEqual([]);
  const lock = await readFile(file, "utf8");
  const state = await stack.state();
  for (const holder of [{ hostname: "another-host" }, { pid: process.pid }]) {
    const changed = JSON.stringify({ ...JSON.parse(lock), ...holder });
    await writeFile(file, changed);
    const { code, output } = await record(stack);
    expect(output).toContain("Stack dev is locked by ");
    expect(output).toContain("The state was not changed.");
    expect(code).toBe(1);
    expect(await readFile(file, "utf8")).toBe(changed);
    expect(await stack.state()).toBe(state);
  }
  await writeFile(file, lock);
  expect(await record(stack)).toMatchObject({ code: 0 });
  expect(await findFiles(stack.folder, /locks\/.*\.json$/)).toEqual([]);
  await stack.up();
  expect(stack.takeCalls()).toEqual(["create orders", "update 1"]);
  await stack.expectNoChanges();
});

it("changes nothing beside a run that is alive, however slow the backend is", async () => {
  await using stack = await Stack.create({ program: three });
  stack.environment.PULUMI_HOME = join(stack.folder, "home");
  // An import of this CLI ends after the run.
  const bin = join(stack.folder, "bin");
  const [engine = ""] = (inject("engine").PATH ?? "").split(delimiter);
  await mkdir(bin);
  await writeFile(
    join(bin, "pulumi"),
    `#!/bin/sh\ncase "$*" in "stack import"*) sleep 6;; esac\nexec '${join(engine, "pulumi")}' "$@"\n`,
  );
  await chmod(join(bin, "pulumi"), 0o755);
  const fault = { kind: "latency", milliseconds: 3000 } as const;
  const run = await upWithCreateInFlight(stack, { fault, creates: 3 });
  stack.environment.PATH = bin + delimiter + stack.environment.PATH;
  const { code, output } = await record(stack);
  const { code: ended, output: up } = await run.ended;
  expect(output).toMatch(/Stack dev is locked by \S+ \(pid \d+\) at \S+ The state was not changed\./);
  expect(code).toBe(1);
  expect(ended, up).toBe(0);
  expect((await stack.recorded()).map(({ id }) => id).sort()).toEqual(["1", "2", "3"]);
  expect(await findFiles(stack.folder, /webhooks\/backups\/test-dev/)).toEqual([]);
  await stack.expectNoChanges();
});

it("knows what a killed provider has sent, whichever folders and options the environment names, and copies no secret", async () => {
  const secrets = 'url: pulumi.secret("https://example.com/url-canary"), name: pulumi.secret("name-canary")';
  const hidden = `new webhooks.Webhook("hidden", { ${secrets}, secret: config.requireSecret("hookSecret") });\n`;
  await using stack = await Stack.create({ program: webhook("plain") + hidden });
  await mkdir(join(stack.folder, "src"));
  await symlink("../index.ts", join(stack.folder, "src/index.ts"));
  await appendFile(join(stack.folder, "Pulumi.yaml"), "main: src\n");
  stack.environment.PULUMI_HOME = "./home";
  const fault = { kind: "hang", commit: true } as const;
  await killProvider(await upWithCreateInFlight(stack, { fault, creates: 2 }));
  stack.takeCalls();
  expect(await stack.recorded()).toEqual([]);
  const [notes = "", ...more] = await findFiles(stack.folder, /home\/webhooks\/[^/]*\/[^/]*\.jsonl$/);
  expect(more).toEqual([]);
  const noted = await readFile(notes, "utf8");
  expect(noted).toContain("https://example.com/plain");
  expect(noted).not.toMatch(/canary/i);

  const options = { PULUMI_OPTION_SHOW_SECRETS: "true", PULUMI_OPTION_CWD: join(stack.folder, "src") };
  Object.assign(stack.environment, options);
  const { code, output } = await record(stack);
  for (const name of Object.keys(options)) delete stack.environment[name];
  expect(code, output).toBe(3);
  for (const name of ["hidden", "plain"]) expect(output).toContain(`${name}: unresolved.`);
  const backups = await findFiles(stack.folder, /home\/webhooks\/backups\/test-dev-[^/]*\.json$/);
  expect(backups).toHaveLength(1);
  const files = [...backups, ...(await findFiles(stack.folder, /state\/.*\.json/))];
  for (const file of files) expect(await readFile(file, "utf8"), file).not.toMatch(/canary/i);
  expect(await readFile(backups[0] ?? "", "utf8")).toContain("ciphertext");

  // On another machine.
  stack.environment.PULUMI_HOME = "./elsewhere";
  expect(await stack.upFails()).toContain("it is unknown whether the API created webhooks hidden, plain.");
  expect(stack.takeCalls()).toEqual([]);
});

/** Finds the files below a folder whose paths match. */
async function findFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return files.filter((file) => pattern.test(file));
}
