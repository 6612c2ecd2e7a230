import type { StackExport } from "../stack/stack-export.js";
import { findPendingCreates } from "../stack/stack-export.js";
import type { AnswerFlags, Answers } from "./answers.js";
import { askAll, describe, label, parseAnswers } from "./answers.js";
import { CommandError } from "./command-error.js";
import type { Terminal } from "./confirm.js";
import { canConfirm } from "./confirm.js";
import { readSelectedStack, readState, writeState } from "./stack-state.js";
import type { Unresolved } from "./unresolved.js";
import {
  applyAnswer,
  findOtherPendingCreates,
  findUnresolved,
  recordInterruptedCreates,
} from "./unresolved.js";

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

No pulumi up of the stack may run meanwhile: its changes could be lost.

It sends nothing to the API. It writes the answers into the state, with pulumi
stack export and pulumi stack import, and keeps a copy of the old state in the
current folder. The next pulumi up verifies each id with an update of the
webhook, and creates the webhooks that do not exist. If an id is wrong, the up
says so, and you run this command again.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve
  $ pulumi-webhooks resolve --stack dev --found orders=42 --none invoices
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].name'

With --json, it asks nothing, writes nothing without answers, and stdout is one
JSON document:
  { stack, resolved: [{ urn, name?, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, sentAt, reason }],
    unverified: [{ urn, resource, name?, url?, sentAt, reason, id }],
    backup?: path }
sentAt is about when the create was sent. If reason is "killed", it may have
been sent earlier. unverified are the webhooks with an id that was entered
earlier, and that no pulumi up has verified yet.

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
    io.stderr.write(`error: ${error.message}\n`);
    return error.exitCode;
  }
}

async function resolve(flags: ResolveFlags, io: ResolveProcess): Promise<number> {
  const { stack = await readSelectedStack({ environment: io.env }), json = false } = flags;
  const before = await readState(stack, { environment: io.env });
  const state: StackExport = JSON.parse(before);
  const pending = state.deployment?.pending_operations ?? [];
  const areCreatesOfWebhooks = findPendingCreates(state).length === pending.length;
  const others = findOtherPendingCreates(state);
  const unrecordable = recordInterruptedCreates(state, io.env);
  const webhooks = findUnresolved(state);
  const given = parseAnswers(flags, webhooks);
  const answers = given.size === 0 && !json && canConfirm(io) ? await askAll({ webhooks, stack, io }) : given;
  for (const [{ urn }, answer] of answers) applyAnswer(state, urn, answer);

  const left = webhooks.filter((webhook) => !answers.has(webhook));
  const unresolved = left.filter(({ reason }) => reason !== "unverified");
  const unverified = left.filter(({ reason }) => reason === "unverified");
  // Pulumi warns of a pending create in every up, after it is resolved too. Others may be those of an active run.
  const isTidied = !json && webhooks.length === 0 && pending.length > 0 && areCreatesOfWebhooks;
  let backup: string | undefined;
  if (answers.size > 0 || isTidied) {
    const named = { ...flags, stack };
    if (others.length > 0 && !flags.dropOthers) {
      const command = toCommand({ ...named, dropOthers: true }, answers);
      throw new CommandError(`${describeOthers(others)}\nThen run: ${command}`);
    }
    refuseUnrecordable(named, answers, unrecordable);
    const after = JSON.stringify(state, null, 4);
    backup = await writeState({ stack, environment: io.env, before, after }).catch((error) => {
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
    unverified,
    ...(backup !== undefined && { backup }),
  };
  io.stdout.write(json ? toJson(report) : toText(report));
  return unresolved.length === 0 ? 0 : 1;
}

/**
 * @throws CommandError if a create cannot be recorded and is not answered with `none`, with a command that has the other
 * answers.
 */
function refuseUnrecordable(
  flags: ResolveFlags & { stack: string },
  answers: Answers,
  unrecordable: ReadonlyMap<string, string>,
): void {
  const usable = [...answers].filter(([{ urn }, answer]) => answer === "none" || !unrecordable.has(urn));
  const answered = new Set(usable.map(([{ urn }]) => urn));
  const problems = [...unrecordable].filter(([urn]) => !answered.has(urn)).map(([, problem]) => problem);
  if (problems.length === 0) return;
  const others = usable.length === 0 ? "" : `\nYour other answers: ${toCommand(flags, new Map(usable))}`;
  throw new CommandError(`The state was not changed. ${problems.join("\n")}${others}`);
}

function describeOthers(urns: readonly string[]): string {
  return `The state was not changed. A run was also killed during the creates of other resources:${urns.map((urn) => `\n  ${urn}`).join("")}
pulumi stack import would also remove the pending creates of these resources. First check the resources, and clear their pending creates with pulumi refresh (skip the webhooks there). Or write them down.`;
}

/** Returns the command with the same answers, so that nobody has to look for the webhooks again. */
function toCommand({ stack, dropOthers }: ResolveFlags & { stack: string }, answers: Answers): string {
  const options = [...answers].map(([{ urn }, answer]) =>
    answer === "none" ? `--none ${quote(urn)}` : `--found ${quote(`${urn}=${answer.found}`)}`,
  );
  if (dropOthers) options.push("--drop-others");
  return `npx pulumi-webhooks resolve --stack ${stack} ${options.join(" ")}`;
}

/** Quotes a text for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Report {
  stack: string;
  /** Whether the stack is the selected one, which may not be the one that the person means. */
  isSelected: boolean;
  answers: Answers;
  unresolved: readonly Unresolved[];
  /** Those whose id was entered earlier. */
  unverified: readonly Unresolved[];
  backup?: string;
}

function toJson({ stack, answers, unresolved, unverified, backup }: Report): string {
  const resolved = [...answers].map(([{ urn, name }, answer]) => ({
    urn,
    name,
    ...(answer === "none" ? { none: true } : answer),
  }));
  return `${JSON.stringify({ stack, resolved, unresolved, unverified, backup }, null, 2)}\n`;
}

function toText({ stack, isSelected, answers, unresolved, unverified, backup }: Report): string {
  const lines = [...answers].map(([webhook, answer]) =>
    answer === "none"
      ? `${label(webhook)}: does not exist. The next pulumi up creates it, if the program declares it.`
      : `${label(webhook)}: webhook ${answer.found}. The next pulumi up verifies the id with an update.`,
  );
  lines.push(...unresolved.map((webhook) => `${label(webhook)}: unresolved.\n${describe(webhook)}`));
  lines.push(...unverified.map((webhook) => `${label(webhook)}: unverified.\n${describe(webhook)}`));
  if (unresolved.length + unverified.length > 0)
    lines.push(
      "To resolve a webhook or to correct its id, add --found NAME=ID or --none NAME, or answer in a terminal.",
    );
  const otherStack = isSelected && answers.size === 0 ? " For another stack, add --stack <name>." : "";
  if (unresolved.length === 0) lines.push(`Nothing is unresolved in stack ${stack}.${otherStack}`);
  if (backup !== undefined)
    lines.push(`The previous state is saved in ${backup}. Delete the file when everything works.`);
  return `${lines.join("\n")}\n`;
}
