import { readFileSync, realpathSync } from "node:fs";
import { findProjectFolder } from "../notes/project.js";

/**
 * Returns the folder of the project, in a process that the engine has started: it runs there, or in the program's folder below.
 *
 * An inline program of the Automation API has a folder of its own, in which the engine runs. Linux alone shows it.
 */
export function projectFolder(): string {
  const folder = process.env.PULUMI_AUTOMATION_API === "true" ? engineFolder(process.ppid) : undefined;
  return findProjectFolder(folder ?? process.cwd());
}

/** Returns the folder of the CLI among a process and its parents: Pulumi starts a dynamic provider by a shell. */
function engineFolder(pid: number): string | undefined {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    if (name === "pulumi") return realpathSync(`/proc/${pid}/cwd`);
    return parent === undefined ? undefined : engineFolder(Number(parent));
  } catch {
    return undefined;
  }
}
