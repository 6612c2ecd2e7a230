import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findFreePort } from "../../scripts/listen.mts";

const SCRIPT = join(import.meta.dirname, "../../scripts/engine.mts");
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
/** Nothing listens there. */
const REFUSING_PROXY = `http://127.0.0.1:${await findFreePort()}`;

it("builds the engine once, also for two runs, if the official download is out of reach", async () => {
  using machine = new EngineMachine();
  machine.addGo();
  const runs = await Promise.all([machine.run(), machine.run()]);
  for (const { code, stdout } of runs)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${machine.built}\n` });
  expect(readdirSync(machine.built).sort()).toEqual(EXECUTABLES);
  const builds = readFileSync(join(machine.folder, "builds"), "utf8");
  expect(builds.match(/[\w-]+$/gm)).toEqual(["pulumi-language-nodejs", "pulumi"]);
});

/** A machine without pulumi and go, and with a proxy that refuses, so that nothing is ever downloaded. */
class EngineMachine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-machine-"));
  readonly bin = join(this.folder, "bin");
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
