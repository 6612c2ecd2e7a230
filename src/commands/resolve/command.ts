import { RESOLVE, shellArgument, stackOption } from "../../wording/command.js";
import { CommandError } from "../command-error.js";
import { canConfirm } from "../confirm.js";
import { readSelectedStack } from "../read-state.js";
import type { Answer, AnswerFlags, Answers } from "./answers.js";
import { parseAnswers, RefusedAnswerError } from "./answers.js";
import { askAll } from "./ask.js";
import { requireWritable } from "./check.js";
import type { Found } from "./find-unresolved.js";
import { findAfterProviders, findAfterRun, findUnresolvedOf } from "./find-unresolved.js";
import type { Question } from "./questions.js";
import { formatJson, formatText } from "./report.js";
import { findNoted, sendAnswers } from "./send-answers.js";
import { lockedError } from "./stack-lock.js";
import type { Written } from "./write-state.js";
import { hasLeftovers, writeOutcomes } from "./write-state.js";

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
webhook, or replies that it is over a minute older than the create, nothing is
recorded. It waits for a provider that still has requests in flight. With
webhooks:drift set to probe, it first compares the name, too. To record an id
that the API contradicts, or that a webhook of another Provider has, add
--accept. Add it also to answer that a webhook does not exist although this
machine has noted its id. To correct an answer later, import the webhook with
the option import; after a wrong id, run pulumi state delete '<urn>' first.

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
export async function runResolve(flags: ResolveFlags): Promise<number> {
  const { stack = await readSelectedStack(), json = false, record = false } = flags;
  const hasAnswers = [flags.found, flags.none].some((option = []) => option.length > 0);
  const find = record ? findAfterRun : json && !hasAnswers ? findUnresolvedOf : findAfterProviders;
  const found = await find(stack);
  const { questions, lock } = found;
  const answers = parseAnswers(flags, questions);
  const isList = answers.size === 0 && !record && (json || lock !== undefined);
  const written = isList ? {} : await settleAll(flags, found, answers);
  const open = questions.filter((question) => !answers.has(question));
  const report = { stack, isSelected: flags.stack === undefined, answers, open, lock, ...written };
  process.stdout.write(json ? formatJson(report) : formatText(report));
  return open.length > 0 ? 3 : 0;
}

/** Settles the answers that are given, and adds those that this machine has noted, and those that a person enters now. */
async function settleAll(
  flags: ResolveFlags,
  found: Found,
  answers: Map<Question, Answer>,
): Promise<Partial<Written>> {
  const { stack, questions, lock } = found;
  const { json, record = false, accept, dropOthers } = flags;
  const isAsking = answers.size === 0 && questions.length > 0 && !record && !json && canConfirm(process);
  const isOpen = (question: Question) => !answers.has(question);
  const isWriting = () => answers.size > 0 || ((record || !questions.some(isOpen)) && hasLeftovers(found));
  try {
    if (lock !== undefined) throw lockedError(stack, lock);
    for (const [question, answer] of findNoted(found)) if (isOpen(question)) answers.set(question, answer);
    if (isAsking || isWriting()) requireWritable(found, answers, dropOthers);
    const outcomes = await sendAnswers(answers, { found, answers, accept });
    const check = async (question: Question, answer: Answer) => {
      const sent = await sendAnswers(new Map([[question, answer]]), { found, answers, accept });
      for (const [, outcome] of sent) outcomes.set(question, outcome);
      answers.set(question, answer);
    };
    if (isAsking) await askAll({ all: questions.filter(isOpen), stack, io: process, check });
    return isWriting() ? await writeOutcomes(found, outcomes) : {};
  } catch (error) {
    throw withCommand(error, { flags, stack, answers });
  }
}

interface Repeated {
  flags: ResolveFlags;
  stack: string;
  answers: Answers;
}

/**
 * Adds the command to run later to an error. It has the ids that a person has entered, which are checked again. It does not say that a
 * webhook does not exist: a run that is alive may create it.
 */
function withCommand(error: unknown, { flags, stack, answers }: Repeated): unknown {
  const isWrong = error instanceof RefusedAnswerError;
  if (!(error instanceof CommandError) || error.exitCode === 2 || isWrong) return error;
  const { record, accept, dropOthers } = flags;
  let command = `${RESOLVE}${stackOption(stack)}${record ? " --record" : ""}${accept ? " --accept" : ""}${dropOthers ? " --drop-others" : ""}`;
  const left: string[] = [];
  for (const [{ shown }, answer] of answers) {
    if (answer === "none") left.push(shown.resource);
    else if (!answer.isNoted) command += ` --found ${shellArgument(`${shown.urn}=${answer.id}`)}`;
  }
  const again = left.length === 0 ? "" : ` Look again for: ${left.join(", ")}.`;
  return new CommandError(`${error.message}${again}\nThen run: ${command}`);
}
