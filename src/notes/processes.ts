import { readFileSync } from "node:fs";
import { ifPossible } from "./if-possible.js";

export interface MachineProcess {
  pid: number;
  /**
   * The start of its machine, and its own: another process may have its number later, as in the next container, and a pipeline takes
   * notes to another machine. Only Linux shows them.
   */
  start?: string | undefined;
}

/** Returns what identifies this process. */
export function thisProcess(): MachineProcess {
  const { pid } = process;
  return { pid, start: startOf(pid) };
}

/** Reports whether a process is running on this machine. */
export function isRunning({ pid, start }: MachineProcess): boolean {
  return hasProcess(pid) && (start === undefined || start === startOf(pid));
}

function startOf(pid: number): string | undefined {
  const boot = ifPossible(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return boot && `${boot} ${readProcess(pid)?.startedAt}`;
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
