import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { keepOnly } from "../../notes/remove-notes.js";
import { exportStack, PulumiCommandError, startPulumi } from "../../pulumi/cli.js";
import { backupsFolder } from "../../pulumi/project.js";
import type { StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { shellArgument, stackOption, unlockAdvice } from "../../wording/command.js";
import { messageOf } from "../../wording/errors.js";
import { CommandError } from "../command-error.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { settle } from "./settle.js";

/**
 * Writes into the state what this machine knows of creates, and which are not there, and removes the notes that it settles.
 * @returns the file with the state before. @throws CommandError if the state was not written, or may not have been.
 */
export async function writeSettled(found: UnresolvedOfStack, notThere: readonly UnresolvedCreate[]) {
  const { name, stack, creates, notes } = found;
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
  const changed = "The state has changed in the meantime, so it was not written. Run the command again.";
  if (!(await isUnchanged(found))) throw new CommandError(changed, 1, true);
  const folder = backupsFolder(process.cwd());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]/g, "");
  const parts = [name.organization, name.project, name.stack, time].filter((part) => part !== undefined);
  const backup = join(folder, `${parts.join("-")}.json`);
  const file = `${backup}.new`;
  const options = { mode: 0o600, flag: "wx" };
  await writeFile(backup, JSON.stringify(copy, null, 4), options);
  await writeFile(file, JSON.stringify(after, null, 4), options);
  try {
    await startPulumi(["stack", "import", "--stack", stack, "--file", file]).text;
  } catch (error) {
    if (await isUnchanged(found).catch(() => false)) {
      await rm(backup);
      throw unchangedError(stack, error);
    }
    // It may have written, as one that cannot unlock the stack. The next run shows that.
    const restore = `pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}`;
    const problem = `${messageOf(error)}\nIt is unknown whether this changed the state. Run the command again: it shows what is unresolved now. To restore the state before it, run ${restore}.`;
    throw new CommandError(problem);
  } finally {
    await rm(file, { force: true });
  }
  const keptNotes = notes.creates.filter(({ urn }) => kept.some((create) => create.urn === urn));
  keepOnly(notes, keptNotes);
  return backup;
}

/** Reports whether the state is as it was read. Each export of a service has its own time and order of operations. */
async function isUnchanged({ stack, exported }: UnresolvedOfStack): Promise<boolean> {
  const contentOf = ({ deployment }: StackExport) => ({
    ...deployment,
    manifest: undefined,
    pending_operations: (deployment?.pending_operations ?? []).map((one) => JSON.stringify(one)).sort(),
  });
  return isDeepStrictEqual(contentOf(JSON.parse(await exportStack(stack))), contentOf(exported));
}

/** The error of an import that has written nothing. Pulumi itself locks the stack for it. */
function unchangedError(stack: string, error: unknown): CommandError {
  const reason = messageOf(error);
  const holders = [...reason.matchAll(/: created by (.+? at \S+)/g)].map(([, holder]) => holder);
  const by = holders.length === 0 ? "" : ` by ${holders.join(" and ")}`;
  const set = "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE, then run the command again.";
  const isLocked = /currently locked by|another update is currently/i.test(reason);
  const message = isLocked
    ? `Stack ${stack} is locked${by}. The state was not changed. Wait until its run has ended. If it was killed, ${unlockAdvice(stack)}.`
    : `${reason}\nThe state was not changed.${/passphrase/i.test(reason) ? ` ${set}` : ""}`;
  return new CommandError(message, 1, error instanceof PulumiCommandError && error.mayPass);
}
