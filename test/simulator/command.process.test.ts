import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { parseBehaviour } from "../../src/simulator/behaviour-schema.js";
import { ORDERS } from "./send.js";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = [join(ROOT, "dist/cli/index.js"), "simulator"];

const test = it.extend<{ run: typeof run; data: string }>({
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
  /** The path of a data file. */
  data: async ({ task: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));
    await use(join(folder, "webhooks.json"));
    rmSync(folder, { recursive: true, force: true });
  },
});

function run(args: string[], apiKey?: string) {
  const { WEBHOOKS_API_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    env: { ...env, ...(apiKey !== undefined && { WEBHOOKS_API_KEY: apiKey }) },
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

function post(url: string, { body, apiKey = "simulator-key" }: { body: unknown; apiKey?: string }) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

// Each test starts a process or two, beside those of other tests.
describe.concurrent("pulumi-webhooks simulator", { timeout: 30_000 }, () => {
  test("prints how to use it and a line for each request, and exits cleanly on Ctrl-C", async ({
    run,
    expect,
  }) => {
    const cli = run(["--path", "/v1", "--behaviour", "firstId=4711", "--behaviour", "idPlace=id"]);
    const url = await cli.url;
    expect(cli.output()).toContain(`pulumi config set webhooks:baseUrl ${url}\n`);
    expect(cli.output()).toContain("pulumi config set --secret webhooks:apiKey simulator-key\n");
    expect(cli.output()).toContain(`export WEBHOOKS_BASE_URL=${url}\n`);
    expect(cli.output()).toContain(`UI: ${new URL("/", url)}\n`);

    const reply = await post(`${url}/webhooks`, { body: { ...ORDERS, name: "Or\u001bders\u009b\u202e" } });
    expect(await reply.json()).toMatchObject({ id: 4711 });
    await expect.poll(cli.output).toMatch(/^\d\d:\d\d:\d\d {2}create {2}201 Created {2}name "Or/m);
    for (const text of ["\u001b", "\u009b", "\u202e", ORDERS.secret])
      expect(cli.output()).not.toContain(text);

    cli.child.kill("SIGINT");
    expect(await cli.exit).toMatchObject({ code: 0 });
  });

  test("reads its key from the environment and never prints it", async ({ run, expect }) => {
    const cli = run([], "canary-key");
    const url = await cli.url;
    const reply = await post(`${url}/webhooks/delete`, {
      body: { webhook_id: "canary-key" },
      apiKey: "canary-key",
    });
    expect(reply.status).toBe(404);
    await expect.poll(cli.output).toContain('webhook_id "[key]"');
    expect(cli.output()).toContain(
      "printenv WEBHOOKS_API_KEY | pulumi config set --secret webhooks:apiKey\n",
    );
    expect(cli.output()).not.toContain("canary");
    cli.child.kill("SIGTERM");
    expect(await cli.exit).toMatchObject({ code: 0 });
  });

  test.for<[string[], string]>([
    [["--port", "http"], "Use a port from 0 to 65535"],
    [["--prot", "1"], "--port <number>, --path <prefix>, --data <file>, --behaviour <key=value>"],
    [["--behaviour", "idPlace=here"], '"data.webhook.id"|"data.id"|"webhook.id"|"id"|"none"'],
    [["--behaviour", "idplace=id"], "the options are idPlace, idType, firstId"],
    [["--behaviour", "idPlace"], "the keys are idPlace, idType, firstId"],
    [["--behaviour", "timestampsInCreateReply=yes"], "expected true or false"],
    [["--behaviour", "clockSkewSeconds=soon"], "expected a number"],
    [["--behaviour", "rateLimit=5"], "PER_SECOND:BURST or PER_SECOND:BURST:headers"],
    [["--path", "v1"], "expected a path like /v1"],
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

  test("names a data file that it cannot use, and exits with 1", async ({ run, data }) => {
    writeFileSync(data, "{");
    const { code, output } = await run(["--data", data]).exit;
    expect(code).toBe(1);
    expect(output).toBe(
      `error: ${data} is not a data file of the simulator: it is not JSON. It was not changed. Correct it, or use another file.\n`,
    );
  });

  test("keeps its webhooks in the data file from one run to the next", async ({ run, data }) => {
    const createForId = async (url: string) => {
      const { data } = await (await post(`${url}/webhooks`, { body: ORDERS })).json();
      return data.webhook.id;
    };
    const first = run(["--data", data]);
    expect(await createForId(await first.url)).toBe(1);
    expect(first.output()).toContain(`Webhooks: in ${data}, with their secrets\n`);
    first.child.kill("SIGTERM");
    await first.exit;
    expect(await createForId(await run(["--data", data]).url)).toBe(2);
  });

  test("keeps running when nobody reads its output any more", async ({ run }) => {
    const cli = run([]);
    const url = await cli.url;
    cli.child.stdout.destroy();
    for (const status of [201, 201, 201]) {
      const reply = await post(`${url}/webhooks`, { body: ORDERS });
      expect(reply.status).toBe(status);
    }
    cli.child.kill("SIGINT");
    const { code, output } = await cli.exit;
    expect(code).toBe(0);
    expect(output).not.toContain("EPIPE");
  });

  test("parses each behaviour option from its text", async ({ run, expect }) => {
    const cli = run(["--behaviour", "rateLimit=0.5:1:headers", "--behaviour", "clockSkewSeconds=-3600"]);
    const reply = await fetch(`${await cli.url}/webhooks`, {
      method: "POST",
      headers: { authorization: "Bearer simulator-key" },
    });
    expect(reply.headers.get("ratelimit-limit")).toBe("1");
    expect(Date.parse(reply.headers.get("date") ?? "")).toBeLessThan(Date.now() - 3_500_000);
  });

  test("lists every behaviour option in its help", async ({ run, expect }) => {
    const { code, output } = await run(["--help"]).exit;
    expect(code).toBe(0);
    for (const key of Object.keys(parseBehaviour({}))) expect(output).toContain(`  ${key} `);
  });
});
