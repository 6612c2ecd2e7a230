import { changesFolder, createsFolder, projectName } from "../journal/place.js";
import type { OfStack } from "../journal/sent-creates.js";
import { forgetCreates, readCreates } from "../journal/sent-creates.js";
import type { StackExport } from "../stack/stack-export.js";
import { findPendingCreates } from "../stack/stack-export.js";
import type { AnswerFlags, Answers } from "./answers.js";
import { askAll, parseAnswers } from "./answers.js";
import { applyAnswer, findOwner } from "./apply-answer.js";
import { CommandError } from "./command-error.js";
import { canConfirm } from "./confirm.js";
import { readProviderKeys } from "./provider-keys.js";
import { quoteForShell } from "./quote-for-shell.js";
import { findOtherPending, recordInterrupted } from "./record-interrupted.js";
import { formatJson, formatText } from "./resolve-report.js";
import { readSelectedStack, readState, writeState } from "./stack-state.js";
import type { Answer, Unresolved } from "./unresolved.js";
import { findUnresolved } from "./unresolved.js";

/** The options of `pulumi-webhooks resolve`. */
export interface ResolveFlags extends AnswerFlags {
  readonly stack?: string;
  readonly record?: boolean;
  readonly dropOthers?: boolean;
  readonly json?: boolean;
}

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Resolves the webhooks whose create has an unknown outcome: it got no clear
reply, or a run was killed during it. Look for each of them in the dashboard.
The command asks for its id there, or accepts it as an option:
  --found NAME=ID  the dashboard shows the webhook, with this id
  --none NAME      the dashboard does not show it
NAME is the name of the webhook or of the resource, or the resource's URN. If
the API replied to the create on this machine, the command offers that id.

With --record, it asks nothing. It writes what this machine knows of killed runs
into the state, so that other machines know it, too: the ids that the API
replied, the creates in doubt, and the interrupted updates and deletes.

It sends nothing to the API, and writes the state with pulumi stack export and
pulumi stack import. Before, it saves the state in the current folder: the
output shows how to take the answers back. The next pulumi up verifies each id
with an update of the webhook, and creates the webhooks that do not exist. If an
id is wrong, the up says so, and you run this command again.

Do not run pulumi up at the same time: its changes could be lost.

Two resources cannot have one webhook. Two Providers with one base URL may have
webhooks with the same id if their API keys differ. To compare the keys, this
command must be able to decrypt the state.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve
  $ pulumi-webhooks resolve --stack dev --found orders=42 --none invoices
  $ pulumi-webhooks resolve --stack dev --record
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].name'

With --json, it asks nothing, and writes nothing without answers or --record.
stdout is one JSON document:
  { stack, resolved: [{ urn, name?, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, sentAt, reason, createdId?,
                   sameName? }],
    entered: [{ urn, resource, name?, url?, sentAt, reason, id, sameName? }],
    dropped?: [{ operation: "create" | "update" | "delete", urn, resource, id,
                 name?, url?, sameName? }],
    backup?: path }
sentAt is about when the create was sent. If reason is "killed", it may have
been sent earlier. createdId is the id that the API replied on this machine.
entered are the webhooks whose id was entered earlier, and that no pulumi up has
verified yet. sameName are the other webhooks of the stack with that name:
[{ id, resource }]. dropped are the other operations on webhooks during which a
run was killed, and whose entries left the state.

Exit codes:
  0  nothing is unresolved
  1  something is unresolved, or the state could not be read or written
  2  wrong usage`;

/**
 * Resolves the webhooks of a stack that are in doubt or interrupted.
 *
 * @returns the exit code.
 * @throws CommandError for wrong usage, and if the state could not be read or written.
 */
export async function runResolve(flags: ResolveFlags): Promise<number> {
  const { stack = await readSelectedStack(), record = false, dropOthers = false, json = false } = flags;
  const folder = createsFolder(process.cwd());
  const before = await readState(stack);
  const state: StackExport = JSON.parse(before);
  const noted = readCreates(folder, toOwner(stack, state));
  const pending = state.deployment?.pending_operations ?? [];
  const areCreatesOfWebhooks = findPendingCreates(state).length === pending.length;
  const others = findOtherPending(state);
  const left = { noted, changesFolder: changesFolder(), environment: process.env };
  const { creates, problems, dropped } = recordInterrupted(state, left);
  const canGoBack = problems.size === 0;
  // pulumi stack import keeps no pending operation. Restored from this copy, the webhooks are in doubt again.
  const copy = (pending.length > 0 || creates > 0) && canGoBack ? toText(state) : before;
  const webhooks = findUnresolved(state, noted);
  const given = parseAnswers(flags, webhooks);
  const isAsking = given.size === 0 && !record && !json && canConfirm(process);
  const known = record ? knownAnswers(state, webhooks) : new Map<Unresolved, Answer>();
  const answers = isAsking ? await askAll({ webhooks, stack, io: process }) : new Map([...known, ...given]);
  for (const [{ urn }, answer] of answers) {
    if (answer !== "none") await refuseOwned(state, { urn, id: answer.found, stack });
    applyAnswer(state, urn, answer);
  }

  const open = webhooks.filter((webhook) => !answers.has(webhook));
  const unresolved = open.filter(({ reason }) => reason !== "entered");
  const entered = open.filter(({ reason }) => reason === "entered");
  // Pulumi warns of a pending create in every up, after it is resolved too. Others may be those of an active run.
  const isTidied = !json && webhooks.length === 0 && pending.length > 0 && areCreatesOfWebhooks;
  const isRecorded = record && creates + dropped.length > 0;
  let backup: string | undefined;
  if (answers.size > 0 || isTidied || isRecorded) {
    if (others.length > 0 && !dropOthers) {
      const command = toCommand({ stack, dropOthers: true, answers });
      throw new CommandError(`${describeOthers(others)}\nThen run: ${command}`);
    }
    refuseWithoutRecord({ stack, dropOthers, answers }, problems);
    backup = await writeState({ stack, before, copy, after: toText(state) }).catch((error) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}\nThen run: ${toCommand({ stack, dropOthers, answers })}`);
    });
    const isOpen = new Set(unresolved.map(({ urn }) => urn));
    forgetCreates(noted.filter(({ urn }) => !isOpen.has(urn)));
  }
  const isSelected = flags.stack === undefined;
  const written = backup === undefined ? {} : { backup, dropped };
  const report = { stack, isSelected, answers, unresolved, entered, ...written, canGoBack };
  process.stdout.write(json ? formatJson(report) : formatText(report));
  return unresolved.length === 0 ? 0 : 1;
}

/** Finds out which stack a name means: `<organization>/<project>/<stack>`, of which the end is enough. */
function toOwner(name: string, { deployment }: StackExport): OfStack {
  const [stack = name, named, organization] = name.split("/").reverse();
  const [, project = named ?? projectName(process.cwd())] = deployment?.resources?.[0]?.urn.split("::") ?? [];
  return { stack, project, organization };
}

/** Answers with the ids that the journal has. One that another resource has is left to a person. */
function knownAnswers(state: StackExport, webhooks: readonly Unresolved[]): Map<Unresolved, Answer> {
  return new Map(
    webhooks.flatMap((webhook) => {
      const { urn, createdId: id } = webhook;
      return id === undefined || findOwner(state, { urn, id }) !== undefined
        ? []
        : [[webhook, { found: id }]];
    }),
  );
}

/**
 * @throws CommandError if a create cannot be recorded and is not answered with `none`, with a command that has the other
 * answers.
 */
function refuseWithoutRecord(command: Command, problems: ReadonlyMap<string, string>): void {
  const missing = new Map(problems);
  for (const [{ urn }, answer] of command.answers) if (answer === "none") missing.delete(urn);
  if (missing.size === 0) return;
  const usable = new Map([...command.answers].filter(([{ urn }]) => !missing.has(urn)));
  const others =
    usable.size === 0 ? "" : `\nYour other answers: ${toCommand({ ...command, answers: usable })}`;
  throw new CommandError(`The state was not changed. ${[...missing.values()].join("\n")}${others}`);
}

/** @throws CommandError if another resource has the webhook that was found, or may have it. */
async function refuseOwned(
  state: StackExport,
  found: { urn: string; id: string; stack: string },
): Promise<void> {
  if (findOwner(state, found) === undefined) return;
  // Only now: a person who runs this command may be unable to decrypt the state.
  const keys = await readProviderKeys(found.stack);
  const owner = findOwner(state, found, keys);
  if (owner === undefined) return;
  const unknown =
    keys.size === 0
      ? " If its Provider has another account, run this command where Pulumi can decrypt the state."
      : "";
  throw new CommandError(
    `The state was not changed. Webhook ${found.id} belongs to ${owner.urn} already.${unknown}`,
  );
}

function describeOthers(urns: readonly string[]): string {
  return `The state was not changed. A run was also killed during operations on other resources:${urns.map((urn) => `\n  ${urn}`).join("")}
pulumi stack import would also remove these pending operations. First check the resources, and clear their pending operations with pulumi refresh (skip the webhooks there). Or write them down.`;
}

function toText(state: StackExport): string {
  return JSON.stringify(state, null, 4);
}

interface Command {
  stack: string;
  dropOthers: boolean;
  answers: Answers;
}

/** Returns the command with the same answers, so that nobody has to look for the webhooks again. */
function toCommand({ stack, dropOthers, answers }: Command): string {
  const options = [...answers].map(([{ urn }, answer]) =>
    answer === "none" ? `--none ${quoteForShell(urn)}` : `--found ${quoteForShell(`${urn}=${answer.found}`)}`,
  );
  if (dropOthers) options.push("--drop-others");
  return `npx pulumi-webhooks resolve --stack ${stack} ${options.join(" ")}`;
}
