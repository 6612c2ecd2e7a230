import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

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
    return basename(nameOf(pid).trim()) === "pulumi";
  } catch {
    return false; // Such as on Windows.
  }
}

/** Returns the name of a process. Small images of Linux have no ps. */
function nameOf(pid: number): string {
  return process.platform === "linux"
    ? readFileSync(`/proc/${pid}/comm`, "utf8")
    : execFileSync("ps", ["-o", "comm=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
}
