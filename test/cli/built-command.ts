import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { expect, vi } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const compilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2023,
  esModuleInterop: true,
};

/** The command `pulumi-webhooks`, compiled into a folder of its own: without checking types, that takes a second. */
export class BuiltCommand implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "pulumi-webhooks-"));

  constructor() {
    for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
      if (!/\.(?:ts|json)$/.test(file)) continue;
      const source = readFileSync(join(root, "src", file), "utf8");
      const target = join(this.#folder, "dist", file.replace(/ts$/, "js"));
      mkdirSync(dirname(target), { recursive: true });
      const isCode = file.endsWith(".ts");
      writeFileSync(target, isCode ? ts.transpileModule(source, { compilerOptions }).outputText : source);
    }
    cpSync(join(root, "package.json"), join(this.#folder, "package.json"));
    for (const folder of ["node_modules", "plugin"])
      symlinkSync(join(root, folder), join(this.#folder, folder));
  }

  /** The program that runs it, and its first argument. */
  get line(): [string, string] {
    return [process.execPath, this.fileOf("cli/index.js")];
  }

  /** Returns the path of a compiled file of the package. */
  fileOf(path: string): string {
    return join(this.#folder, "dist", path);
  }

  /** The folder in which it runs without a terminal. */
  get folder(): string {
    return this.#folder;
  }

  /** Starts it without a terminal. */
  start(args: string[], env: Record<string, string>) {
    const [node, file] = this.line;
    return watch(spawn(node, [file, ...args], { cwd: this.#folder, env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  /** Starts it at a terminal, by the tool `script` of util-linux, which is on every Debian. */
  startAtTerminal(args: string[], env: Record<string, string>) {
    // exec: without it, a shell waits, and ends with a status of its own on Ctrl-C.
    const line = ["exec", ...[...this.line, ...args].map((part) => `'${part}'`)].join(" ");
    return watch(
      spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
        env: { ...process.env, ...env },
        stdio: ["pipe", "pipe", "pipe"],
      }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Collects what a process prints. */
function watch(child: ChildProcess) {
  const output = { out: "", err: "" };
  child.stdout?.on("data", (text) => {
    output.out += text;
  });
  child.stderr?.on("data", (text) => {
    output.err += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code, ...output }));
  /** Waits until the process has printed a text. */
  const printed = (text: string) =>
    vi.waitFor(() => expect(output.out + output.err).toContain(text), { timeout: 20_000 });
  return { child, ended, printed };
}
