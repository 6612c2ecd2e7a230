import { readFileSync, realpathSync } from "node:fs";
import { ifPossible } from "./if-possible.js";

/** A process of this machine. */
export interface ProcessMark {
  pid: number;
  /** When it was started, as its system counts: another process may have its number later, as in the next container. Only Linux shows it. */
  startedAt?: string | undefined;
  /** The start of its machine. A pipeline takes notes to another one. Only Linux shows it. */
  boot?: string | undefined;
}

/** Returns the mark of this process. */
export function thisProcess(): ProcessMark {
  const { pid } = process;
  return { pid, startedAt: readProcess(pid)?.startedAt, boot: readBoot() };
}

/** Reports whether a process is running on this machine. */
export function isRunning({ pid, startedAt, boot = readBoot() }: ProcessMark): boolean {
  if (boot !== readBoot() || !hasProcess(pid)) return false;
  return startedAt === undefined || startedAt === readProcess(pid)?.startedAt;
}

function readBoot(): string | undefined {
  return ifPossible(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Object(error).code === "EPERM";
  }
}

/** Reads what Linux shows of a process. @returns undefined elsewhere, and of one that has ended. */
export function readProcess(pid: number): { name: string; parent: number; startedAt: string } | undefined {
  const shown = ifPossible(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (shown === undefined) return undefined;
  const [, name = "", fields = ""] = /^\d+ \((.*)\) (.*)/s.exec(shown) ?? [];
  const { 1: parent, 19: startedAt = "" } = fields.split(" ");
  return { name, parent: Number(parent), startedAt };
}

/** Returns the working directory of a process, if Linux shows it. */
export function folderOf(pid: number): string | undefined {
  return ifPossible(() => realpathSync(`/proc/${pid}/cwd`));
}
