import { PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { listStacks } from "../../pulumi/find-stack.js";
import { hasOrganizations } from "../../pulumi/project.js";
import { printStackName, type StackName } from "../../record/stack-name.js";
import { unlockAdvice } from "../../wording/command.js";
import { CommandError } from "../command-error.js";

/** Who has locked a stack, as Pulumi prints it: `user@host (pid 4711) at 2026-01-01T12:00:00Z`. Pulumi Cloud does not say that. */
export type Lock = readonly string[];

/**
 * Finds out whether a run has locked a stack that exists. An HTTP backend lists that. A bucket shows it only to commands which lock the
 * stack themselves. `stack init` does, changes nothing, and fails, since there is such a stack.
 *
 * @returns undefined if it is not locked, or if that cannot be found out.
 */
export async function findLock(name: StackName): Promise<Lock | undefined> {
  const stack = printStackName(name);
  if (name.organization !== undefined && hasOrganizations(process.cwd())) {
    const listed = await listStacks(name.project);
    return listed.some((one) => one.name === stack && one.updateInProgress) ? [] : undefined;
  }
  const { PULUMI_CONFIG_PASSPHRASE_FILE: file } = process.env;
  // A stack with another way to encrypt needs none, but the command does.
  const environment = { ...(!file && { PULUMI_CONFIG_PASSPHRASE: "none" }), ...process.env };
  try {
    await startPulumi(["stack", "init", stack, "--no-select"], { environment }).text;
    return undefined;
  } catch (error) {
    const { stderr = "" }: { stderr?: string } =
      error instanceof PulumiCommandError ? Object(error.cause) : {};
    if (!LOCKED.test(stderr)) return undefined;
    return [...stderr.matchAll(/: created by (.+)/g)].map(([, holder = ""]) => holder);
  }
}

/** What pulumi prints if a run holds the lock: the first with a bucket, the second with Pulumi Cloud. */
const LOCKED = /currently locked by|another update is currently/i;

/** Describes a lock, and what to do about it. @param meaning what follows from it. */
export function describeLock(stack: string, lock: Lock, meaning: string): string {
  const holder = lock.length === 0 ? "" : ` by ${lock.join(" and ")}`;
  return `Stack ${stack} is locked${holder}.${meaning} Wait until its run has ended. If it was killed, ${unlockAdvice(stack)}.`;
}

/** The error for a stack that must not be written to. */
export function lockedError(stack: string, lock: Lock): CommandError {
  // A service gives each run a lease. A lock in a bucket stays until somebody removes it.
  return new CommandError(describeLock(stack, lock, " The state was not changed."), 1, lock.length === 0);
}
