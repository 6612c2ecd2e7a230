import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "./built-command.js";

const SOURCE = `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const [verb, noun] = process.argv.slice(2);
const state = path.join(__dirname, "../stack.json");
if (verb === "refresh") {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      fs.writeFileSync(path.join(__dirname, "../signal.txt"), signal);
      process.exit(1);
    });
  fs.appendFileSync(process.env.PULUMI_WEBHOOKS_FINDINGS, "half a line");
  setInterval(() => {}, 1000);
} else if (noun === "export") {
  if (fs.existsSync(state)) process.stdout.write(fs.readFileSync(state, "utf8"));
  else setInterval(() => {}, 1000);
  if (process.env.FAKE_RUN) {
    const saved = JSON.parse(fs.readFileSync(state, "utf8"));
    saved.deployment.resources.push({ urn: "urn:new", type: "new" });
    fs.writeFileSync(state, JSON.stringify(saved));
  }
} else if (noun === "import") {
  const { FAKE_ERROR, FAKE_IMPORT = "writes" } = process.env;
  if (FAKE_IMPORT.includes("writes")) fs.copyFileSync(process.argv[process.argv.indexOf("--file") + 1], state);
  if (FAKE_IMPORT.includes("is killed")) process.kill(process.pid, "SIGKILL");
  if (FAKE_IMPORT.includes("fails")) {
    console.error("error: " + FAKE_ERROR);
    process.exit(255);
  }
}
`;

/** A folder with a command `pulumi`, for what the real one does not do on demand. */
export class FakePulumi implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));

  constructor(source = SOURCE) {
    for (const name of ["bin", "tmp"]) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, "bin/pulumi"), source, { mode: 0o755 });
  }

  /** The environment in which a command finds it, and no other one. */
  get environment() {
    const { folder } = this;
    return { PATH: join(folder, "bin"), TMPDIR: join(folder, "tmp"), PULUMI_HOME: join(folder, "home") };
  }

  /** Starts `pulumi-webhooks` in the folder. FAKE_IMPORT says what pulumi stack import does. With FAKE_RUN, a run saves after each reading. */
  start(args: string[], environment: Record<string, string> = {}) {
    return startCommand(args, { ...this.environment, ...environment }, this.folder);
  }

  /** Writes a text, or JSON. The state of each stack is stack.json; without it, reading a state never ends. */
  write(name: string, content: object | string): void {
    writeFileSync(join(this.folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }

  /** Reads a file of the folder. */
  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
