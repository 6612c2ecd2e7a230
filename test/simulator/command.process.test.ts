import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { ORDERS } from "./send.js";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = [join(ROOT, "dist/cli/index.js"), "simulator"];

const test = it.extend<{ run: typeof run }>({
  /** Runs the command until the test ends. */
  run: async ({ task: _ }, use) => {
    const running: ReturnType<typeof run>[] = [];
    await use((...given) => {
      const started = run(...given);
      running.push(started);
      return started;
    });
    for (const { child } of running) child.kill("SIGKILL");
  },
});

function run(args: string[]) {
  const { WEBHOOKS_API_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        output += `${line}\n`;
        if (line.includes("Ctrl-C")) resolve(/http:\S+/.exec(output)?.[0] ?? "");
      });
    }
  });
  const exit = once(child, "close").then(([code]) => ({ code, output }));
  return { child, exit, url, output: () => output };
}

function post(url: string, body: unknown) {
  const headers = { authorization: "Bearer simulator-key", "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

// Each test starts a process or two, beside those of other tests.
describe.concurrent("pulumi-webhooks simulator", () => {
  test("prints how to use it and a line for each request, and exits cleanly on Ctrl-C", async ({
    run,
    expect,
  }) => {
    const cli = run(["--path", "/v1", "--behavior", "firstId=4711", "--behavior", "idPlace=id"]);
    const url = await cli.url;
    expect(cli.output()).toContain(`pulumi config set webhooks:baseUrl ${url}\n`);
    expect(cli.output()).toContain("pulumi config set --secret webhooks:apiKey simulator-key\n");
    expect(cli.output()).toContain(`export WEBHOOKS_BASE_URL=${url}\n`);
    expect(cli.output()).toContain(`UI: ${new URL("/", url)}\n`);

    const reply = await post(`${url}/webhooks`, { ...ORDERS, name: "Or\u001bders\u009b\u202e" });
    expect(await reply.json()).toMatchObject({ id: 4711 });
    await expect
      .poll(cli.output, { timeout: 30_000 })
      .toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}create {2}201 Created {2}name "Or/m);
    for (const text of ["\u001b", "\u009b", "\u202e", ORDERS.secret])
      expect(cli.output()).not.toContain(text);

    cli.child.kill("SIGINT");
    expect(await cli.exit).toMatchObject({ code: 0 });
  });

  test.for<[string[], string]>([
    [["--port", "http"], "Use a port from 0 to 65535"],
    [["--prot", "1"], "--port <number>, --path <prefix>, --data <file>, --behavior <key=value>"],
    [["--path", "/../v1"], "path: expected a path like /v1, without . and .. as segments"],
  ])("explains what is wrong with %j and exits with 2", async ([args, message], { run }) => {
    const { code, output } = await run(args).exit;
    expect(code).toBe(2);
    expect(output).toMatch(/^error: /);
    expect(output).toContain(message);
    expect(output).not.toContain("    at ");
  });

  test("exits with 1 if the port is in use", async ({ run, expect }) => {
    const url = new URL(await run([]).url);
    const { code, output } = await run(["--port", url.port]).exit;
    expect(code).toBe(1);
    expect(output).toMatch(/EADDRINUSE.*Choose another port with --port/);
  });

  test("keeps running when nobody reads its output any more", async ({ run }) => {
    const cli = run([]);
    const url = await cli.url;
    cli.child.stdout.destroy();
    for (const status of [201, 201, 201]) {
      const reply = await post(`${url}/webhooks`, ORDERS);
      expect(reply.status).toBe(status);
    }
    cli.child.kill("SIGINT");
    const { code, output } = await cli.exit;
    expect(code).toBe(0);
    expect(output).not.toContain("EPIPE");
  });
});
