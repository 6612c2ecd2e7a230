import { setTimeout as sleep } from "node:timers/promises";
import { type NotedCreate, type NotesOfStack, readNotes } from "../../notes/read-notes.js";
import { keepOnly } from "../../notes/remove-notes.js";
import { exportStack } from "../../pulumi/cli.js";
import { notesFolder } from "../../pulumi/project.js";
import { printStackName, type StackName } from "../../record/stack-name.js";
import { stackOf } from "../../record/urn.js";
import { normalizeBaseUrl } from "../../settings/http-url.js";
import { findKilledRuns } from "../../stack/killed-runs.js";
import { isWebhookType, type StackExport } from "../../stack/stack-export.js";
import { findUnresolved, type UnresolvedCreate } from "../../stack/unresolved.js";
import { findLock, type Lock } from "./stack-lock.js";

/** What is unresolved in a stack. */
export interface UnresolvedOfStack {
  /** Its name, as commands have it. */
  stack: string;
  fullName: StackName;
  /** The state as it was read. Empty if it could not be read. */
  exported: StackExport;
  notes: NotesOfStack;
  /** Undefined if the stack is not locked. */
  lock: Lock | undefined;
  creates: readonly UnresolvedCreate[];
  /** The noted creates whose webhooks are not in the state. */
  strays: readonly NotedCreate[];
  /** Whether a run was killed that left something beside the state's records: it may have been changing any webhook. */
  wasKilled: boolean;
}

/**
 * Finds what is unresolved in a stack.
 *
 * @param waits whether to wait until providers that a run left behind on this machine have ended, perhaps only if the stack is not
 * locked: the API may still create a webhook.
 * @throws PulumiCommandError if its state cannot be read.
 */
export async function findUnresolvedOf(
  name: StackName,
  waits: boolean | "unless locked",
): Promise<UnresolvedOfStack> {
  const stack = printStackName(name);
  const exported: StackExport = JSON.parse(await exportStack(stack));
  // There is such a stack: findLock() would create it. A run that ends in between is noticed before anything is written.
  const lock = await findLock(name);
  const fullName = withProject(name, exported);
  const notes = readNotesOf(fullName);
  if ((waits === true || (waits && lock === undefined)) && hasProvider(notes)) {
    await waitForProviders(fullName, notes);
    return findUnresolvedOf(name, false);
  }
  const { unresolved: creates, open, unsaved, strays } = sortCreates(exported, notes);
  const killed = findKilledRuns(exported, notes.files);
  keepOnly(notes, { creates: [...open, ...strays], unsaved, files: killed });
  const pending = exported.deployment?.pending_operations ?? [];
  const wasKilled =
    killed.length > 0 ||
    creates.some(({ shownBy }) => shownBy !== "record") ||
    pending.some(({ resource }) => isWebhookType(resource.type));
  return { stack, fullName, exported, notes, lock, creates, strays, wasKilled };
}

/** Finds what this machine has noted of the creates of a stack whose state cannot be read: nothing settles them. */
export function findNotedOf(name: StackName): UnresolvedOfStack {
  const notes = readNotesOf(name);
  const { unresolved: creates } = sortCreates({}, notes);
  const unread = { exported: {}, lock: undefined, strays: [], wasKilled: false };
  return { stack: printStackName(name), fullName: name, notes, creates, ...unread };
}

function sortCreates(exported: StackExport, { creates }: NotesOfStack) {
  return findUnresolved(exported, creates, normalizeBaseUrl(process.env.WEBHOOKS_BASE_URL ?? ""));
}

function readNotesOf(fullName: StackName): NotesOfStack {
  return readNotes(notesFolder(process.cwd()), fullName);
}

/** Reports whether a run on this machine has left a provider with requests in flight. */
function hasProvider({ files }: NotesOfStack): boolean {
  return files.some(
    ({ writer, beganAt, isIdle }) => writer === "running" && beganAt !== undefined && !isIdle,
  );
}

/** A provider that has lost its engine ends with its last request. How long an update or a delete waits for its reply is not noted. */
const GRACE_SECONDS = 35;
const POLL_MILLISECONDS = 1000;

async function waitForProviders(fullName: StackName, { creates }: NotesOfStack): Promise<void> {
  const untilGrace = new Date(Date.now() + GRACE_SECONDS * 1000).toISOString();
  const running = creates.filter(({ writer }) => writer === "running");
  const [end = untilGrace] = [untilGrace, ...running.map(({ until }) => until)].sort().reverse();
  console.error(
    `Waiting for the provider of that run, which still has requests in flight, until ${end} at the latest …`,
  );
  while (new Date().toISOString() < end && hasProvider(readNotesOf(fullName))) await sleep(POLL_MILLISECONDS);
}

/** Corrects the project by the state: a bucket in the layout without projects has its stacks for every folder. */
function withProject(name: StackName, { deployment }: StackExport): StackName {
  const [first] = deployment?.resources ?? [];
  return first === undefined ? name : { ...name, project: stackOf(first.urn, undefined).project };
}
