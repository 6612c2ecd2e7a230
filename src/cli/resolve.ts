import { CommandError } from "../command-error.js";
import { forgetNotes, readNotes } from "../notes/noted-creates.js";
import { notesFolder, projectName } from "../notes/place.js";
import type { Answer, AnswerFlags, Answers } from "../resolve/answers.js";
import { parseAnswers } from "../resolve/answers.js";
import { findBaseUrl } from "../resolve/base-url.js";
import { probeEntered } from "../resolve/probe.js";
import type { Asked } from "../resolve/questions.js";
import { findQuestions, isUnresolved } from "../resolve/questions.js";
import { recordAnswer, recordInterrupted } from "../resolve/record.js";
import { stackOption, VARIABLES } from "../settings/setting-guide.js";
import type { ParsedSettings } from "../settings/settings.js";
import { parseSettings } from "../settings/settings.js";
import { shellArgument } from "../shell-argument.js";
import { RESOLVE } from "../stack/resolve-command.js";
import type { StackExport } from "../stack/stack-export.js";
import { findProviderName, findWebhooks, isWebhookType } from "../stack/stack-export.js";
import { findManager } from "../stack/unresolved.js";
import { canConfirm } from "./confirm.js";
import { askAll } from "./resolve-ask.js";
import { formatJson, formatText } from "./resolve-report.js";
import { readStackConfig } from "./stack-config.js";
import { readSelectedStack, readState, writeState } from "./stack-state.js";

/** The options of `pulumi-webhooks resolve`. */
export interface ResolveFlags extends AnswerFlags {
  readonly stack?: string;
  readonly record?: boolean;
  readonly baseUrl?: string;
  readonly dropOthers?: boolean;
  readonly json?: boolean;
}

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Resolves the webhooks whose create has an unknown outcome: it got no clear
reply, or a run was killed during it. Until then, a pulumi up changes no webhook
of the stack. Look for each of them in the dashboard. The command asks for its
id there, or accepts it as an option:
  --found NAME=ID  the dashboard shows the webhook, with this id
  --none NAME      the dashboard does not show it
NAME is the name of the webhook or of the resource, or the resource's URN. It
also corrects or drops an id that was entered or imported, and that no pulumi up
has confirmed yet. An id that the API replied to the create on this machine is
recorded without a question, if nothing has changed the stack since.

With webhooks:drift set to probe, it probes each id that you enter, and refuses
one that is another webhook's. --accept records the id all the same. Otherwise
it sends nothing to the API.

With --record, it asks nothing. It writes what this machine knows of killed runs
into the state, so that other machines know it, too. Run it after each pulumi up
that failed in a pipeline.

It writes the state with pulumi stack export and pulumi stack import, and saves
a copy of it first. The next pulumi up confirms each id with an update of the
webhook, and creates the webhooks that do not exist. Do not run pulumi up at the
same time: while the stack is locked, the command changes nothing.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve
  $ pulumi-webhooks resolve --stack dev --found orders=42 --none invoices
  $ pulumi-webhooks resolve --stack dev --record
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].name'

With --json, it asks nothing, and writes nothing without answers or --record.
stdout is one JSON document:
  { stack, resolved: [{ urn, name?, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, sentAt, createdId?, sameName?,
                   reason: "no reply" | "killed" }],
    unconfirmed: [{ urn, resource, name?, url?, sentAt?, id, sameName?,
                    reason: "entered" | "imported" }],
    sendAgain?: [{ urn, id }], backup?: path }
sentAt is about when the create was sent. If reason is "killed", it may have
been sent earlier. createdId is the id that the API replied on this machine.
sameName are the other webhooks of the stack with that name: [{ id, resource }].
sendAgain are the webhooks that a killed run was changing.

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
  const { stack = await readSelectedStack(), record = false, json = false } = flags;
  const before = await readState(stack);
  const plan = await makePlan({ ...flags, stack, before });
  const { answers, open, notes, exported } = plan;
  const isWriting =
    answers.size > 0 || (hasInterruption(exported, plan) && (record || (!json && open.length === 0)));
  const report = { stack, isSelected: flags.stack === undefined, answers, open };
  const written = isWriting ? await write({ ...plan, flags, stack, before }) : {};
  // A note helps with what is still open.
  if (isWriting) forgetNotes(notes, ({ urn }) => open.every((question) => question.urn !== urn));
  const print = json ? formatJson : formatText;
  process.stdout.write(print({ ...report, ...written }));
  return open.some(isUnresolved) ? 1 : 0;
}

type Notes = ReturnType<typeof readNotes>;

interface Plan {
  exported: StackExport;
  notes: Notes;
  asked: readonly Asked[];
  answers: Answers;
  /** What is left to resolve or to confirm. */
  open: readonly Asked["question"][];
  /** Returns the URL of the API that a create was sent to. */
  baseUrlOf: (asked: Asked) => unknown;
}

/** Reads what is unresolved, gets the answers, and checks them. @throws CommandError if one of them is wrong. */
async function makePlan(flags: ResolveFlags & { stack: string; before: string }): Promise<Plan> {
  const { stack, before, record, json } = flags;
  const exported: StackExport = JSON.parse(before);
  const notes = readNotes(notesFolder(process.cwd()), toOwner(stack, exported));
  const asked = findQuestions(exported, notes.creates);
  const given = parseAnswers(flags, asked);
  const isReadOnly = json && given.size === 0 && !record;
  const settings = await readSettings(stack, asked.length > 0);
  const configured = "settings" in settings ? settings.settings.baseUrl : undefined;
  const isFromEnvironment = "guide" in settings && settings.guide.name("baseUrl") === VARIABLES.baseUrl;
  const baseUrlOf = ({ create, record }: Asked) =>
    create === undefined
      ? record?.outputs?.baseUrl
      : findBaseUrl(create, { exported, given: flags.baseUrl, configured, isFromEnvironment });
  const noted = (isReadOnly ? [] : asked).flatMap((one) => {
    const id = record ? one.create?.notedId : findNotedId(one, exported);
    const isUsable =
      id !== undefined && baseUrlOf(one) !== undefined && findOwner(exported, one, id) === undefined;
    return isUsable ? [[one, { found: id, isCertain: true }] as const] : [];
  });
  const rest = asked.filter((one) => !noted.some(([known]) => known === one));
  const isAsking = given.size === 0 && !record && !json && canConfirm(process);
  const entered = isAsking ? await askAll({ all: rest, stack, io: process }) : given;
  const answers = new Map<Asked, Answer>([...noted, ...entered]);
  for (const [one, answer] of answers) {
    if (answer === "none") continue;
    refuseOwned({ exported, asked: one, id: answer.found, answers });
    requireManager(exported, one);
    if (baseUrlOf(one) === undefined) throw unknownUrlError(one);
    // The settings are those of the default Provider, and of one API.
    const isOfSettings = one.provider === undefined && baseUrlOf(one) === configured;
    if (!answer.isCertain && !answer.isAccepted && isOfSettings) {
      await probeEntered(one.question, { id: answer.found, parsed: settings });
    }
  }
  const open = asked.filter((one) => !answers.has(one)).map(({ question }) => question);
  return { exported, notes, asked, answers, open, baseUrlOf };
}

/** Finds out which stack a name means: `<organization>/<project>/<stack>`, of which the end is enough. */
function toOwner(name: string, { deployment }: StackExport) {
  const [stack = name, named, organization] = name.split("/").reverse();
  const [, project = named ?? projectName(process.cwd())] = deployment?.resources?.[0]?.urn.split("::") ?? [];
  return { stack, project, organization };
}

/**
 * Finds the id that this machine has noted from the create's own reply. It is no guess, if the state lists the create, or has not
 * changed since. With `--record` it never is: the run that has just failed has changed the state, if only its provider died.
 */
function findNotedId({ create }: Asked, { deployment }: StackExport): string | undefined {
  const { notedId, note, pending } = create ?? {};
  const savedAt = Date.parse(deployment?.manifest?.time ?? "");
  return pending !== undefined || !(savedAt > Date.parse(note?.sentAt ?? "")) ? notedId : undefined;
}

/** Reads the settings of the default Provider: those of the stack's config first, then of the environment. */
async function readSettings(stack: string, isNeeded: boolean): Promise<ParsedSettings> {
  const config = isNeeded ? await readStackConfig(stack, process.env) : { problems: [] };
  return "problems" in config
    ? parseSettings({ environment: process.env, isOwnCommand: true })
    : parseSettings({ ...config, environment: process.env, stack, isOwnCommand: true });
}

interface Owned {
  exported: StackExport;
  asked: Asked;
  id: string;
  answers: Answers;
}

/** @throws CommandError if another resource of the Provider has the webhook that was found. */
function refuseOwned({ exported, asked, id, answers }: Owned): void {
  const other = [...answers].find(
    ([one, answer]) =>
      one !== asked && one.provider === asked.provider && answer !== "none" && answer.found === id,
  );
  const owner = findOwner(exported, asked, id) ?? other?.[0].question.urn;
  if (owner === undefined) return;
  throw new CommandError(`The state was not changed. Webhook ${id} belongs to ${owner} already.`);
}

/** Returns the URN of another record of the Provider that has a webhook: also of the one that a create was to replace. */
function findOwner(exported: StackExport, { record, provider }: Asked, id: string): string | undefined {
  const owner = findWebhooks(exported).find(
    (one) => one.id === id && one !== record && findProviderName(exported, one) === provider,
  );
  return owner?.urn;
}

/** @throws CommandError if the state lacks the Provider of an interrupted create: pulumi stack import would refuse its record. */
function requireManager(exported: StackExport, { question: { urn, resource }, create }: Asked): void {
  if (create === undefined || create.record !== undefined || findManager(exported, create) !== undefined)
    return;
  throw new CommandError(
    `The state was not changed. The Provider of ${urn} has left it. Declare the webhook and its Provider again, and run pulumi up: it fails, but records the Provider. Then run this command again. If you have deleted the webhook in the dashboard, add --none ${shellArgument(resource)} instead.`,
  );
}

function unknownUrlError({ question: { urn, resource }, create }: Asked): CommandError {
  const unknown =
    create?.note === undefined
      ? `The state does not show at which base URL ${urn} was created.`
      : `${urn} was created at another base URL than the one that its Provider has now.`;
  return new CommandError(
    `The state was not changed. ${unknown} Add --base-url <URL>. If you have deleted the webhook there, add --none ${shellArgument(resource)} instead.`,
  );
}

/** Reports whether a killed run left anything that is not in the state's records. */
function hasInterruption(exported: StackExport, { asked }: Pick<Plan, "asked">): boolean {
  const pending = exported.deployment?.pending_operations ?? [];
  const isInterrupted = asked.some(({ create }) => create !== undefined && create.record === undefined);
  return isInterrupted || pending.some(({ resource }) => isWebhookType(resource.type));
}

/** Writes the answers into the state. @throws CommandError if the state was not written, or may not have been. */
async function write({
  exported,
  asked,
  answers,
  baseUrlOf,
  flags,
  stack,
  before,
}: Plan & { flags: ResolveFlags; stack: string; before: string }): Promise<
  Pick<Parameters<typeof formatText>[0], "backup" | "sendAgain">
> {
  const others = findOtherPending(exported);
  const command = toCommand({ ...flags, stack }, answers);
  if (others.length > 0 && !flags.dropOthers) {
    throw new CommandError(`${describeOthers(others)}\nThen run: ${command} --drop-others`);
  }
  const interrupted = asked.flatMap((one) =>
    one.create === undefined || one.create.record !== undefined
      ? []
      : [{ create: one.create, baseUrl: baseUrlOf(one) }],
  );
  for (const one of asked) if (answers.get(one) !== "none") requireManager(exported, one);
  const sendAgain = recordInterrupted(exported, interrupted);
  // pulumi stack import keeps no pending operation. Restored from this copy, the webhooks are in doubt again.
  const copy = toText(exported);
  for (const [one, answer] of answers) {
    const { urn } = one.question;
    const createdAt = one.create?.note?.reply?.createdAt;
    const record = one.create === undefined ? one.record : undefined;
    recordAnswer(exported, { urn, answer, baseUrl: baseUrlOf(one), createdAt, record });
  }
  try {
    return { backup: await writeState({ stack, before, copy, after: toText(exported) }), sendAgain };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${error.message}\nThen run: ${command}`);
  }
}

/** Returns the URNs of the other resources that an engine was killed in an operation on. Those of Providers change nothing outside the state. */
function findOtherPending({ deployment }: StackExport): string[] {
  return (deployment?.pending_operations ?? []).flatMap(({ resource: { type, urn } }) =>
    isWebhookType(type) || type.startsWith("pulumi:providers:") ? [] : urn,
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
function toCommand({ stack, record, accept, baseUrl, dropOthers }: ResolveFlags, answers: Answers): string {
  const options = [...answers].map(
    ([
      {
        question: { urn },
      },
      answer,
    ]) =>
      answer === "none"
        ? `--none ${shellArgument(urn)}`
        : `--found ${shellArgument(`${urn}=${answer.found}`)}`,
  );
  if (record) options.unshift("--record");
  if (accept) options.push("--accept");
  if (baseUrl !== undefined) options.push(`--base-url ${shellArgument(baseUrl)}`);
  if (dropOthers) options.push("--drop-others");
  return [`${RESOLVE}${stackOption(stack)}`, ...options].join(" ");
}
