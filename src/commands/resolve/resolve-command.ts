import { setTimeout as sleep } from "node:timers/promises";
import { PulumiCommandError } from "../../pulumi/cli.js";
import { findStack, readStackName } from "../../pulumi/find-stack.js";
import { messageOf } from "../../wording/errors.js";
import { CommandError } from "../command-error.js";
import { canConfirm } from "../confirm.js";
import { askNone, isAsked, mayBeAnswered, parseNone } from "./answers.js";
import {
  findNotedOf,
  findUnresolvedOf,
  type UnresolvedOfStack,
  waitForProviders,
} from "./find-unresolved.js";
import { formatJson, formatText, type Report } from "./resolve-report.js";
import { writeSettled } from "./write-state.js";

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Settles the creates of webhooks that are unresolved: they got no clear reply, a
run was killed during them, or the state lost their webhooks. Until then, pulumi
up changes no webhook of the stack.

If this machine has noted the API's reply to a create, the command records its
webhook without a question. For the others, do what the report says, and answer
none: n at the prompt, or --none, with names or for all questions. A name is
that of the webhook or of the resource, or the resource's URN. The state is then
the one from before the create. The command needs no API key, and sends no
request. It saves a copy of the state before it writes.

With --record, it writes what this machine knows of killed runs into the state,
so that other machines know it, too. Run it after each pulumi up that failed in
a pipeline. If it cannot write, it prints all that this machine knows.

Examples, in the folder of the Pulumi project:
  $ pulumi-webhooks resolve --stack dev --none orders invoices
  $ pulumi-webhooks resolve --stack dev --record
  $ pulumi-webhooks resolve --stack dev --json | jq -r '.unresolved[].resource'

With --json, it writes nothing without --none or --record. stdout is one JSON
document:
  { stack,
    resolved: [{ urn, name, found?: id, none?: true }],
    unresolved: [{ urn, resource, name?, url?, provider?, baseUrl?, sentAt?,
                   createdId?, noneFrom,
                   keep?: [{ id, resource, provider?, baseUrl? }] }],
    created?: [{ urn, resource, id }], backup?: path }
No secret is shown. --none is accepted from noneFrom on. createdId is the id
that the API replied on the machine of the create. keep are webhooks of the
stack that may look the same: they must stay. created are webhooks that the
command records as soon as it writes.

Exit codes:
  0  nothing is unresolved
  1  the state could not be read or written, or an answer was refused
  2  wrong usage
  3  something is unresolved`;

interface ResolveFlags {
  readonly stack?: string;
  /** The names, or true for all. */
  readonly none?: true | readonly string[];
  readonly record?: boolean;
  readonly json?: boolean;
}

/** Settles the creates of a stack whose outcome is unknown. @returns the exit code. */
export async function runResolve(flags: ResolveFlags): Promise<number> {
  if (!flags.record) return resolve(flags);
  const end = new Date(Date.now() + RETRY_SECONDS * 1000).toISOString();
  let shown = "";
  for (;;) {
    try {
      return await resolve(flags, end);
    } catch (error) {
      const mayPass = (error instanceof PulumiCommandError || error instanceof CommandError) && error.mayPass;
      if (!mayPass || new Date().toISOString() > end) {
        print(flags, await findKnown(flags));
        throw error;
      }
      if (shown !== messageOf(error)) console.error(`${messageOf(error)}\nTrying again until ${end} …`);
      shown = messageOf(error);
      await sleep(RETRY_PAUSE_SECONDS * 1000);
    }
  }
}

/** GitHub ends all steps five minutes after a job was cancelled, and one of them has to keep the notes. */
const RETRY_SECONDS = 240;
const RETRY_PAUSE_SECONDS = 5;

/** Finds what is known of a stack to which nothing could be written. */
async function findKnown({ stack }: ResolveFlags): Promise<UnresolvedOfStack> {
  try {
    return await findUnresolvedOf(await findStack(stack));
  } catch (error) {
    if (stack === undefined) throw error;
    return findNotedOf(readStackName(stack));
  }
}

function print({ json }: ResolveFlags, report: Report): void {
  process.stdout.write(json ? formatJson(report) : formatText(report));
}

/** @param end the time in ISO 8601 until which it may wait. */
async function resolve(flags: ResolveFlags, end?: string): Promise<number> {
  const { none = [], record = false, json = false } = flags;
  const acts = record || none === true || none.length > 0;
  const asks = !acts && !json && canConfirm(process);
  const name = await findStack(flags.stack);
  let found = await findUnresolvedOf(name);
  // What is only listed may still change.
  if ((acts || asks) && (await waitForProviders(found, end))) found = await findUnresolvedOf(name);
  const { creates, sendsAllAgain } = found;
  let notThere = parseNone(none, creates);
  if (asks && creates.some(mayBeAnswered)) {
    process.stderr.write(formatText({ ...found, isAsking: true }));
    notThere = await askNone(creates);
  }
  const kept = creates.filter((create) => !notThere.includes(create));
  const [open, recorded] = [kept.filter(isAsked), kept.filter((create) => !isAsked(create))];
  // Only the state outlasts this machine, and the next run of the engine.
  const isSaving = (record || open.length === 0) && sendsAllAgain;
  const isWriting = (acts || !json) && (recorded.length > 0 || notThere.length > 0 || isSaving);
  const written = isWriting && { recorded, notThere, open, backup: await writeSettled(found, notThere) };
  print(flags, { ...found, ...written });
  return (written ? open : creates).length > 0 ? 3 : 0;
}
