import { forgetNotes } from "../notes/noted-creates.js";
import { isUnresolved } from "../resolve/questions.js";
import type { ResolveFlags } from "./resolve-plan.js";
import { makePlan } from "./resolve-plan.js";
import { formatJson, formatText } from "./resolve-report.js";
import { writePlan } from "./resolve-write.js";
import { readSelectedStack, readState } from "./stack-state.js";

/** The help of `pulumi-webhooks resolve` below its options. */
export const RESOLVE_HELP = `
Resolves the webhooks whose create has an unknown outcome: it got no clear
reply, or a run was killed during it. Until then, pulumi up changes no webhook
of the stack. Look for each of them in the dashboard. The command asks for its
id there, or accepts it with --found and --none. In these, NAME is the name of
the webhook or of the resource, or the resource's URN. The command also corrects
or drops an id that was entered or imported, and that no pulumi up has confirmed
yet. If this machine has noted the id in the API's reply, and the stack has not
changed since, the command records it without asking.

With webhooks:drift set to probe, it probes each id that you enter, and refuses
an id that belongs to another webhook. To record it anyway, add --accept.
Otherwise it sends nothing to the API.

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
    unresolved: [{ urn, resource, name?, url?, baseUrl?, sentAt, createdId?,
                   sameName?, reason: "no reply" | "killed" }],
    unconfirmed: [{ urn, resource, name?, url?, baseUrl?, sentAt?, id,
                    sameName?, reason: "entered" | "imported" }],
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
export async function runResolve(given: ResolveFlags): Promise<number> {
  const { stack = await readSelectedStack(), json = false } = given;
  const flags = { ...given, stack };
  const before = await readState(stack);
  const plan = await makePlan(flags, before);
  const { answers, open, notes, isWriting } = plan;
  const written = isWriting ? await writePlan(plan, flags, before) : {};
  // A note helps with what is still open.
  const kept = notes.creates.filter(({ urn }) => open.some((question) => question.urn === urn));
  if (isWriting) forgetNotes(notes, kept);
  const report = { stack, isSelected: given.stack === undefined, answers, open, ...written };
  process.stdout.write(json ? formatJson(report) : formatText(report));
  return open.some(isUnresolved) ? 1 : 0;
}
