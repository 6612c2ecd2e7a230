import { mayTakeEffect, shownTime, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import { hasExplicitProviders } from "../../stack/providers.js";
import { isWebhookType, type StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { resolveAdvice, shellArgument, stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import { isAsked } from "./answers.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { type Dashboard, dashboardOf, findLookAlikes } from "./look-alikes.js";

/** What a run of resolve found and did. */
export interface Report extends Pick<UnresolvedOfStack, "stack" | "exported" | "creates" | "sendsAllAgain"> {
  /** The creates whose webhooks it has recorded, and those whose webhooks are not there. */
  recorded: readonly UnresolvedCreate[];
  notThere: readonly UnresolvedCreate[];
  /** The others. */
  open: readonly UnresolvedCreate[];
  /** The file with the state before, if it was written. */
  backup: string | undefined;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson(report: Report): string {
  const { stack, recorded, notThere, open, backup } = report;
  const settled = ({ urn, name = logicalNameOf(urn) }: UnresolvedCreate) => ({ urn, name });
  const resolved = [
    ...recorded.map((create) => ({ ...settled(create), found: create.made?.id })),
    ...notThere.map((create) => ({ ...settled(create), none: true })),
  ];
  const created = open.flatMap(({ urn, made }) =>
    made === undefined ? [] : { urn, resource: logicalNameOf(urn), id: made.id },
  );
  const unresolved = open.filter(isAsked).map((create) => show(create, report));
  const listed = { resolved, unresolved, ...(created.length > 0 && { created }) };
  return `${JSON.stringify({ stack, ...listed, backup }, null, 2)}\n`;
}

/** The stack of unresolved creates, as far as a person must know it. */
export type Stack = Pick<UnresolvedOfStack, "stack" | "exported" | "creates">;

function show(create: UnresolvedCreate, stack: Stack) {
  const { urn, name, url, sentAt, notedId, until } = create;
  const keep = findLookAlikes(create, stack);
  return {
    urn,
    resource: logicalNameOf(urn),
    name,
    url,
    ...dashboardOf(create),
    sentAt,
    createdId: notedId,
    noneFrom: until,
    ...(keep.length > 0 && { keep }),
  };
}

const LOOK =
  "Look in the dashboard for each webhook whose outcome is unknown, by its name, url and time. If it is there, delete it there.";

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, exported, recorded, notThere, open, sendsAllAgain, backup } = report;
  const isUnread = exported.deployment === undefined;
  const isOpen = open.length > 0;
  const lines = [
    isUnread &&
      isOpen &&
      `This machine has sent these creates, and the state could not be read, which may show what became of them. ${resolveAdvice(stack, " on this machine")} as soon as it can be read, before any pulumi up.`,
    ...recorded.map(
      (create) =>
        `${titleOf(create)}: webhook ${create.made?.id}, as the API replied on this machine. It must stay: the next pulumi up sends all its fields again.`,
    ),
    ...notThere.map(
      (create) => `${titleOf(create)}: does not exist. The state is the one from before its create.`,
    ),
    ...describeOpen(report),
    sendsAllAgain &&
      backup !== undefined &&
      "The state may lack what a run has changed, so the next pulumi up sends all fields of every webhook again.",
    (isOpen || backup !== undefined) && describeOthers(exported),
    open.some(isAsked) &&
      !isUnread &&
      [...lookFor(report), `${resolveAdvice(stack, " --none")} after that.`].join(" "),
    !isOpen &&
      !isUnread &&
      `Nothing is unresolved in stack ${stack}, as far as its state and this machine show.`,
    // The machine of a pipeline goes away.
    backup !== undefined &&
      !process.env.CI &&
      `To undo this before the next pulumi up, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)} on this machine. Delete the file when everything works.`,
  ];
  return lines.flatMap((line) => (line ? `${line}\n` : [])).join("");
}

/** Formats what is open, before a person is asked about it. */
export function formatQuestions(report: Pick<Report, "open"> & Stack): string {
  return [...describeOpen(report), ...lookFor(report)].map((line) => `${line}\n`).join("");
}

function describeOpen({ open, ...stack }: Pick<Report, "open"> & Stack): string[] {
  return open.map((create) => {
    const outcome = create.made === undefined ? "unresolved" : "created, and not recorded yet";
    return `${titleOf(create)}: ${outcome}.\n${describeCreate(create, stack)}`;
  });
}

/** Says what a person does about the webhooks of which nobody knows whether they exist. */
function lookFor({ open, ...stack }: Pick<Report, "open"> & Stack): string[] {
  return open.every((create) => isCreated(create, stack)) ? [] : [LOOK];
}

/**
 * Describes the operations on other resources that were interrupted. `pulumi stack import` keeps no pending operation: who reads this
 * knows what the state does not list any more.
 */
function describeOthers({ deployment }: StackExport): string | undefined {
  const operations = deployment?.pending_operations ?? [];
  const others = operations.filter(({ resource }) => !isWebhookType(resource.type));
  if (others.length === 0) return undefined;
  const list = others.map(({ type, resource }) => `\n  ${printable(`${type} ${resource.urn}`)}`).join("");
  return `Operations on other resources were interrupted, too. pulumi stack import, which writes outcomes, removes their entries from the state. Check what became of these resources:${list}`;
}

/** Names a webhook to a person. */
export function titleOf({ urn, name }: UnresolvedCreate): string {
  const resource = logicalNameOf(urn);
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Reports whether a create has certainly created its webhook: the API replied an id, which no other webhook of the stack has. */
const isCreated = (create: UnresolvedCreate, stack: Stack) =>
  create.notedId !== undefined && findLookAlikes(create, stack).length === 0;

/** Describes all that a person must know of a create to answer, in indented lines. */
export function describeCreate(create: UnresolvedCreate, stack: Stack): string {
  const { urn, until, notedId, name, url, made } = create;
  const { exported } = stack;
  const place = describeDashboard(dashboardOf(create), exported);
  const replied = `the API replied with the id ${notedId}`;
  const unknown = `its outcome is unknown${notedId === undefined ? "" : `: ${replied}, which another webhook has`}`;
  const lines = [
    `Its create was sent ${shownTime(create)}, and ${isCreated(create, stack) ? replied : unknown}.`,
    made !== undefined && `It must stay. ${resolveAdvice(stack.stack)} to record it.`,
    url,
    !isCreated(create, stack) &&
      (name === undefined || url === undefined) &&
      `A name or url that is not shown is the one that ${logicalNameOf(urn)} declares.`,
    place !== "" && made === undefined && `Look ${place}.`,
    ...findLookAlikes(create, stack).map(({ id, resource, ...dashboard }) => {
      const other = describeDashboard(dashboard, exported);
      return `Keep webhook ${id}${other === place ? "" : `, ${other}`}, which is that of ${resource}.`;
    }),
    ...(made === undefined && isCreated(create, stack) ? describeCreated(create, exported) : []),
    made === undefined &&
      mayTakeEffect(create) &&
      `It may still take effect. Look again after ${shownUntil(until)}: no answer is accepted before.`,
  ];
  return lines.flatMap((line) => (line ? `  ${printable(line)}` : [])).join("\n");
}

/** Describes what becomes of a webhook that exists and cannot be recorded. What a state shows that could not be read, nobody knows. */
function describeCreated({ notedId, hasRunEnded }: UnresolvedCreate, { deployment }: StackExport) {
  if (deployment === undefined) return [];
  // Services that keep the secrets save no first state.
  const isNew = deployment.manifest?.time === undefined;
  const restored = "an older state was restored";
  const causes = isNew ? `${restored}, or the stack was removed and created again` : `or ${restored}`;
  return [
    hasRunEnded && `Its run ended, but this state does not have the webhook: saving it failed, ${causes}.`,
    `To keep webhook ${notedId}, answer none, then import it. If you do not need it, delete it in the dashboard first.`,
  ];
}

/** Describes in which dashboard a webhook is, as far as there may be several. */
function describeDashboard({ provider, baseUrl }: Dashboard, exported: StackExport): string {
  const owner = provider === undefined ? "default Provider" : `Provider ${provider}`;
  const hasSeveral = provider !== undefined || hasExplicitProviders(exported);
  return [baseUrl && `at the API ${baseUrl}`, hasSeveral && `in the account of the ${owner}`]
    .filter(Boolean)
    .join(", ");
}
