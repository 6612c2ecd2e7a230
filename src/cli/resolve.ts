import { CommandError } from "../command-error.js";
import { forgetNotes } from "../notes/read-notes.js";
import type { Answer, AnswerFlags, Answers } from "../resolve/answers.js";
import { parseAnswers } from "../resolve/answers.js";
import { checkAnswer, ownerOf, requireManager, requireNoOthers } from "../resolve/check.js";
import type { Question } from "../resolve/questions.js";
import type { Outcome } from "../resolve/settle.js";
import { settle } from "../resolve/settle.js";
import { stackOption } from "../settings/setting-guide.js";
import { shellArgument } from "../shell-argument.js";
import { RESOLVE } from "../stack/resolve-command.js";
import { isWebhookType } from "../stack/stack-export.js";
import { canConfirm } from "./confirm.js";
import type { Found } from "./find-unresolved.js";
import { findAfterRun, findUnresolvedOf } from "./find-unresolved.js";
import { askAll } from "./resolve-ask.js";
import type { Report } from "./resolve-report.js";
import { formatJson, formatText } from "./resolve-report.js";
import { sendAnswers } from "./send-answers.js";
import { lockedError } from "./stack-lock.js";
import { readSelectedStack, requireUnchanged, writeState } from "./stack-state.js";

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Settles the creates of webhooks whose outcome is unknown: they got no clear
reply, or a run was killed during them. Until then, pulumi up changes no webhook
of the stack. If this machine has noted the id in the API's reply, the command
records it without a question. Look for the others in the dashboard. The command
asks for their ids there, or accepts them with --found and --none. There, NAME
is the name of the webhook or of the resource, or the resource's URN.

To each webhook whose id you enter, it sends url, name and enabled at once, with
the API key of the stack's config or of WEBHOOKS_API_KEY. If the API has no such
webhook, or replies that it is older than the create, nothing is recorded. With
webhooks:drift set to probe, it first compares the name, too. To record an id
although the API contradicts it, add --accept. To correct an answer later,
import the webhook with the option import.

With --record, it asks nothing, and sends nothing. It writes what this machine
knows of killed runs into the state, so that other machines know it, too: it
waits for a provider that is still running, and removes the lock of a run that
was killed on this machine. Run it after each pulumi up that failed in a
pipeline.

It writes the state with pulumi stack export and pulumi stack import, and saves
a copy of it first. It never writes while a run has the stack.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve
  $ pulumi-webhooks resolve --stack dev --found orders=42 --none invoices
  $ pulumi-webhooks resolve --stack dev --record
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].name'

With --json, it asks nothing, and writes nothing without answers or --record.
stdout is one JSON document:
  { stack, locked?: [text], resolved: [{ urn, name?, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, baseUrl?, sentAt,
                   isSentEarlier?: true, createdId?, sameName?,
                   reason: "no reply" | "killed" }],
    sendAgain?: [{ urn, id }], backup?: path }
locked says who has the stack. sentAt is when the create was sent; with
isSentEarlier, it was sent by then. createdId is the id that the API replied on
this machine. sameName are the other webhooks of the stack with that name:
[{ id, resource }]. sendAgain are the webhooks that a killed run was changing:
the next pulumi up sends url, name and enabled of these again.

Exit codes:
  0  nothing is unresolved
  1  the state could not be read or written, or an answer was refused
  2  wrong usage
  3  something is unresolved`;

/** The options of `pulumi-webhooks resolve`. */
export interface ResolveFlags extends AnswerFlags {
  readonly stack?: string;
  readonly record?: boolean;
  readonly accept?: boolean;
  readonly dropOthers?: boolean;
  readonly json?: boolean;
}

/**
 * Settles the creates of a stack whose outcome is unknown.
 *
 * @returns the exit code.
 * @throws CommandError for wrong usage, if an answer is refused, and if the state could not be read or written.
 */
export async function runResolve(given: ResolveFlags): Promise<number> {
  const { stack = await readSelectedStack(), json = false, record = false } = given;
  const found = record ? await findAfterRun(stack) : await findUnresolvedOf(stack);
  const { questions, lock } = found;
  const entered = parseAnswers(given, questions);
  const hasAnswers = entered.size > 0;
  const isList = !hasAnswers && !record && (json || lock !== undefined);
  const settled = isList ? NOTHING : await answerAll(given, found, entered);
  const { answers } = settled;
  const open = questions.filter((question) => !answers.has(question));
  const isComplete = record || (!isList && !hasAnswers && open.length === 0);
  const isWriting = answers.size > 0 || (isComplete && wasInterrupted(found));
  const written = isWriting ? await write(given, found, settled) : {};
  const report: Report = { stack, isSelected: given.stack === undefined, answers, open, lock, ...written };
  process.stdout.write(json ? formatJson(report) : formatText(report));
  return open.length > 0 ? 3 : 0;
}

/** Answers, and what became of them. */
interface SettledAnswers {
  answers: Answers;
  outcomes: ReadonlyMap<Question, Outcome>;
}

const NOTHING: SettledAnswers = { answers: new Map(), outcomes: new Map() };

/** Gets the answers: those of this machine, and those that a person has entered or enters now. Sends what they require. */
async function answerAll(
  flags: ResolveFlags,
  found: Found,
  entered: ReadonlyMap<Question, Answer>,
): Promise<SettledAnswers> {
  const { stack, exported, questions, uncertain, lock } = found;
  const { record = false, json = false } = flags;
  const certain = questions.filter((question) => !uncertain.has(question));
  const noted = new Map(certain.flatMap((question) => findNoted(question, exported)));
  const answers = new Map<Question, Answer>([...noted, ...entered]);
  const outcomes = new Map<Question, Outcome>();
  const send = async (given: Answers) => {
    for (const [question, answer] of given) checkAnswer(question, answer, { exported, answers });
    for (const [question, outcome] of await sendAnswers(given, found, flags)) outcomes.set(question, outcome);
  };
  try {
    if (lock !== undefined) throw lockedError(stack, lock);
    await send(answers);
  } catch (error) {
    throw withCommand(error, { flags, stack, entered });
  }
  if (entered.size === 0 && !record && !json && canConfirm(process)) {
    const check = async (question: Question, answer: Answer) => {
      answers.set(question, answer);
      await send(new Map([[question, answer]])).catch((error) => {
        answers.delete(question);
        throw error;
      });
    };
    await askAll({ all: questions.filter((one) => !answers.has(one)), stack, io: process, check });
  }
  return { answers, outcomes };
}

/** Finds the answer that this machine has noted, from the create's own reply. */
function findNoted(question: Question, exported: Found["exported"]): [Question, Answer][] {
  const { create, baseUrl } = question;
  const { notedId: id } = create;
  const isUsable = id !== undefined && baseUrl !== undefined && ownerOf(question, id, exported) === undefined;
  return isUsable ? [[question, { id, isNoted: true }]] : [];
}

/** Reports whether a killed run left anything that is not in the state's records. */
function wasInterrupted({ exported, questions }: Found): boolean {
  const pending = exported.deployment?.pending_operations ?? [];
  return (
    questions.some(({ create }) => create.record === undefined) ||
    pending.some(({ resource }) => isWebhookType(resource.type))
  );
}

/** Writes the outcomes into the state. @throws CommandError if the state was not written, or may not have been. */
async function write(
  flags: ResolveFlags,
  { stack, project, before, exported, notes, questions }: Found,
  { answers, outcomes }: SettledAnswers,
): Promise<Pick<Report, "backup" | "sendAgain">> {
  const entered = new Map([...answers].filter(([, answer]) => answer === "none" || !answer.isNoted));
  try {
    if (!flags.dropOthers) requireNoOthers(exported);
    for (const one of questions) if (answers.get(one) !== "none") requireManager(one, exported);
    const { state, sendAgain } = settle(exported, questions, outcomes);
    // pulumi stack import keeps no pending operation. Restored from this copy, the creates are unresolved again.
    const copy = toText(settle(exported, questions, new Map()).state);
    await requireUnchanged(stack, before);
    const backup = await writeState({ stack, project, before, copy, after: toText(state) });
    // A note helps with what is still open.
    const isOpen = (urn: string) => questions.some((one) => one.create.urn === urn && !answers.has(one));
    const kept = notes.creates.filter(({ urn }) => isOpen(urn));
    forgetNotes(notes, kept);
    return { backup, sendAgain };
  } catch (error) {
    throw withCommand(error, { flags, stack, entered });
  }
}

const toText = (state: object) => JSON.stringify(state, null, 4);

interface Repeated {
  flags: ResolveFlags;
  stack: string;
  entered: Answers;
}

/**
 * Adds the command to run later to an error. It has the ids, which are checked again. It does not say that a webhook does not exist: a
 * run that is alive may create it.
 */
function withCommand(error: unknown, { flags, stack, entered }: Repeated): unknown {
  if (!(error instanceof CommandError) || error.exitCode === 2) return error;
  const { record, accept, dropOthers } = flags;
  const ids = [...entered].flatMap(([{ shown }, answer]) =>
    answer === "none" ? [] : ` --found ${shellArgument(`${shown.urn}=${answer.id}`)}`,
  );
  const options = `${record ? " --record" : ""}${accept ? " --accept" : ""}${dropOthers ? " --drop-others" : ""}`;
  const left = [...entered].filter(([, answer]) => answer === "none").map(([{ shown }]) => shown.resource);
  const again = left.length === 0 ? "" : ` Look again for: ${left.join(", ")}.`;
  return new CommandError(
    `${error.message}${again}\nThen run: ${RESOLVE}${stackOption(stack)}${options}${ids.join("")}`,
  );
}
