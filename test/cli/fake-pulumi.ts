import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const [verb, noun] = process.argv.slice(2);
const state = path.join(__dirname, "../stack.json");
if (verb === "refresh") {
  const ready = path.join(__dirname, "../refresh.json");
  const log = process.argv.find((arg) => arg.startsWith("--event-log=")).slice("--event-log=".length);
  fs.appendFileSync(log, '{"diagnosticEvent":{"severity":"debug","message":"whsec-canary-0815"}}\\n');
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      fs.writeFileSync(path.join(__dirname, "../signal.txt"), signal);
      process.exit(1);
    });
  }
  fs.writeFileSync(ready + "~", JSON.stringify({ log, mode: fs.statSync(log).mode & 0o777 }));
  fs.renameSync(ready + "~", ready);
  setInterval(() => {}, 1000);
} else if (verb === "whoami") {
  process.stdout.write(JSON.stringify({ url: "file://" + path.join(__dirname, "../backend") }));
} else if (fs.existsSync(path.join(__dirname, "../backend"))) {
  console.error("error: failed to load checkpoint: EOF");
  process.exit(1);
} else if (noun === "export") {
  if (process.env.FAKE_EXPORT === "hang") setInterval(() => {}, 1000);
  else process.stdout.write(fs.readFileSync(state, "utf8"));
} else if (noun === "import") {
  const file = process.argv[process.argv.indexOf("--file") + 1];
  const how = process.env.FAKE_IMPORT ?? "write";
  if (how.includes("write")) fs.copyFileSync(file, state);
  if (how.includes("fail")) {
    console.error(how.includes("unlock") ? "error: there was a problem deleting the lock" : "error: the disk is full");
    process.exit(255);
  }
  if (how.includes("kill")) process.kill(process.pid, "SIGKILL");
}
`;

/** A command `pulumi` in a folder, for what the real one does not do on demand. Its state is stack.json there. */
export class FakePulumi {
  readonly #folder: string;

  /** @param folder where the command runs. What an earlier test left there is removed. */
  constructor(folder: string) {
    this.#folder = folder;
    const left = this.list("pulumi-webhooks-").concat(
      "bin",
      "tmp",
      "stack.json",
      "refresh.json",
      "signal.txt",
      "backend",
    );
    for (const name of left) rmSync(join(folder, name), { recursive: true, force: true });
    for (const name of ["bin", "tmp"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "bin/pulumi"), SOURCE, { mode: 0o755 });
  }

  /** Returns the environment in which a command finds it, and no other one. */
  environment(
    how: "write" | "fail" | "write, kill" | "write, fail to unlock" = "write",
  ): Record<string, string> {
    return { PATH: join(this.#folder, "bin"), TMPDIR: join(this.#folder, "tmp"), FAKE_IMPORT: how };
  }

  setState(state: object): void {
    writeFileSync(join(this.#folder, "stack.json"), JSON.stringify(state));
  }

  /** Breaks the file backend: no command works any more. @returns its files of attributes. */
  breakBackend(): { broken: string; whole: string } {
    const stacks = join(this.#folder, "backend/.pulumi/stacks/test");
    mkdirSync(stacks, { recursive: true });
    const [broken, whole] = [join(stacks, "dev.json.attrs"), join(stacks, "dev.json.bak.attrs")];
    writeFileSync(broken, "");
    writeFileSync(whole, "{}");
    return { broken, whole };
  }

  /** Reads a file of the folder. */
  read(name: string): string {
    return readFileSync(join(this.#folder, name), "utf8");
  }

  /** Lists the names of the files in the folder that begin with a text. */
  list(prefix: string, folder = "."): string[] {
    return readdirSync(join(this.#folder, folder)).filter((name) => name.startsWith(prefix));
  }
}
