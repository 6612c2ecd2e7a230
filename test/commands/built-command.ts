import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Returns the path of a file in dist or simulator/dist, as the build writes it. @throws if the source has changed since. */
export function builtFile(path: string): string {
  const [folder = ""] = path.split("dist/");
  const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtAt = changedAt(join(ROOT, path));
  const isOld = globSync(join(ROOT, folder, "src/**/*.ts")).some((file) => changedAt(file) > builtAt);
  if (isOld) throw new Error(`The build is older than ${folder}src. Run: npm run build`);
  return join(ROOT, path);
}

const commandLine = (args: string[]) => [process.execPath, builtFile("dist/commands/index.js"), ...args];

/** Starts `pulumi-webhooks`, as the build writes it, without a terminal. */
export function startCommand(args: string[], env: Record<string, string> = {}, cwd = tmpdir()) {
  return start(commandLine(args), env, cwd);
}

/** Starts it at a terminal, by the tool `script` of util-linux, which is on every Debian. */
export function startAtTerminal(args: string[], env: Record<string, string>) {
  // exec: without it, a shell waits, and ends with a status of its own on Ctrl-C.
  const line = ["exec", ...commandLine(args).map((part) => `'${part}'`)].join(" ");
  const command = ["script", "--quiet", "--return", "--command", line, "/dev/null"];
  return start(command, { PATH: process.env.PATH ?? "", ...env }, tmpdir());
}

/** Starts a process, and collects what it prints. It is killed when it goes out of scope. */
export function start([file = "", ...args]: readonly string[], env: Record<string, string>, cwd: string) {
  const child = spawn(file, args, { cwd, env, stdio: "pipe" });
  child.stdin.on("error", () => {}); // The process may end before it reads.
  const output = { out: "", err: "" };
  for (const [name, stream] of [["out", child.stdout] as const, ["err", child.stderr] as const])
    stream.on("data", (text) => {
      output[name] += text;
    });
  return {
    child,
    output,
    ended: once(child, "close").then(([code]) => ({ code, ...output })),
    /** Waits until the process has printed a text. */
    printed: (text: string) =>
      vi.waitFor(() => expect(output.out + output.err).toContain(text), { timeout: 120_000 }),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
