import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepOnly } from "../../notes/remove-notes.js";
import { PulumiCommandError, startExport, startPulumi } from "../../pulumi/cli.js";
import { backupsFolder } from "../../pulumi/project.js";
import type { StackName } from "../../record/stack-name.js";
import { isWebhookType, type StackExport } from "../../stack/stack-export.js";
import { shellArgument, stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import { CommandError, messageOf } from "../command-error.js";
import type { CreateOutcomes } from "./answers.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { settle } from "./settle.js";
import { findLock, lockedError, lockOf } from "./stack-lock.js";

/** @throws an error if a run has, or has had, the stack since its state was read. */
async function requireUnchanged({ stack, fullName, before }: UnresolvedOfStack): Promise<void> {
  const lock = await findLock(fullName);
  if (lock !== undefined) throw lockedError(stack, lock);
  if ((await startExport(stack).text) !== before)
    throw new CommandError("The state has changed in the meantime, so it was not written.");
}

/**
 * Describes the operations on other resources that a run was killed in. `pulumi stack import` keeps no pending operation: who reads this
 * knows what the state does not list any more. Those of Providers change nothing outside the state.
 *
 * @returns undefined if there are none.
 */
export function describeOthers({ deployment }: StackExport): string | undefined {
  const others = (deployment?.pending_operations ?? []).filter(
    ({ resource }) => !isWebhookType(resource.type) && !resource.type.startsWith("pulumi:providers:"),
  );
  if (others.length === 0) return undefined;
  const list = others.map(({ type, resource }) => `\n  ${printable(`${type} ${resource.urn}`)}`).join("");
  return `Operations on other resources were interrupted, too. pulumi stack import, which writes outcomes, removes their entries from the state. Check what became of these resources:${list}`;
}

/**
 * Writes outcomes into the state, and removes the notes that they settle.
 *
 * @returns the file with the state before.
 * @throws CommandError if the state was not written, or may not have been.
 */
export async function writeOutcomes(found: UnresolvedOfStack, outcomes: CreateOutcomes): Promise<string> {
  const { creates, notes, strays } = found;
  const lost = creates.find((create) => outcomes.get(create) !== "none" && create.provider === undefined);
  // pulumi stack import would refuse the state.
  if (lost !== undefined)
    throw new CommandError(
      `The state was not changed. It no longer has the Provider of ${lost.urn}. Answer none for this webhook, too, once the dashboard does not show it.`,
    );
  const after = settle(found, outcomes);
  // pulumi stack import keeps no pending operation. Restored from this copy, the creates are unresolved again.
  const copy = settle(found, new Map());
  await requireUnchanged(found);
  const backup = await writeState(found, { copy: toText(copy), after: toText(after) });
  // What is still open is recorded, with all that a note has but the id in a reply.
  const open = new Set(creates.filter((create) => !outcomes.has(create)).map(({ urn }) => urn));
  const kept = notes.creates.filter(
    (note) => note.reply !== undefined && (open.has(note.urn) || strays.includes(note)),
  );
  keepOnly(notes, { creates: kept, files: [] });
  return backup;
}

const toText = (state: object) => JSON.stringify(state, null, 4);

/**
 * Writes the state of a stack with `pulumi stack import`, after it has saved a copy in Pulumi's home.
 *
 * @param copy the state before, in a form that `pulumi stack import` restores.
 * @returns the path of the copy.
 */
async function writeState(
  { stack, fullName }: UnresolvedOfStack,
  { copy, after }: { copy: string; after: string },
): Promise<string> {
  const backup = await saveCopy(fullName, copy);
  const file = `${backup}.new`;
  await writeFile(file, after, { mode: 0o600 });
  try {
    await startPulumi(["stack", "import", "--stack", stack, "--file", file]).text;
    return backup;
  } catch (error) {
    const lock = error instanceof PulumiCommandError ? lockOf(error) : undefined;
    if (lock !== undefined) throw lockedError(stack, lock);
    throw new CommandError(
      `${messageOf(error)}\nIt is unknown whether it changed the state. The state before it is in ${backup}. To restore that, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}.`,
    );
  } finally {
    await rm(file, { force: true });
  }
}

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
