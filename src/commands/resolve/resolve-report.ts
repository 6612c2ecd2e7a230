import { mayTakeEffect, shownTime, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import { hasExplicitProviders } from "../../stack/providers.js";
import { isWebhookType, type StackExport } from "../../stack/stack-export.js";
import { describeStray, type UnresolvedCreate } from "../../stack/unresolved.js";
import { resolveAdvice, shellArgument, stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { type Dashboard, dashboardOf, findLookAlikes } from "./look-alikes.js";
import { describeLock } from "./stack-lock.js";

/** What a run of resolve found and did. */
export interface Report
  extends Pick<UnresolvedOfStack, "stack" | "exported" | "creates" | "strays" | "lock" | "wasKilled"> {
  /** The creates that it has settled in the state: their webhooks are known, or not there. */
  settled: readonly UnresolvedCreate[];
  /** The others. */
  open: readonly UnresolvedCreate[];
  /** The file with the state before, if it was written. */
  backup: string | undefined;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson(report: Report): string {
  const { stack, settled, open, strays, lock, backup } = report;
  const resolved = settled.map(({ urn, name = logicalNameOf(urn), made }) => ({
    urn,
    name,
    ...(made === undefined ? { none: true } : { found: made.id }),
  }));
  const created = open.flatMap(({ urn, made }) =>
    made === undefined ? [] : { urn, resource: logicalNameOf(urn), id: made.id },
  );
  const unresolved = open.filter(({ made }) => made === undefined).map((create) => show(create, report));
  const stray = strays.map(({ urn, reply }) => ({ urn, id: reply?.id }));
  const listed = { ...(created.length > 0 && { created }), ...(stray.length > 0 && { notInState: stray }) };
  return `${JSON.stringify({ stack, locked: lock, resolved, unresolved, ...listed, backup }, null, 2)}\n`;
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

/** What a person does about unresolved webhooks. */
export const LOOK =
  "Look for each webhook in the dashboard, by its name, url and time. If it is there, delete it there.";

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, exported, settled, open, strays, lock, wasKilled, backup } = report;
  const isUnread = exported.deployment === undefined;
  const isOpen = open.length > 0;
  const meaning = isOpen ? " Its run may be creating these webhooks." : "";
  const lines = [
    isUnread &&
      isOpen &&
      `This machine has sent these creates, and the state could not be read, which may show what became of them. ${resolveAdvice(stack, " on this machine")} as soon as it can be read, before any pulumi up.`,
    lock !== undefined && printable(describeLock(stack, lock, meaning)),
    ...settled.map((create) => `${titleOf(create)}: ${describeSettled(create, stack)}`),
    ...open.map((create) => {
      const outcome = create.made === undefined ? "unresolved" : "created, and not recorded yet";
      return `${titleOf(create)}: ${outcome}.\n${describeCreate(create, report)}`;
    }),
    ...strays.map((stray) => printable(describeStray(exported, stray))),
    wasKilled &&
      backup !== undefined &&
      "A run ended before its results were saved. It may have been changing webhooks, so the next pulumi up sends url, name and enabled of every webhook again.",
    (isOpen || backup !== undefined) && describeOthers(exported),
    isOpen && lock === undefined && !isUnread && `${LOOK} ${resolveAdvice(stack, " --none")} after that.`,
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

function describeSettled({ urn, resource, made }: UnresolvedCreate, stack: string): string {
  if (made === undefined) return "does not exist. The state is the one from before its create.";
  const known = `webhook ${made.id}, as the API replied on this machine. It must stay: the next pulumi up sends it url, name and enabled.`;
  return resource.inputs?.secret === undefined
    ? `${known} If the API made a secret for it, that is lost: for another one, run pulumi up${stackOption(stack)} --replace ${shellArgument(urn)} after that.`
    : known;
}

/** Names a webhook to a person. */
export function titleOf({ urn, name }: UnresolvedCreate): string {
  const resource = logicalNameOf(urn);
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes all that a person knows of a create when he looks in the dashboard, in indented lines. */
export function describeCreate(create: UnresolvedCreate, stack: Stack): string {
  const { urn, until, notedId, name, url, made } = create;
  const { exported } = stack;
  const place = describeDashboard(dashboardOf(create), exported);
  const lines = [
    `Its create was sent ${shownTime(create)}, and ${notedId === undefined ? "its outcome is unknown" : `the API replied with the id ${notedId}`}.`,
    made !== undefined && `It must stay. ${resolveAdvice(stack.stack)} to record it.`,
    url,
    (name === undefined || url === undefined) &&
      `A name or url that is not shown is the one that ${logicalNameOf(urn)} declares.`,
    place !== "" && `Look ${place}.`,
    ...findLookAlikes(create, stack).map(({ id, resource, ...dashboard }) => {
      const other = describeDashboard(dashboard, exported);
      return `Keep webhook ${id}${other === place ? "" : `, ${other}`}, which is that of ${resource}.`;
    }),
    made === undefined &&
      mayTakeEffect(create) &&
      `It may still take effect. Look again after ${shownUntil(until)}: no answer is accepted before.`,
  ];
  return lines.flatMap((line) => (line ? `  ${printable(line)}` : [])).join("\n");
}

/** Describes in which dashboard a webhook is, as far as there may be several. */
function describeDashboard({ provider, baseUrl }: Dashboard, exported: StackExport): string {
  const owner = provider === undefined ? "default Provider" : `Provider ${provider}`;
  const hasSeveral = provider !== undefined || hasExplicitProviders(exported);
  return [baseUrl && `at the API ${baseUrl}`, hasSeveral && `in the account of the ${owner}`]
    .filter(Boolean)
    .join(", ");
}
