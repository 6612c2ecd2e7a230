import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { builtFile, start } from "../../test/commands/built-command.js";
import { ORDERS } from "./send.js";

const startSimulator = (...args: string[]) =>
  start([process.execPath, builtFile("simulator/dist/bin.js"), ...args], {}, tmpdir());

/** Starts the command. Its URL is known when it has printed the last line of its introduction. */
function run(...args: string[]) {
  const running = startSimulator(...args);
  const url = running.printed("Ctrl-C").then(() => /http:\S+/.exec(running.output.out)?.[0] ?? "");
  return { ...running, url };
}

function post(url: string, body: unknown) {
  const headers = { authorization: "Bearer simulator-key", "content-type": "application/json" };
  return fetch(`${url}/webhooks`, { method: "POST", headers, body: JSON.stringify(body) });
}

// Each test starts a process or two, beside those of other tests.
describe.concurrent("pulumi-webhooks-simulator", { timeout: 60_000 }, () => {
  it("prints how to use it and a line for each request, and exits cleanly on Ctrl-C", async () => {
    using cli = run("--path", "/v1", "--behavior", "firstId=4711", "--behavior", "idPlace=id");
    const url = await cli.url;
    for (const line of [
      `  pulumi config set webhooks:baseUrl ${url}`,
      "  export WEBHOOKS_API_KEY=simulator-key",
      `Page: ${new URL("/", url)}`,
      `Control API: ${new URL("/@simulator", url)}`,
    ]) {
      expect(cli.output.out.split("\n")).toContain(line);
    }
    const reply = await post(url, { ...ORDERS, name: "Or\u001bders\u009b\u202e" });
    expect(await reply.json()).toMatchObject({ id: 4711 });
    await cli.printed('UTC  create  201 Created  name "Or');
    expect(cli.output.out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(cli.output.out).not.toContain(ORDERS.secret);
    cli.child.kill("SIGINT");
    expect(await cli.ended).toMatchObject({ code: 0, err: "" });
  });

  it("prints its version, and explains itself in 80 columns", async () => {
    const { out } = await startSimulator("--help").ended;
    expect(out).toContain("--behavior <key=value>");
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"));
    expect((await startSimulator("--version").ended).out).toBe(`${version}\n`);
  });

  it.for([
    ["--port http", "port: expected a whole number from 0 to 65535"],
    ["--path /../v1", "path: expected a path like /v1, without . and .. as segments"],
  ] as const)("explains what is wrong with %s and exits with 2", async ([args, message]) => {
    const { code, err } = await startSimulator(...args.split(" ")).ended;
    expect(code).toBe(2);
    expect(err).toMatch(/^error: /);
    expect(err).toContain(message);
    expect(err).not.toContain("    at ");
  });

  it("exits with 1 if the port is in use", async () => {
    using first = run();
    const { port } = new URL(await first.url);
    const { code, err } = await startSimulator("--port", port).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/EADDRINUSE.*Choose another --port or --host/);
  });

  it("keeps running when nobody reads its output any more", async () => {
    using cli = run();
    const url = await cli.url;
    cli.child.stdout.destroy();
    for (const _thrice of [1, 2, 3]) expect((await post(url, ORDERS)).status).toBe(201);
    cli.child.kill("SIGTERM");
    expect(await cli.ended).toMatchObject({ code: 0, err: "" });
  });
});
