import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forgetNotes } from "../../notes/read-notes.js";
import { PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { backupsFolder } from "../../pulumi/project.js";
import type { ExportedResource } from "../../stack/stack-export.js";
import { isWebhookType } from "../../stack/stack-export.js";
import { shellArgument, stackOption } from "../../wording/command.js";
import { CommandError, messageOf } from "../command-error.js";
import { readState } from "../read-state.js";
import type { Found } from "./find-unresolved.js";
import type { Question } from "./questions.js";
import type { Outcome } from "./record.js";
import { settle } from "./settle.js";
import { findLock, lockedError, lockOf } from "./stack-lock.js";

/** @throws CommandError if a run has, or has had, the stack since its state was read. */
export async function requireUnchanged(stack: string, before: string): Promise<void> {
  const lock = await findLock(stack);
  if (lock !== undefined) throw lockedError(stack, lock);
  if ((await readState(stack)) !== before)
    throw new CommandError("The state has changed in the meantime, so it was not written.");
}

/** What was written. */
export interface Written {
  /** The file with the state before. */
  backup: string;
  /** The webhooks that the next up sends again, because an update or a delete of them was cut off. */
  sendAgain: readonly ExportedResource[];
}

/** Reports whether a killed run left anything that is not in the state's records. */
export function hasLeftovers({ exported, questions }: Found): boolean {
  const pending = exported.deployment?.pending_operations ?? [];
  return (
    questions.some(({ create }) => create.record === undefined) ||
    pending.some(({ resource }) => isWebhookType(resource.type))
  );
}

/**
 * Writes outcomes into the state, and forgets the notes that they settle.
 *
 * @throws CommandError if the state was not written, or may not have been.
 */
export async function writeOutcomes(
  found: Found,
  outcomes: ReadonlyMap<Question, Outcome>,
): Promise<Written> {
  const { stack, exported, notes, questions } = found;
  const { state, sendAgain } = settle(exported, questions, outcomes);
  // pulumi stack import keeps no pending operation. Restored from this copy, the creates are unresolved again.
  const { state: copy } = settle(exported, questions, new Map());
  await requireUnchanged(stack, found.before);
  const backup = await writeState(found, { copy: toText(copy), after: toText(state) });
  // A note helps with what is still open.
  const open = questions.filter((question) => !outcomes.has(question));
  const urns = new Set(open.map(({ create }) => create.urn));
  forgetNotes(
    notes,
    notes.creates.filter(({ urn }) => urns.has(urn)),
  );
  return { backup, sendAgain };
}

const toText = (state: object) => JSON.stringify(state, null, 4);

interface Change {
  /** The state to keep a copy of, in a form that pulumi stack import restores. */
  copy: string;
  /** The state to write. */
  after: string;
}

/** Writes the state of a stack with `pulumi stack import`, after it has saved a copy in Pulumi's home. @returns the path of the copy. */
async function writeState({ stack, fullName, before }: Found, { copy, after }: Change): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-resolve-"));
  const file = join(folder, "state.json");
  try {
    await writeFile(file, after, { mode: 0o600 });
    const backup = await saveCopy(`${fullName.project ?? ""}-${stack}`, copy);
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
