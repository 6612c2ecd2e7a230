import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../../scripts/engine.mts", import.meta.url));
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

let folder: string;
let path: string;
let versions: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "engine-test-"));
  path = join(folder, "path");
  versions = join(folder, "home", "versions");
  mkdirSync(path);
  mkdirSync(versions, { recursive: true });
  // Nothing of this machine: no pulumi, no go, and a proxy that nobody listens at, so that nothing is ever downloaded.
  const proxy = `http://127.0.0.1:${await freePort()}`;
  env = { PATH: path, PULUMI_HOME: join(folder, "home"), HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the engine", { timeout: 30_000 }, () => {
  it("is the pulumi on PATH when that is new enough", async () => {
    fakePulumi(path, "3.251.2");
    fakePulumi(join(versions, "3.250.0", "bin"), "3.250.0");

    expect(await run()).toMatchObject({ code: 0, stdout: `${path}\n`, stderr: "Pulumi 3.251.2 (PATH):\n" });
  });

  it("is not a pulumi on PATH that is too old", async () => {
    fakePulumi(path, "3.249.9");
    const bin = join(versions, "3.250.0", "bin");
    fakePulumi(bin, "3.250.0");

    expect(await run()).toMatchObject({ code: 0, stdout: `${bin}\n`, stderr: "Pulumi 3.250.0 (cached):\n" });
  });

  it("is not a pulumi on PATH that comes without the Node language host", async () => {
    fakePulumi(path, "3.251.2");
    rmSync(join(path, "pulumi-language-nodejs"));

    const { code, stderr } = await run();

    expect(code).toBe(1);
    expect(stderr).toContain(
      `- pulumi on PATH: ${join(path, "pulumi")} comes without pulumi-language-nodejs\n`,
    );
  });

  it("is the one that was built here before", async () => {
    const bin = join(versions, "3.250.0-from-source", "bin");
    fakePulumi(bin, "3.250.0");

    expect(await run()).toMatchObject({ code: 0, stdout: `${bin}\n`, stderr: "Pulumi 3.250.0 (cached):\n" });
  });

  it("is built where the official download is out of reach", async () => {
    fakeGo();

    expect(await run()).toMatchObject({
      code: 0,
      stdout: `${join(versions, "3.250.0-from-source", "bin")}\n`,
    });
    expect(readdirSync(join(versions, "3.250.0-from-source", "bin")).sort()).toEqual(EXECUTABLES);
    expect((await run()).stderr).toBe("Pulumi 3.250.0 (cached):\n");
  });

  it("gets no name before it is seen to run", async () => {
    fakeGo({ version: "3.1.0" });

    const { code, stderr } = await run();

    expect(code).toBe(1);
    expect(stderr).toContain("- build from Go modules: it says that it is 3.1.0\n");
    expect(enginesAndLeftovers()).toEqual([]);
  });

  it("cannot be had without pulumi, network and go, which is said with what to install", async () => {
    const { code, stdout, stderr } = await run();

    expect(code).toBe(1);
    expect(stdout).toBe("");
    const said = stderr.slice(stderr.indexOf("There is no"));
    expect(said.replace(/\(.*ECONNREFUSED.*\)/, "(refused)").split("\n")).toEqual([
      "There is no Pulumi engine here, and none could be had:",
      "- pulumi on PATH: there is none",
      `- cached engine: there is no complete one in ${versions}/3.250.0 or 3.250.0-from-source beside it`,
      "- official download: https://get.pulumi.com/install.sh cannot be reached (refused)",
      "- build from Go modules: there is no go on PATH",
      "Install Pulumi 3.250.0 or newer (https://www.pulumi.com/docs/install/), or Go 1.21 or newer (https://go.dev/dl/), and try again.",
      "",
    ]);
  });

  it("is given up for within seconds where the network never answers", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    env.HTTPS_PROXY = `http://127.0.0.1:${portOf(silent)}`;
    const start = Date.now();

    const { code, stderr } = await run();

    expect(code).toBe(1);
    expect(stderr).toContain("cannot be reached (The operation was aborted due to timeout)\n");
    expect(Date.now() - start).toBeLessThan(15_000);
    silent.close();
  });

  it("cannot be built with a go that is too old", async () => {
    fakeGo({ go: "go1.20.14" });

    expect((await run()).stderr).toContain("- build from Go modules: go is 1.20; 1.21 or newer is needed\n");
  });

  it("cannot be built when go fails, which is said in go's words", async () => {
    fakeGo({ fails: "go: example.com/module@v1.0.0: no such host" });

    const { code, stderr } = await run();

    expect(code).toBe(1);
    expect(stderr).toContain("ended with 1:\ngo: example.com/module@v1.0.0: no such host\n");
    expect(enginesAndLeftovers()).toEqual([]);
  });

  it("is built once when two runs want it", async () => {
    fakeGo({ seconds: 0.5 });

    const runs = await Promise.all([run(), run()]);

    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const [waiting, ...others] = runs.filter(({ stderr }) => stderr.startsWith("Waiting for another run"));
    expect(others).toEqual([]);
    expect(waiting?.stderr).toContain("Pulumi 3.250.0 (cached):");
    expect(builds()).toEqual(["pulumi-language-nodejs", "pulumi"]);
  });

  it("is built anew after a run that was killed, of which nothing is left", async () => {
    fakeGo({ seconds: 60 });
    const killed = spawn(process.execPath, [script], { env, stdio: "ignore", detached: true });
    const ended = new Promise((resolve) => killed.once("close", resolve));
    while (builds().length === 0) await sleep(20);
    // With its go, as a closed terminal does it.
    if (killed.pid) process.kill(-killed.pid, "SIGKILL");
    await ended;
    expect(enginesAndLeftovers()).toHaveLength(1);

    fakeGo();
    const { code, stderr } = await run();

    expect(code).toBe(0);
    expect(stderr).not.toContain("Waiting");
    expect(enginesAndLeftovers()).toEqual(["3.250.0-from-source"]);
  });

  it("does not wait for a ticket whose process id another process has by now", async () => {
    fakeGo();
    const lock = join(versions, ".3.250.0.lock");
    mkdirSync(lock);
    const ticket = join(lock, `${process.pid}.00000000`);
    writeFileSync(ticket, "");
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(ticket, longAgo, longAgo);

    expect((await run()).code).toBe(0);
    expect(existsSync(ticket)).toBe(false);
  });
});

function run(): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

function enginesAndLeftovers() {
  return readdirSync(versions).filter((name) => name !== ".3.250.0.lock");
}

function fakePulumi(bin: string, version: string) {
  mkdirSync(bin, { recursive: true });
  for (const name of EXECUTABLES) shellScript(join(bin, name), `echo v${version}`);
}

/** A go whose builds make a pulumi that does nothing but say a version. */
function fakeGo({ go = "go1.26.0", version = "3.250.0", seconds = 0, fails = "" } = {}) {
  const program = join(folder, "go.cjs");
  writeFileSync(
    program,
    `const fs = require("node:fs");
     if (process.argv[2] === "version") return console.log("go version ${go} linux/amd64");
     if (${JSON.stringify(fails)}) { console.error(${JSON.stringify(fails)}); process.exit(1); }
     const output = process.argv[process.argv.indexOf("-o") + 1];
     fs.appendFileSync(${JSON.stringify(join(folder, "builds"))}, require("node:path").basename(output) + "\\n");
     setTimeout(() => fs.writeFileSync(output, "#!/bin/sh\\necho v${version}\\n", { mode: 0o755 }), ${seconds * 1000});`,
  );
  shellScript(join(path, "go"), `exec "${process.execPath}" "${program}" "$@"`);
}

function builds() {
  const log = join(folder, "builds");
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

function shellScript(file: string, text: string) {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen");
  return address.port;
}
