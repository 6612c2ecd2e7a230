import type { StackExport } from "../stack/stack-export.js";
import { findPendingCreates } from "../stack/stack-export.js";
import type { AnswerFlags, Answers } from "./answers.js";
import { askAll, parseAnswers } from "./answers.js";
import { applyAnswer, findOwner } from "./apply-answer.js";
import { CommandError } from "./command-error.js";
import type { Terminal } from "./confirm.js";
import { canConfirm } from "./confirm.js";
import { printableLines } from "./printable.js";
import { readProviderKeys } from "./provider-keys.js";
import { quoteForShell } from "./quote-for-shell.js";
import type { Recorded } from "./record-interrupted.js";
import { findOtherPending, recordInterrupted } from "./record-interrupted.js";
import { formatJson, formatText } from "./resolve-report.js";
import { readSelectedStack, readState, writeState } from "./stack-state.js";
import { findUnresolved } from "./unresolved.js";

/** The options of `pulumi-webhooks resolve`. */
export interface ResolveFlags extends AnswerFlags {
  readonly stack?: string;
  readonly dropOthers?: boolean;
  readonly json?: boolean;
}

/** The environment and the streams of the command: those of the process, if a test does not replace them. */
export interface ResolveProcess extends Terminal {
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WritableStream;
}

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Resolves the webhooks whose create has an unknown outcome: it got no clear
reply, or a run was killed during it. Look for each of them in the dashboard.
The command asks for its id there, or accepts it as an option:
  --found NAME=ID  the dashboard shows the webhook, with this id
  --none NAME      the dashboard does not show it
NAME is the name of the webhook or of the resource, or the resource's URN.

Do not run pulumi up at the same time: its changes could be lost.

It sends nothing to the API. It writes the answers into the state, with pulumi
stack export and pulumi stack import. Before, it saves the state in the current
folder: the output shows how to take the answers back. The next pulumi up
verifies each id with an update of the webhook, and creates the webhooks that do
not exist. If an id is wrong, the up says so, and you run this command again.

Two resources cannot have one webhook. Two Providers with one base URL may have
webhooks with the same id if their API keys differ. To compare the keys, this
command must be able to decrypt the state.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve
  $ pulumi-webhooks resolve --stack dev --found orders=42 --none invoices
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].name'

With --json, it asks nothing, writes nothing without answers, and stdout is one
JSON document:
  { stack, resolved: [{ urn, name?, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, sentAt, reason, sameName? }],
    entered: [{ urn, resource, name?, url?, sentAt, reason, id, sameName? }],
    dropped?: [{ operation: "create" | "update" | "delete", urn, resource, id,
                 name?, url?, sameName? }],
    backup?: path }
sentAt is about when the create was sent. If reason is "killed", it may have
been sent earlier. entered are the webhooks whose id was entered earlier, and
that no pulumi up has verified yet. sameName are the other webhooks of the stack
with that name: [{ id, resource }]. dropped are the other operations on webhooks
during which a run was killed, and whose entries left the state.

Exit codes:
  0  nothing is unresolved
  1  something is unresolved, or the state could not be read or written
  2  wrong usage`;

/** Resolves the webhooks of a stack that are in doubt or interrupted. @returns the exit code. */
export async function runResolve(flags: ResolveFlags, io: ResolveProcess = process): Promise<number> {
  try {
    return await resolve(flags, io);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    io.stderr.write(`error: ${printableLines(error.message)}\n`);
    return error.exitCode;
  }
}

async function resolve(flags: ResolveFlags, io: ResolveProcess): Promise<number> {
  const { stack = await readSelectedStack({ environment: io.env }), json = false } = flags;
  const before = await readState(stack, { environment: io.env });
  const state: StackExport = JSON.parse(before);
  const pending = state.deployment?.pending_operations ?? [];
  const areCreatesOfWebhooks = findPendingCreates(state).length === pending.length;
  const others = findOtherPending(state);
  const recorded = recordInterrupted(state, io.env);
  // pulumi stack import keeps no pending operation. Restored from this copy, the webhooks are in doubt again.
  const copy = pending.length > 0 && recorded.problems.size === 0 ? toText(state) : before;
  const webhooks = findUnresolved(state);
  const given = parseAnswers(flags, webhooks);
  const answers = given.size === 0 && !json && canConfirm(io) ? await askAll({ webhooks, stack, io }) : given;
  for (const [{ urn }, answer] of answers) {
    if (answer !== "none") await refuseOwned(state, { urn, id: answer.found, stack, environment: io.env });
    applyAnswer(state, urn, answer);
  }

  const left = webhooks.filter((webhook) => !answers.has(webhook));
  const unresolved = left.filter(({ reason }) => reason !== "entered");
  const entered = left.filter(({ reason }) => reason === "entered");
  // Pulumi warns of a pending create in every up, after it is resolved too. Others may be those of an active run.
  const isTidied = !json && webhooks.length === 0 && pending.length > 0 && areCreatesOfWebhooks;
  let backup: string | undefined;
  if (answers.size > 0 || isTidied) {
    const named = { ...flags, stack };
    if (others.length > 0 && !flags.dropOthers) {
      const command = toCommand({ ...named, dropOthers: true }, answers);
      throw new CommandError(`${describeOthers(others)}\nThen run: ${command}`);
    }
    refuseWithoutRecord(named, answers, recorded);
    const change = { before, copy, after: toText(state) };
    backup = await writeState({ stack, environment: io.env, ...change }).catch((error) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}\nThen run: ${toCommand(named, answers)}`);
    });
  }
  const isSelected = flags.stack === undefined;
  const report = {
    stack,
    isSelected,
    answers,
    unresolved,
    entered,
    ...(backup !== undefined && { backup, dropped: recorded.dropped }),
    canGoBack: recorded.problems.size === 0,
  };
  io.stdout.write(json ? formatJson(report) : formatText(report));
  return unresolved.length === 0 ? 0 : 1;
}

/**
 * @throws CommandError if a create cannot be recorded and is not answered with `none`, with a command that has the other
 * answers.
 */
function refuseWithoutRecord(
  flags: ResolveFlags & { stack: string },
  answers: Answers,
  { problems }: Recorded,
): void {
  const usable = [...answers].filter(([{ urn }, answer]) => answer === "none" || !problems.has(urn));
  const answered = new Set(usable.map(([{ urn }]) => urn));
  const missing = [...problems].filter(([urn]) => !answered.has(urn)).map(([, problem]) => problem);
  if (missing.length === 0) return;
  const others = usable.length === 0 ? "" : `\nYour other answers: ${toCommand(flags, new Map(usable))}`;
  throw new CommandError(`The state was not changed. ${missing.join("\n")}${others}`);
}

interface Found {
  urn: string;
  id: string;
  stack: string;
  environment: NodeJS.ProcessEnv;
}

/** @throws CommandError if another resource has the webhook that was found, or may have it. */
async function refuseOwned(state: StackExport, { urn, id, stack, environment }: Found): Promise<void> {
  if (findOwner(state, { urn, id }) === undefined) return;
  // Only now: whoever runs this command need not be able to decrypt the state.
  const keys = await readProviderKeys(stack, environment);
  const owner = findOwner(state, { urn, id }, keys);
  if (owner === undefined) return;
  const unknown =
    keys.size === 0
      ? " If its Provider has another account, run this command where Pulumi can decrypt the state."
      : "";
  throw new CommandError(
    `The state was not changed. Webhook ${id} belongs to ${owner.urn} already.${unknown}`,
  );
}

function describeOthers(urns: readonly string[]): string {
  return `The state was not changed. A run was also killed during operations on other resources:${urns.map((urn) => `\n  ${urn}`).join("")}
pulumi stack import would also remove these pending operations. First check the resources, and clear their pending operations with pulumi refresh (skip the webhooks there). Or write them down.`;
}

function toText(state: StackExport): string {
  return JSON.stringify(state, null, 4);
}

/** Returns the command with the same answers, so that nobody has to look for the webhooks again. */
function toCommand({ stack, dropOthers }: ResolveFlags & { stack: string }, answers: Answers): string {
  const options = [...answers].map(([{ urn }, answer]) =>
    answer === "none" ? `--none ${quoteForShell(urn)}` : `--found ${quoteForShell(`${urn}=${answer.found}`)}`,
  );
  if (dropOthers) options.push("--drop-others");
  return `npx pulumi-webhooks resolve --stack ${stack} ${options.join(" ")}`;
}
