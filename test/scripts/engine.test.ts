import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findFreePort } from "../../scripts/listen.mts";

const SCRIPT = join(import.meta.dirname, "../../scripts/engine.mts");
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

it(
  "builds the engine once, also for two runs, if the official download is out of reach",
  OPTIONS,
  async () => {
    using machine = new EngineMachine();
    machine.addGo();
    const runs = await Promise.all([machine.run(), machine.run()]);
    for (const { code, stdout } of runs)
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${machine.built}\n` });
    expect(readdirSync(machine.built).sort()).toEqual(EXECUTABLES);
    const builds = readFileSync(join(machine.folder, "builds"), "utf8");
    expect(builds.match(/[\w-]+$/gm)).toEqual(["pulumi-language-nodejs", "pulumi"]);
  },
);

it("lists what it tried and what to install if there is no pulumi, network or go", OPTIONS, async () => {
  using machine = new EngineMachine();
  const { code, stdout, stderr } = await machine.run();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  for (const tried of [
    "pulumi on PATH: not found",
    "cached engine: not complete",
    "ECONNREFUSED",
    "go was not found",
  ])
    expect(stderr).toContain(tried);
  expect(stderr).toMatch(/\nInstall Pulumi 3\.250\.0 or newer .*, or Go .*\. Then try again\.\n$/);
});

/** A machine without pulumi and go, and with a proxy that refuses, so that nothing is ever downloaded. */
class EngineMachine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-machine-"));
  readonly bin = join(this.folder, "bin");
  readonly cached = join(this.folder, "home/versions/3.250.0/bin");
  readonly built = join(this.folder, "home/versions/3.250.0-from-source/bin");

  /** Runs the script. */
  run(): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = {
      PATH: this.bin,
      PULUMI_HOME: join(this.folder, "home"),
      HTTPS_PROXY: REFUSING_PROXY,
      HTTP_PROXY: REFUSING_PROXY,
    };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [SCRIPT], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  addPulumi(bin: string, version: string): void {
    for (const name of EXECUTABLES) this.#addCommand(bin, name, `#!/bin/sh\necho v${version}\n`);
  }

  /** Adds a go whose builds, each of half a second, print a version and do nothing else. */
  addGo(): void {
    const source = `#!${process.execPath}
const fs = require("node:fs");
if (process.argv[2] === "version") return console.log("go version go1.26.0 linux/amd64");
const output = process.argv[process.argv.indexOf("-o") + 1];
fs.appendFileSync(${JSON.stringify(join(this.folder, "builds"))}, output + "\\n");
setTimeout(() => fs.writeFileSync(output, "#!/bin/sh\\necho v3.250.0\\n", { mode: 0o755 }), 500);`;
    this.#addCommand(this.bin, "go", source);
  }

  #addCommand(bin: string, name: string, source: string): void {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, name), source, { mode: 0o755 });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
