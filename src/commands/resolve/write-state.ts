import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { NotedCreate } from "../../notes/read-notes.js";
import { keepOnly } from "../../notes/remove-notes.js";
import { exportStack, PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { backupsFolder } from "../../pulumi/project.js";
import type { StackName } from "../../record/stack-name.js";
import type { StackExport } from "../../stack/stack-export.js";
import { shellArgument, stackOption } from "../../wording/command.js";
import { messageOf } from "../../wording/errors.js";
import { CommandError } from "../command-error.js";
import type { CreateOutcomes } from "./answers.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { settle } from "./settle.js";
import { findLock, lockedError, lockOf } from "./stack-lock.js";

/**
 * Writes outcomes into the state, and removes the notes that they settle.
 *
 * @returns the file with the state before.
 * @throws CommandError if the state was not written, or may not have been.
 */
export async function writeOutcomes(found: UnresolvedOfStack, outcomes: CreateOutcomes): Promise<string> {
  const { stack, fullName, exported, creates, notes, strays } = found;
  const kept = creates.filter((create) => outcomes.get(create) !== "none" && create.provider === undefined);
  // pulumi stack import would refuse its record. What only a note shows stays noted.
  const lost = kept.find(({ shownBy }) => shownBy !== "note");
  if (lost !== undefined)
    throw new CommandError(
      `The state was not changed. It no longer has the Provider of ${lost.urn}. Say that this webhook is not there, too, once the dashboard does not show it.`,
    );
  const after = settle(found, outcomes);
  // pulumi stack import keeps no pending operation. Restored from this copy, the creates are unresolved again.
  const copy = settle(found, new Map());
  const lock = await findLock(fullName);
  if (lock !== undefined) throw lockedError(stack, lock);
  const changed = "The state has changed in the meantime, so it was not written. Run the command again.";
  if (!isSame(await exportStack(stack), exported)) throw new CommandError(changed, 1, true);
  const backup = await writeState(found, { copy, after });
  const isKept = ({ urn }: NotedCreate) => kept.some((create) => create.urn === urn);
  keepOnly(notes, { creates: [...strays, ...notes.creates.filter(isKept)], unsaved: [], files: [] });
  return backup;
}

/** Reports whether a text is a state as it was read. Each export of a service has its own time and order of operations. */
function isSame(text: string, exported: StackExport): boolean {
  const contentOf = ({ deployment }: StackExport) => ({
    ...deployment,
    manifest: undefined,
    pending_operations: (deployment?.pending_operations ?? []).map((one) => JSON.stringify(one)).sort(),
  });
  return isDeepStrictEqual(contentOf(JSON.parse(text)), contentOf(exported));
}

/**
 * Writes the state of a stack with `pulumi stack import`, after it has saved a copy in Pulumi's home.
 *
 * @param copy the state before, in a form that `pulumi stack import` restores.
 * @returns the path of the copy.
 */
async function writeState(
  { stack, fullName, exported }: UnresolvedOfStack,
  { copy, after }: { copy: StackExport; after: StackExport },
): Promise<string> {
  const backup = await saveCopy(fullName, toText(copy));
  const file = `${backup}.new`;
  await writeFile(file, toText(after), { mode: 0o600 });
  try {
    await startPulumi(["stack", "import", "--stack", stack, "--file", file]).text;
    return backup;
  } catch (error) {
    const lock = error instanceof PulumiCommandError ? lockOf(error) : undefined;
    if (lock !== undefined) throw lockedError(stack, lock);
    // As without the passphrase.
    const now = await exportStack(stack).catch(() => "{}");
    if (isSame(now, exported)) throw new CommandError(`The state was not changed. ${messageOf(error)}`);
    throw new CommandError(
      `${messageOf(error)}\nIt is unknown whether it changed the state. The state before it is in ${backup}. To restore that, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}.`,
    );
  } finally {
    await rm(file, { force: true });
  }
}

const toText = (state: StackExport) => JSON.stringify(state, null, 4);

/** Saves the copy of a state, outside the project, readable only by its owner. @returns its path. */
async function saveCopy({ organization, project, stack }: StackName, text: string): Promise<string> {
  const folder = backupsFolder(process.cwd());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]/g, "");
  const name = [organization, project, stack, time].filter((part) => part !== undefined).join("-");
  const path = join(folder, `${name}.json`);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return path;
}
