import { setTimeout as sleep } from "node:timers/promises";
import { type NotesOfStack, readNotes } from "../../notes/read-notes.js";
import { keepOnly } from "../../notes/remove-notes.js";
import { exportStack } from "../../pulumi/cli.js";
import { notesFolder } from "../../pulumi/project.js";
import { printStackName, type StackName } from "../../record/stack-name.js";
import { normalizeBaseUrl } from "../../settings/http-url.js";
import { StackBeforeRun } from "../../stack/stack-before-run.js";
import { findCutOffChanges, type StackExport } from "../../stack/stack-export.js";
import { findLookAlikes } from "./look-alikes.js";

/** What is unresolved in a stack. */
export type UnresolvedOfStack = ReturnType<typeof findNotedOf>;

/** An unresolved create, and the known webhooks that a person could take for its webhook. */
export type ListedCreate = UnresolvedOfStack["creates"][number];

/** Finds what is unresolved in a stack. @throws PulumiCommandError if its state cannot be read. */
export async function findUnresolvedOf(name: StackName): Promise<UnresolvedOfStack> {
  const found = findNotedOf(name, JSON.parse(await exportStack(printStackName(name))));
  keepOnly(found.notes, found.openNotes);
  return found;
}

/** Finds what this machine has noted of the creates of a stack. Without its state, nothing settles them. */
export function findNotedOf(name: StackName, exported: StackExport = {}) {
  const notes = readNotes(notesFolder(process.cwd()), name);
  const baseUrl = normalizeBaseUrl(process.env.WEBHOOKS_BASE_URL ?? "");
  const { unresolved, openNotes } = new StackBeforeRun(exported, notes, { baseUrl });
  const known = { exported, creates: unresolved };
  return {
    name,
    /** Its name, as commands have it. */
    stack: printStackName(name),
    exported,
    notes,
    openNotes,
    creates: unresolved.map((create) => ({ ...create, keep: findLookAlikes(create, known) })),
    /** Whether the next up must send every known webhook again: a run ended without a state that has all of it. */
    sendsAllAgain:
      findCutOffChanges(exported).length > 0 || unresolved.some(({ shownBy }) => shownBy !== "record"),
  };
}

/** Finds the creates of the providers that a run has left behind on this machine. Such a process ends with its last request. */
const findRunning = ({ creates }: NotesOfStack) => creates.filter(({ writer }) => writer === "running");

const POLL_MILLISECONDS = 1000;

/**
 * Waits until the providers that a run left behind on this machine have ended: the API may still create a webhook.
 * @param limit the time in ISO 8601 after which it waits no longer. @returns whether there was one.
 */
export async function waitForProviders({ name, notes }: UnresolvedOfStack, limit = "9"): Promise<boolean> {
  const running = findRunning(notes).map(({ until }) => until);
  const [last] = running.sort().reverse();
  if (last === undefined) return false;
  const end = last < limit ? last : limit;
  console.error(
    `Waiting for the provider of that run, which still has requests in flight, until ${end} at the latest …`,
  );
  const isRunning = () => findRunning(readNotes(notesFolder(process.cwd()), name)).length > 0;
  while (new Date().toISOString() < end && isRunning()) await sleep(POLL_MILLISECONDS);
  return true;
}
