import { hostname } from "node:os";
import { isAlive, type NotesOfStack } from "../../notes/read-notes.js";
import { PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { findBackend } from "../../pulumi/project.js";
import { stackOption } from "../../wording/command.js";
import { CommandError } from "../command-error.js";

/** Who has locked a stack. */
export interface Lock {
  /** As Pulumi prints it: `user@host (pid 4711) at 2026-01-01T12:00:00Z`. Pulumi Cloud does not say that. */
  holders: readonly string[];
  /** Whether its host has the name of this one, which has no such process. */
  isOfDeadProcess: boolean;
}

/**
 * Finds out whether a run has locked a stack that exists. A bucket shows that only to commands which lock it themselves. `stack init`
 * does, changes nothing, and fails, since there is such a stack. Pulumi Cloud refuses an import while a run is active.
 *
 * @returns undefined if it is not locked, or if that cannot be found out.
 */
export async function findLock(stack: string): Promise<Lock | undefined> {
  if (/^https?:/.test(findBackend(process.cwd()))) return undefined;
  const { PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  // A stack with another way to encrypt needs none, but the command does.
  const environment = { ...(!file && { PULUMI_CONFIG_PASSPHRASE: "none" }), ...process.env };
  try {
    await startPulumi(["stack", "init", stack, "--no-select"], { environment }).text;
    return undefined;
  } catch (error) {
    return error instanceof PulumiCommandError ? lockOf(error) : undefined;
  }
}

/** Reads from the error of a command that the stack is locked. @returns undefined if it is not. */
export function lockOf(error: PulumiCommandError): Lock | undefined {
  const { stderr = "" }: { stderr?: string } = Object(error.cause);
  if (!LOCKED.test(stderr)) return undefined;
  const holders = [...stderr.matchAll(/: created by (.+)/g)].map(([, holder = ""]) => holder);
  const isDead = (holder: string) => {
    const { host, pid } = parseHolder(holder);
    return host === hostname() && !isAlive(Number(pid));
  };
  return { holders, isOfDeadProcess: holders.length > 0 && holders.every(isDead) };
}

/** What pulumi prints if a run holds the lock: the first with a bucket, the second with Pulumi Cloud. */
const LOCKED = /currently locked by|another update is currently/i;

function parseHolder(holder: string) {
  const [, host, pid, time = ""] = /@(\S+) \(pid (\d+)\) at (\S+)/.exec(holder) ?? [];
  return { host, pid, time };
}

/** Describes a lock in a sentence. */
export function describeLock(stack: string, { holders }: Lock): string {
  return `Stack ${stack} is locked${holders.length === 0 ? "" : ` by ${holders.join(" and ")}`}.`;
}

/** The error for a stack that must not be written to. */
export function lockedError(stack: string, lock: Lock): CommandError {
  return new CommandError(
    `${describeLock(stack, lock)} The state was not changed. Wait until its run has ended. If the run was killed, run pulumi cancel${stackOption(stack)}.`,
  );
}

/**
 * Removes a lock that a run on this machine has left behind. Machines may have the same name, and numbers of processes are used again:
 * so this machine's notes must show a run of the stack that began after the lock was made, and did not end well.
 *
 * @returns whether it was removed.
 */
export async function removeOwnLock(stack: string, lock: Lock, { files }: NotesOfStack): Promise<boolean> {
  const isOwn = lock.holders.every((holder) => {
    const { time } = parseHolder(holder);
    return files.some(({ beganAt = "" }) => Date.parse(beganAt) >= Date.parse(time));
  });
  if (!lock.isOfDeadProcess || !isOwn) return false;
  // Another run may have locked the stack since.
  const current = await findLock(stack);
  if (current?.holders.join() !== lock.holders.join()) return false;
  await startPulumi(["cancel", "--yes", "--stack", stack]).text;
  return true;
}
