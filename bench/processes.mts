// Measures a command and its descendants, by their roles. Linux only: it reads /proc.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The processes of a run: the engine, its host for Node programs, the program, and the dynamic provider or the plugin. */
export type Role = "engine" | "language host" | "program" | "provider";

export interface Cost {
  cpuSeconds: number;
  /** The peak memory of the largest process with this role. */
  peakMegabytes: number;
}

const INTERVAL_MS = 50;
/** The kernel counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface Process extends Cost {
  role: Role;
}

/** Watches a command until `stop`, which returns the cost of each role. */
export function watch({ pid }: ChildProcess): { stop: () => Record<Role, Cost> } {
  if (pid === undefined) throw new Error("the command did not start");
  const seen = new Map<number, Process>([[pid, { role: "engine", cpuSeconds: 0, peakMegabytes: 0 }]]);
  const look = () => {
    // A parent has a smaller id than its children, unless the ids have wrapped.
    const pids = readdirSync("/proc").map(Number).filter(Boolean);
    for (const each of pids.sort((a, b) => a - b)) observe(each, seen);
  };
  look();
  const timer = setInterval(look, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return {
        engine: total("engine", seen),
        "language host": total("language host", seen),
        program: total("program", seen),
        provider: total("provider", seen),
      };
    },
  };
}

/** Returns the CPU time of this process's children that have ended, with their descendants. */
export function cpuSecondsOfChildren(): number {
  const [, , inUserSpace, inKernel] = readStat("self").slice(11).map(Number);
  return (Number(inUserSpace) + Number(inKernel)) / TICKS_PER_SECOND;
}

function observe(pid: number, seen: Map<number, Process>): void {
  try {
    const fields = readStat(pid);
    const parent = seen.get(Number(fields[1]));
    const known = seen.get(pid) ?? (parent && { role: parent.role, cpuSeconds: 0, peakMegabytes: 0 });
    if (known === undefined) return;
    seen.set(pid, known);
    known.role = roleOf(readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? known.role;
    known.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0;
    known.peakMegabytes = Math.max(known.peakMegabytes, Number(peak) / 1024);
  } catch {
    // The process has ended.
  }
}

/** Reads the fields of a process from its state on. The 12th to 15th are its CPU time, and that of its children that have ended. */
function readStat(pid: number | "self"): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, can hold any character.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function roleOf(command: string): Role | undefined {
  if (/cmd\/dynamic-provider|resource-(?:pulumi-nodejs|webhooks)/.test(command)) return "provider";
  if (/pulumi\/cmd\/run\//.test(command)) return "program";
  return command.includes("pulumi-language-nodejs") ? "language host" : undefined;
}

function total(role: Role, seen: Map<number, Process>): Cost {
  const own = [...seen.values()].filter((process) => process.role === role);
  return {
    cpuSeconds: own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakMegabytes: Math.max(0, ...own.map(({ peakMegabytes }) => peakMegabytes)),
  };
}
