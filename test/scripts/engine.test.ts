import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findFreePort, listen } from "../../scripts/listen.mts";

const SCRIPT = fileURLToPath(new URL("../../scripts/engine.mts", import.meta.url));
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const OPTIONS = { concurrent: true };
/** Nothing listens there. */
const REFUSING_PROXY = `http://127.0.0.1:${await findFreePort()}`;

it.for([
  ["the pulumi on PATH if it is new enough", "3.251.2", "bin", "3.251.2 (PATH)"],
  ["the cached engine if that is too old", "3.249.9", "cached", "3.250.0 (cached)"],
] as const)("uses %s", OPTIONS, async ([, onPath, used, label]) => {
  using machine = new EngineMachine();
  machine.addPulumi(machine.bin, onPath);
  machine.addPulumi(machine.cached, "3.250.0");
  expect(await machine.run()).toEqual({
    code: 0,
    stdout: `${machine[used]}\n`,
    stderr: `Pulumi ${label}:\n`,
  });
});

it("builds the engine if the official download is out of reach", OPTIONS, async () => {
  using machine = new EngineMachine();
  machine.addGo();
  expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
  expect(readdirSync(machine.built).sort()).toEqual(EXECUTABLES);
  expect((await machine.run()).stderr).toBe("Pulumi 3.250.0 (cached):\n");
});

it("provides the newest engine that the tests run, beside the oldest", OPTIONS, async () => {
  using machine = new EngineMachine();
  machine.addPulumi(machine.bin, "3.251.2");
  machine.addPulumi(machine.cached, "3.250.0");
  machine.addGo({ version: "3.259.0" });
  const { stdout, stderr } = await machine.run("--newest");
  expect(stdout).toBe(`${machine.versions}/3.259.0-from-source/bin\n`);
  expect(stderr).toMatch(/^Pulumi 3\.259\.0 \(built\):$/m);
});

it.for<[string, (machine: EngineMachine) => void, string]>([
  [
    "a pulumi on PATH without its Node language host",
    (machine) => {
      machine.addPulumi(machine.bin, "3.251.2");
      rmSync(join(machine.bin, "pulumi-language-nodejs"));
    },
    "- pulumi on PATH: pulumi-language-nodejs is missing beside ",
  ],
  [
    "a build of another version",
    (machine) => machine.addGo({ version: "3.1.0" }),
    "- build from Go modules: its version is 3.1.0\n",
  ],
  [
    "a go that is too old",
    (machine) => machine.addGo({ go: "go1.20.14" }),
    "go is 1.20, but 1.21 or newer is required\n",
  ],
  [
    "a build that fails, and quotes its error",
    (machine) => machine.addGo({ error: "go: no such host" }),
    "ended with 1:\ngo: no such host\n",
  ],
])("rejects %s, and leaves nothing of it", OPTIONS, async ([, prepare, problem]) => {
  using machine = new EngineMachine();
  prepare(machine);
  const { code, stderr } = await machine.run();
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
  expect(machine.enginesAndLeftovers()).toEqual([]);
});

it("lists what it tried and what to install if there is no pulumi, network or go", OPTIONS, async () => {
  using machine = new EngineMachine();
  const { code, stdout, stderr } = await machine.run();
  expect(code).toBe(1);
  expect(stdout).toBe("");
  const message = stderr.slice(stderr.indexOf("No Pulumi engine"));
  expect(message.replace(/\(.*ECONNREFUSED.*\)/, "(refused)").split("\n")).toEqual([
    "No Pulumi engine was found or installed:",
    "- pulumi on PATH: not found",
    `- cached engine: not complete in ${machine.versions}/3.250.0 or in 3.250.0-from-source beside it`,
    "- official download: https://get.pulumi.com/install.sh cannot be reached (refused)",
    "- build from Go modules: go was not found on PATH",
    "Install Pulumi 3.250.0 or newer (https://www.pulumi.com/docs/install/), or Go 1.21 or newer (https://go.dev/dl/). Then try again.",
    "",
  ]);
});

it("gives up the download within seconds if the network never responds", OPTIONS, async () => {
  using machine = new EngineMachine();
  await using silent = createServer((socket) => socket.resume());
  machine.env.HTTPS_PROXY = `http://127.0.0.1:${await listen(silent)}`;
  const start = Date.now();
  const { code, stderr } = await machine.run();
  expect(code).toBe(1);
  expect(stderr).toContain("cannot be reached (The operation was aborted due to timeout)\n");
  expect(Date.now() - start).toBeLessThan(60_000);
});

it("builds once when two runs start at the same time", OPTIONS, async () => {
  using machine = new EngineMachine();
  machine.addGo({ seconds: 0.5 });

  const runs = await Promise.all([machine.run(), machine.run()]);

  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const [waiting, ...others] = runs.filter(({ stderr }) => stderr.startsWith("Waiting for another run"));
  expect(others).toEqual([]);
  expect(waiting?.stderr).toContain("Pulumi 3.250.0 (cached):");
  expect(machine.builds()).toEqual(["pulumi-language-nodejs", "pulumi"]);
});

it("builds again after a killed run, and removes what that left", OPTIONS, async () => {
  using machine = new EngineMachine();
  machine.addGo({ seconds: 60 });
  const killed = spawn(process.execPath, [SCRIPT], { env: machine.env, stdio: "ignore", detached: true });
  const exit = once(killed, "close");
  while (machine.builds().length === 0) await sleep(20);
  // Kills its go too, like a closed terminal.
  if (killed.pid) process.kill(-killed.pid, "SIGKILL");
  await exit;
  expect(machine.enginesAndLeftovers()).toHaveLength(1);

  machine.addGo();
  const { code, stderr } = await machine.run();
  expect(code).toBe(0);
  expect(stderr).not.toContain("Waiting");
  expect(machine.enginesAndLeftovers()).toEqual(["3.250.0-from-source"]);
});

it("ignores an old ticket with the process id of another process", OPTIONS, async () => {
  using machine = new EngineMachine();
  machine.addGo();
  const lock = join(machine.versions, ".3.250.0.lock");
  mkdirSync(lock);
  const ticket = join(lock, `${process.pid}.00000000`);
  writeFileSync(ticket, "");
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(ticket, longAgo, longAgo);
  expect((await machine.run()).code).toBe(0);
  expect(existsSync(ticket)).toBe(false);
});

/** A machine without pulumi and go, and with a proxy that refuses, so that nothing is ever downloaded. */
class EngineMachine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-machine-"));
  readonly bin = join(this.folder, "bin");
  readonly versions = join(this.folder, "home/versions");
  readonly cached = join(this.versions, "3.250.0/bin");
  readonly built = join(this.versions, "3.250.0-from-source/bin");
  readonly env: NodeJS.ProcessEnv = {
    PATH: this.bin,
    PULUMI_HOME: join(this.folder, "home"),
    HTTPS_PROXY: REFUSING_PROXY,
    HTTP_PROXY: REFUSING_PROXY,
  };

  constructor() {
    mkdirSync(this.versions, { recursive: true });
  }

  /** Runs the script. */
  run(...options: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [SCRIPT, ...options],
        { env: this.env },
        (_, stdout, stderr) => {
          resolve({ code: child.exitCode ?? -1, stdout, stderr });
        },
      );
    });
  }

  addPulumi(bin: string, version: string): void {
    for (const name of EXECUTABLES) this.#addCommand(name, `echo v${version}`, bin);
  }

  #addCommand(name: string, script: string, bin = this.bin): void {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Adds a go whose builds print a version and do nothing else. */
  addGo({ go = "go1.26.0", version = "3.250.0", seconds = 0, error = "" } = {}): void {
    const program = join(this.folder, "go.cjs");
    writeFileSync(
      program,
      `const fs = require("node:fs");
       if (process.argv[2] === "version") return console.log("go version ${go} linux/amd64");
       if (${JSON.stringify(error)}) { console.error(${JSON.stringify(error)}); process.exit(1); }
       const output = process.argv[process.argv.indexOf("-o") + 1];
       fs.appendFileSync(${JSON.stringify(this.#buildLog)}, output + "\\n");
       setTimeout(() => fs.writeFileSync(output, "#!/bin/sh\\necho v${version}\\n", { mode: 0o755 }), ${seconds * 1000});`,
    );
    this.#addCommand("go", `exec "${process.execPath}" "${program}" "$@"`);
  }

  /** Returns the names of the programs that go built, in order. */
  builds(): string[] {
    if (!existsSync(this.#buildLog)) return [];
    const outputs = readFileSync(this.#buildLog, "utf8").trim().split("\n");
    return outputs.map((output) => basename(output));
  }

  /** Returns what lies in the folder of the engines, beside the lock. */
  enginesAndLeftovers(): string[] {
    return readdirSync(this.versions).filter((name) => name !== ".3.250.0.lock");
  }

  get #buildLog(): string {
    return join(this.folder, "builds");
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
