import { setTimeout as sleep } from "node:timers/promises";
import { parseJson } from "../../client/api.js";
import type { NotesOfStack, OfStack } from "../../notes/read-notes.js";
import { readNotes } from "../../notes/read-notes.js";
import { startPulumi } from "../../pulumi/cli.js";
import { notesFolder, projectName } from "../../pulumi/project.js";
import { stackOf } from "../../record/urn.js";
import type { ParsedSettings } from "../../settings/settings.js";
import type { StackExport } from "../../stack/stack-export.js";
import { findUnresolved } from "../../stack/unresolved.js";
import { readState } from "../read-state.js";
import { parseStackName } from "../stack-config.js";
import { readSettings } from "./provider-settings.js";
import type { Question } from "./questions.js";
import { toQuestions } from "./questions.js";
import type { Lock } from "./stack-lock.js";
import { findLock, lockedError, removeOwnLock } from "./stack-lock.js";

/** What is unresolved in a stack. */
export interface Found {
  stack: string;
  fullName: OfStack;
  /** The state as it was read. */
  before: string;
  exported: StackExport;
  notes: NotesOfStack;
  /** Undefined if the stack is not locked. */
  lock: Lock | undefined;
  /** The settings of the default Provider. */
  settings: ParsedSettings;
  questions: readonly Question[];
  /** The creates that only a note knows, and that the last run may not have sent: the state may have lost them on purpose. */
  uncertain: ReadonlySet<Question>;
}

/** Finds what is unresolved in a stack. @throws CommandError if its state cannot be read. */
export async function findUnresolvedOf(stack: string): Promise<Found> {
  const before = await readState(stack);
  // There is such a stack: findLock() would create it. A run that ends in between is noticed before anything is sent or written.
  const lock = await findLock(stack);
  const exported: StackExport = JSON.parse(before);
  const fullName = toFullName(stack, exported);
  const notes = readNotesOf(fullName);
  const creates = findUnresolved(exported, notes.creates);
  const settings: ParsedSettings = creates.length > 0 ? await readSettings(stack) : { problems: [] };
  // Of a secret one, the state has the ciphertext.
  const isShown = "settings" in settings && !settings.isBaseUrlSecret;
  const questions = toQuestions(exported, creates, isShown ? settings.settings.baseUrl : undefined);
  const uncertain = await findUncertain(stack, questions, exported);
  return { stack, fullName, before, exported, notes, lock, settings, questions, uncertain };
}

function readNotesOf(fullName: OfStack): NotesOfStack {
  return readNotes(notesFolder(process.cwd()), fullName);
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
  const last = Object(Object(parseJson(await startPulumi(args).text.catch(() => "")))[0]);
  const from = Date.parse(String(last.startTime)) - HISTORY_MILLISECONDS;
  const to = Date.parse(String(last.endTime)) + HISTORY_MILLISECONDS;
  const isOfLastRun = ({ create }: Question) => from <= Date.parse(create.sentAt) && savedAt <= to;
  return new Set(suspects.filter((question) => !isOfLastRun(question)));
}

/** A history has whole seconds, and is written after the state. */
const HISTORY_MILLISECONDS = 2000;

/** Finds what is unresolved when the providers that a run on this machine has left have ended: the API may still create a webhook. */
export async function findAfterProviders(stack: string): Promise<Found> {
  const found = await findUnresolvedOf(stack);
  return (await waitForProviders(found)) ? findUnresolvedOf(stack) : found;
}

/**
 * Finds what is unresolved after a run on this machine, and removes the lock that it has left.
 *
 * @throws CommandError if another run has the stack.
 */
export async function findAfterRun(stack: string): Promise<Found> {
  const found = await findAfterProviders(stack);
  const { lock, notes } = found;
  if (lock === undefined) return found;
  if (!(await removeOwnLock(stack, lock, notes))) throw lockedError(stack, lock);
  return findUnresolvedOf(stack);
}

/** A provider that has lost its engine ends with its last request. */
const GRACE_SECONDS = 5;
const POLL_MILLISECONDS = 1000;

/** Waits for the providers that a run on this machine has left with requests in flight. @returns whether there were some. */
async function waitForProviders({ fullName, notes, lock, settings }: Found): Promise<boolean> {
  const hasProvider = ({ files }: NotesOfStack) =>
    files.some(({ isAlive, beganAt }) => isAlive && beganAt !== undefined);
  const isRunning = lock !== undefined && !lock.isOfDeadProcess;
  if (isRunning || !hasProvider(notes)) return false;
  console.error("Waiting for the provider of that run, which still has requests in flight …");
  const { timeoutSeconds } = "settings" in settings ? settings.settings : { timeoutSeconds: 30 };
  const deadline = performance.now() + (timeoutSeconds + GRACE_SECONDS) * 1000;
  while (performance.now() < deadline && hasProvider(readNotesOf(fullName))) await sleep(POLL_MILLISECONDS);
  return true;
}

/** Completes the name of a stack: its state names the project, and so does the folder. */
function toFullName(name: string, { deployment }: StackExport): OfStack {
  const { project: named = projectName(process.cwd()), ...parts } = parseStackName(name);
  const [first] = deployment?.resources ?? [];
  return { ...parts, project: first === undefined ? named : stackOf(first.urn).project };
}
