import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { readProcess } from "../notes/processes.js";

const POLL_MILLISECONDS = 500;

/** Interrupts a command when the Pulumi that runs it has ended: `pulumi plugin run` passes no Ctrl-C on to its process group. */
export function endWithPulumi(): void {
  const { ppid: parent } = process;
  if (!isPulumi(parent)) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGINT");
  }, POLL_MILLISECONDS);
  timer.unref();
}

function isPulumi(pid: number): boolean {
  try {
    // Small images of Linux have no ps.
    const name = readProcess(pid)?.name ?? execFileSync("ps", ["-o", "comm=", "-p", `${pid}`], OPTIONS);
    return basename(name.trim()) === "pulumi";
  } catch {
    return false; // Such as on Windows.
  }
}

const OPTIONS = { encoding: "utf8", stdio: "pipe" } as const;
