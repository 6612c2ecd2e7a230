import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "../client/api.js";
import { notesFolders, projectName } from "../notes/folder.js";
import type { NotesOfStack } from "../notes/read-notes.js";
import { readNotes } from "../notes/read-notes.js";
import type { Question } from "../resolve/questions.js";
import { findQuestions } from "../resolve/questions.js";
import type { ParsedSettings } from "../settings/settings.js";
import { startPulumi } from "../stack/pulumi-cli.js";
import type { StackExport } from "../stack/stack-export.js";
import { findUnresolved } from "../stack/unresolved.js";
import { readSettings } from "./provider-settings.js";
import type { Lock } from "./stack-lock.js";
import { findLock, lockedError, removeOwnLock } from "./stack-lock.js";
import { readState } from "./stack-state.js";

/** What is unresolved in a stack. */
export interface Found {
  stack: string;
  project: string;
  /** The state as it was read. */
  before: string;
  exported: StackExport;
  notes: NotesOfStack;
  /** Undefined if the stack is not locked. */
  lock: Lock | undefined;
  /** The settings of the default Provider. */
  settings: ParsedSettings;
  questions: readonly Question[];
  /** The creates of which only a note knows, but not that they were sent by the last run: the state may have lost them on purpose. */
  uncertain: ReadonlySet<Question>;
}

/** Finds what is unresolved in a stack. @throws CommandError if its state cannot be read. */
export async function findUnresolvedOf(stack: string): Promise<Found> {
  // There is such a stack: findLock() would create it.
  await readState(stack);
  // The lock before the state: a run that has ended since has changed it.
  const lock = await findLock(stack);
  const before = await readState(stack);
  const exported: StackExport = JSON.parse(before);
  const owner = toOwner(stack, exported);
  const notes = readNotes(notesFolders(process.cwd()), owner);
  const isOpen = findUnresolved(exported, notes.creates).length > 0;
  const settings: ParsedSettings = isOpen ? await readSettings(stack) : { problems: [], storedProblems: [] };
  const configuredUrl = "settings" in settings ? settings.settings.baseUrl : undefined;
  const questions = findQuestions(exported, { notes: notes.creates, configuredUrl });
  const project = owner.project ?? "";
  const uncertain = await findUncertain(stack, questions, exported);
  return { stack, project, before, exported, notes, lock, settings, questions, uncertain };
}

/**
 * Finds the creates that the state does not list, although a later run or command has saved it: their webhooks may have left the stack
 * on purpose. If only a provider died, its own run has saved the state last.
 */
async function findUncertain(
  stack: string,
  questions: readonly Question[],
  { deployment }: StackExport,
): Promise<ReadonlySet<Question>> {
  const noted = questions.filter(({ create }) => create.record === undefined && create.pending === undefined);
  const savedAt = Date.parse(deployment?.manifest?.time ?? "");
  const suspects = noted.filter(({ create }) => savedAt > Date.parse(create.sentAt));
  if (suspects.length === 0) return new Set();
  const args = ["stack", "history", "--json", "--page-size", "1", "--stack", stack];
  const [last] = history.safeParse(parseJson(await startPulumi(args).text.catch(() => ""))).data ?? [];
  const [from, to] = [
    Date.parse(last?.startTime ?? ""),
    Date.parse(last?.endTime ?? "") + HISTORY_MILLISECONDS,
  ];
  const isOfLastRun = ({ create }: Question) =>
    from <= Date.parse(create.sentAt) + HISTORY_MILLISECONDS && savedAt <= to;
  return new Set(suspects.filter((question) => !isOfLastRun(question)));
}

const history = z.array(z.object({ startTime: z.string(), endTime: z.string() }));

/** A history has whole seconds, and is written after the state. */
const HISTORY_MILLISECONDS = 2000;

/**
 * Finds what is unresolved after a run on this machine: it waits for providers of that run, and removes the lock that it has left.
 *
 * @throws CommandError if another run has the stack.
 */
export async function findAfterRun(stack: string): Promise<Found> {
  let found = await findUnresolvedOf(stack);
  const { settings } = found;
  const { timeoutSeconds } = "settings" in settings ? settings.settings : { timeoutSeconds: 30 };
  const deadline = performance.now() + (timeoutSeconds + GRACE_SECONDS) * 1000;
  if (hasEndingProvider(found))
    console.error("Waiting for the provider of that run, which still has requests in flight …");
  while (hasEndingProvider(found) && performance.now() < deadline) {
    await sleep(POLL_MILLISECONDS);
    found = await findUnresolvedOf(stack);
  }
  if (found.lock === undefined) return found;
  if (!(await removeOwnLock(stack, found.lock, found.notes))) throw lockedError(stack, found.lock);
  return findUnresolvedOf(stack);
}

/** A provider that has lost its engine ends with its last request. */
const GRACE_SECONDS = 5;
const POLL_MILLISECONDS = 1000;

/** Reports whether a provider of this machine is still running, and no run has the stack. */
function hasEndingProvider({ notes, lock }: Found): boolean {
  const isRunning = lock !== undefined && !lock.isOfDeadProcess;
  return !isRunning && notes.files.some(({ isAlive, beganAt }) => isAlive && beganAt !== undefined);
}

/** Finds out which stack a name means: `<organization>/<project>/<stack>`, of which the end is enough. */
function toOwner(name: string, { deployment }: StackExport) {
  const [stack = name, named, organization] = name.split("/").reverse();
  const [, project = named ?? projectName(process.cwd())] = deployment?.resources?.[0]?.urn.split("::") ?? [];
  return { stack, project, organization };
}
