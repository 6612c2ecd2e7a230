import { setTimeout as sleep } from "node:timers/promises";
import { readNotes } from "../notes/read-notes.js";
import { keepOnly } from "../notes/remove-notes.js";
import { NO_ORGANIZATION, printStackName, type StackName } from "../record/stack-name.js";
import { StackBeforeRun } from "../stack/stack-before-run.js";
import type { StackExport } from "../stack/stack-export.js";
import { messageOf } from "../wording/errors.js";
import { exportStack, PulumiCommandError } from "./cli.js";
import { notesFolder } from "./project.js";

/** Longer than a slow backend takes, and short enough for a person to wait. */
const TIMEOUT_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 500;

/** A stack that is running, the folder of its project, and the address of its engine. */
interface RunningStack extends StackName {
  folder: string;
  engine: string | undefined;
}

/** How to show warnings of a stack. */
export interface Shown {
  /** Whether a closed gate is a warning: in a preview, and in a plugin, which does not know whether this is one. */
  warnsOfGate: boolean;
  warn: (line: string) => Promise<void> | void;
}

/** Reads the running stack's state, and shows its warnings. @returns undefined if it cannot be read. */
export function readRunningStack(running: RunningStack, shown: Shown): Promise<StackBeforeRun | undefined> {
  return readWithWarnings(readExportAndNotes(running), shown);
}

/**
 * Reads the state, and removes the notes whose creates it settles: a later state may not show that any more, as after the removal of the
 * webhook. If the state cannot be read, every create that it may not show counts as unresolved.
 *
 * @throws an error whose message is the reason, as a sentence, if nothing is unresolved then.
 */
async function readExportAndNotes(running: RunningStack): Promise<StackBeforeRun> {
  const { organization, project, stack, folder } = running;
  const full = printStackName({ ...running, organization: organization ?? NO_ORGANIZATION });
  // A bucket in the layout without projects accepts no full name. There the project's folder selects the stack.
  const names = [full, organization === undefined ? stack : full, full];
  const text = await readExport(folder, names).catch((error: Error) => error);
  // After the export: another process of this run may create webhooks already, and has noted that before.
  const notes = readNotes(notesFolder(folder), running);
  if (text instanceof Error) {
    const creates = notes.creates.filter(({ writer }) => writer !== "ended");
    const unread = new StackBeforeRun({}, { ...notes, creates }, { name: running });
    if (unread.gate === undefined) throw text;
    return unread;
  }
  const exported: StackExport = JSON.parse(text);
  const prefix = `urn:pulumi:${stack}::${project}::`;
  if (exported.deployment?.resources?.some(({ urn }) => !urn.startsWith(prefix))) {
    // The engine takes every resource of such a state for new.
    const refusal = `pulumi up changes no webhook: the state of ${project}/${stack} has the URNs of another stack, so each webhook would be created again. If the stack was renamed, rename it back by pulumi stack rename. If it is a copy, remove it by pulumi stack rm --force: a destroy would delete the webhooks of the other stack.`;
    return new StackBeforeRun({}, notes, { name: running, refusal });
  }
  const read = new StackBeforeRun(exported, notes, { name: running });
  keepOnly(notes, read.openNotes);
  return read;
}

/** Exports the state, by one name per attempt: the backend may be unreachable for a moment, or be written to. */
async function readExport(folder: string, [name = "", ...others]: readonly string[]): Promise<string> {
  try {
    return await exportStack(name, { folder, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
  } catch (error) {
    const hasReplied = error instanceof PulumiCommandError && error.output !== undefined;
    if (!hasReplied || others.length === 0) throw error;
    await sleep(RETRY_MILLISECONDS);
    return readExport(folder, others);
  }
}

/** Waits for a state, and shows its warnings. @returns undefined if it cannot be read: a warning says what is not guarded then. */
export async function readWithWarnings(
  reading: Promise<StackBeforeRun>,
  { warnsOfGate, warn }: Shown,
): Promise<StackBeforeRun | undefined> {
  try {
    const stack = await reading;
    if (warnsOfGate && stack.gate !== undefined)
      await warn(`${stack.gate} While this lasts, no up does what a preview shows of webhooks.`);
    return stack;
  } catch (error) {
    await warn(
      `The state of this stack could not be read. ${messageOf(error)} If an earlier run was killed, this run may create webhooks a second time: look for them in the dashboard. An import of a webhook that another resource manages is not noticed either.`,
    );
    return undefined;
  }
}
