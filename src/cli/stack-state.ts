import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError, messageOf } from "../command-error.js";
import { backupsFolder } from "../notes/folder.js";
import { stackOption } from "../settings/setting-guide.js";
import { shellArgument } from "../shell-argument.js";
import type { CommandOptions } from "../stack/pulumi-cli.js";
import { PulumiCommandError, startPulumi } from "../stack/pulumi-cli.js";
import { startExport } from "../stack/stack-export.js";
import { findLock, lockedError, lockOf } from "./stack-lock.js";

/** Reads the name of the selected stack. @throws CommandError if none is selected. */
export async function readSelectedStack(options?: CommandOptions): Promise<string> {
  try {
    return (await startPulumi(["stack", "--show-name"], options).text).trim();
  } catch (error) {
    throw new CommandError(`Finding the selected stack failed. ${explain(error)}`);
  }
}

/** Reads the state of a stack. Secrets stay encrypted. @throws CommandError if it cannot be read. */
export async function readState(stack: string, options?: CommandOptions): Promise<string> {
  try {
    return await startExport(stack, options).text;
  } catch (error) {
    throw new CommandError(`The state of stack ${stack} could not be read. ${explain(error)}`);
  }
}

/** Explains a failure. A kill that hits a file backend while it writes leaves a file that every command fails with. */
function explain(error: unknown): string {
  const message = messageOf(error);
  return message.includes("failed to load checkpoint: EOF")
    ? `${message}\nA run was killed while Pulumi wrote the state. Delete the empty file <stack>.json.attrs beside the state file, then run this command again.`
    : message;
}

/** @throws CommandError if a run has, or has had, the stack since its state was read. */
export async function requireUnchanged(stack: string, before: string): Promise<void> {
  const lock = await findLock(stack);
  if (lock !== undefined) throw lockedError(stack, lock);
  if ((await readState(stack)) !== before)
    throw new CommandError("The state has changed in the meantime, so it was not written.");
}

interface Change {
  stack: string;
  project: string;
  /** The state that was read. */
  before: string;
  /** The state to keep a copy of: what `before` means, in a form that pulumi stack import restores. */
  copy: string;
  /** The state to write. */
  after: string;
}

/**
 * Writes the state of a stack with `pulumi stack import`, after it has saved a copy in Pulumi's home.
 *
 * @returns the path of the copy.
 * @throws CommandError if the state was not written, or may not have been.
 */
export async function writeState({ stack, project, before, copy, after }: Change): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-resolve-"));
  const file = join(folder, "state.json");
  try {
    await writeFile(file, after, { mode: 0o600 });
    const backup = await saveCopy(`${project}-${stack}`, copy);
    const args = ["stack", "import", "--stack", stack, "--file", file];
    await startPulumi(args).text.catch(async (error) => {
      const lock = error instanceof PulumiCommandError ? lockOf(error) : undefined;
      const isUnchanged = lock !== undefined || (await readState(stack).catch(() => undefined)) === before;
      if (isUnchanged) await rm(backup);
      if (lock !== undefined) throw lockedError(stack, lock);
      if (isUnchanged) throw new CommandError(`The state was not changed. ${messageOf(error)}`);
      throw new CommandError(
        `${messageOf(error)}\nIt is unknown whether it changed the state. The state before it is in ${backup}. To restore that, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}.`,
      );
    });
    return backup;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Saves the copy of a state, outside the project, readable only by its owner. @returns its path. */
async function saveCopy(name: string, text: string): Promise<string> {
  const folder = backupsFolder(process.cwd());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]/g, "");
  const path = join(folder, `${name.replaceAll("/", "-")}-${time}.json`);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return path;
}
