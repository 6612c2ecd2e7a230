import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { NotedCreate } from "../../notes/read-notes.js";
import { keepOnly } from "../../notes/remove-notes.js";
import { exportStack, startPulumi } from "../../pulumi/cli.js";
import { backupsFolder } from "../../pulumi/project.js";
import type { StackName } from "../../record/stack-name.js";
import type { StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { shellArgument, stackOption } from "../../wording/command.js";
import { messageOf } from "../../wording/errors.js";
import { CommandError } from "../command-error.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { settle } from "./settle.js";
import { findLock, lockedError } from "./stack-lock.js";

/**
 * Writes into the state what this machine knows of creates, and which are not there, and removes the notes that it settles.
 *
 * @returns the file with the state before.
 * @throws CommandError if the state was not written, or may not have been.
 */
export async function writeSettled(
  found: UnresolvedOfStack,
  notThere: readonly UnresolvedCreate[],
): Promise<string> {
  const { name, stack, exported, creates, notes, strays } = found;
  const kept = creates.filter((create) => !notThere.includes(create) && create.provider === undefined);
  // pulumi stack import would refuse its record. What only a note shows stays noted.
  const lost = kept.find(({ shownBy }) => shownBy !== "note");
  if (lost !== undefined)
    throw new CommandError(
      `The state was not changed. It no longer has the Provider of ${lost.urn}. Say that this webhook is not there, too, once the dashboard does not show it.`,
    );
  const after = settle(found, notThere);
  // pulumi stack import keeps no pending operation. Restored from this copy, the creates are unresolved again.
  const copy = settle({ ...found, creates: creates.map(({ made: _, ...create }) => create) }, []);
  const lock = await findLock(name);
  if (lock !== undefined) throw lockedError(stack, lock);
  const changed = "The state has changed in the meantime, so it was not written. Run the command again.";
  if (!isSame(await exportStack(stack), exported)) throw new CommandError(changed, 1, true);
  const backup = await saveCopy(name, copy);
  const file = `${backup}.new`;
  await saveState(file, after);
  try {
    await startPulumi(["stack", "import", "--stack", stack, "--file", file]).text;
  } catch (error) {
    // It may have written, as one that cannot unlock the stack. The next run shows that.
    if (/passphrase/i.test(messageOf(error)))
      throw new CommandError(
        `${messageOf(error)}\nThe state was not changed. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE, then run the command again.`,
      );
    const restore = `pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}`;
    const problem = `${messageOf(error)}\nIt is unknown whether this changed the state. Run the command again: it shows what is unresolved now. To restore the state before it, run ${restore}.`;
    throw new CommandError(problem);
  } finally {
    await rm(file, { force: true });
  }
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

/** Saves the copy of a state in Pulumi's home, outside the project. @returns its path. */
async function saveCopy({ organization, project, stack }: StackName, copy: StackExport): Promise<string> {
  const folder = backupsFolder(process.cwd());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]/g, "");
  const name = [organization, project, stack, time].filter((part) => part !== undefined).join("-");
  const path = join(folder, `${name}.json`);
  await saveState(path, copy);
  return path;
}

/** Saves a state, readable only by its owner. */
async function saveState(path: string, state: StackExport): Promise<void> {
  await writeFile(path, JSON.stringify(state, null, 4), { mode: 0o600, flag: "wx" });
}
