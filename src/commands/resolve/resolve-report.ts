import { mayTakeEffect, shownTime, shownUntil } from "../../record/in-doubt-id.js";
import { logicalNameOf } from "../../record/urn.js";
import { hasExplicitProviders } from "../../stack/providers.js";
import { isWebhookType, type StackExport } from "../../stack/stack-export.js";
import type { UnresolvedCreate } from "../../stack/unresolved.js";
import { resolveAdvice, shellArgument, stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import { isAsked } from "./answers.js";
import type { ListedCreate, UnresolvedOfStack } from "./find-unresolved.js";
import { type Dashboard, dashboardOf } from "./look-alikes.js";

/** What a run of resolve found and did. */
export interface Report extends Pick<UnresolvedOfStack, "stack" | "exported" | "creates" | "sendsAllAgain"> {
  /** The creates whose webhooks it has recorded, those whose webhooks are not there, and the others. Default: it has done nothing. */
  recorded?: readonly UnresolvedCreate[];
  notThere?: readonly UnresolvedCreate[];
  open?: readonly ListedCreate[];
  /** The file with the state before, if it was written. */
  backup?: string;
  isAsking?: boolean;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson({ stack, creates, backup, ...done }: Report): string {
  const { recorded = [], notThere = [], open = creates } = done;
  const settled = ({ urn, name = logicalNameOf(urn) }: UnresolvedCreate) => ({ urn, name });
  const resolved = [
    ...recorded.map((create) => ({ ...settled(create), found: create.made?.id })),
    ...notThere.map((create) => ({ ...settled(create), none: true })),
  ];
  const created = open.flatMap(({ urn, made }) =>
    made === undefined ? [] : { urn, resource: logicalNameOf(urn), id: made.id },
  );
  const unresolved = open.filter(isAsked).map((create) => {
    const { urn, name, url, sentAt, notedId: createdId, until: noneFrom, keep } = create;
    const shown = { urn, resource: logicalNameOf(urn), name, url, ...dashboardOf(create), sentAt };
    return { ...shown, createdId, noneFrom, ...(keep.length > 0 && { keep }) };
  });
  const listed = { resolved, unresolved, ...(created.length > 0 && { created }) };
  return `${JSON.stringify({ stack, ...listed, backup }, null, 2)}\n`;
}

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, exported, creates, sendsAllAgain, backup, isAsking, ...done } = report;
  const { recorded = [], notThere = [], open = creates } = done;
  const isUnread = exported.deployment === undefined;
  const isOpen = open.length > 0;
  const after = isAsking ? [] : [`${resolveAdvice(stack, " --none")} after that.`];
  const lines = [
    isAsking && `Stack ${stack}:`,
    isUnread &&
      isOpen &&
      `This machine has sent these creates, and the state could not be read, which may show what became of them. ${resolveAdvice(stack, " on this machine")} as soon as it can be read, before any pulumi up.`,
    ...recorded.map(
      (create) =>
        `${titleOf(create)}: webhook ${create.made?.id}, as the API replied on this machine. It must stay: the next pulumi up sends all its fields again.`,
    ),
    ...notThere.map(
      (create) => `${titleOf(create)}: answered none. The state is the one from before its create.`,
    ),
    ...open.map((create) => describeCreate(create, report)),
    sendsAllAgain &&
      backup !== undefined &&
      "The state may lack what a run has changed, so the next pulumi up sends all fields of every webhook again.",
    (isOpen || backup !== undefined) && describeOthers(exported),
    open.some(isAsked) && !isUnread && [...lookFor(open), ...after].join(" "),
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

/** Says what a person does about the webhooks of which nobody knows whether they exist. */
const lookFor = (creates: readonly ListedCreate[]) => (creates.every(isCreated) ? [] : [LOOK]);

const LOOK =
  "Look in the dashboard for each webhook whose outcome is unknown, by its name, url and time. If it is there, delete it there.";

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
function titleOf({ urn, name }: UnresolvedCreate): string {
  const resource = logicalNameOf(urn);
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Reports whether a create has certainly created its webhook: the API replied an id, which no other webhook of the stack has. */
const isCreated = ({ notedId, keep }: ListedCreate) => notedId !== undefined && keep.length === 0;

/** Describes all that a person must know of a create to answer. What a state shows that could not be read, nobody knows. */
function describeCreate(create: ListedCreate, { stack, exported }: Pick<Report, "stack" | "exported">) {
  const { urn, until, shownBy, note, notedId, name, url, made, keep } = create;
  const place = describeDashboard(dashboardOf(create), exported);
  const replied = `the API replied with the id ${notedId}`;
  const unknown = `its outcome is unknown${notedId === undefined ? "" : `: ${replied}, which another webhook has`}`;
  const isLost = made === undefined && isCreated(create) && exported.deployment !== undefined;
  const lines = [
    `Its create was sent ${shownTime(create)}, and ${isCreated(create) ? replied : unknown}.`,
    made !== undefined && `It must stay. ${resolveAdvice(stack)} to record it.`,
    url,
    !isCreated(create) &&
      (name === undefined || url === undefined) &&
      `A name or url that is not shown is the one that ${logicalNameOf(urn)} declares. Keep each webhook whose id pulumi stack${stackOption(stack)} --show-ids lists.`,
    place !== "" && made === undefined && `Look ${place}.`,
    ...keep.map(({ id, resource, ...dashboard }) => {
      const other = describeDashboard(dashboard, exported);
      return `Keep webhook ${id}${other === place ? "" : `, ${other}`}, which is that of ${resource}.`;
    }),
    isLost &&
      shownBy === "note" &&
      note?.writer === "ended" &&
      "Its run ended, but this state does not have the webhook: saving it failed, an older state was restored, or the stack was removed and created again.",
    isLost &&
      `To keep webhook ${notedId}, answer none, then import it. If the state has another webhook for this resource, first run pulumi state delete ${shellArgument(urn)}${stackOption(stack)}. If you do not need webhook ${notedId}, delete it in the dashboard first.`,
    made === undefined &&
      mayTakeEffect(create) &&
      `It may still take effect. Look again after ${shownUntil(until)}: no answer is accepted before.`,
  ];
  const title = `${titleOf(create)}: ${made === undefined ? "unresolved" : "created, and not recorded yet"}.`;
  return [title, ...lines.flatMap((line) => (line ? `  ${printable(line)}` : []))].join("\n");
}

/** Describes in which dashboard a webhook is, as far as there may be several. */
function describeDashboard({ provider, baseUrl }: Dashboard, exported: StackExport): string {
  const owner = provider === undefined ? "default Provider" : `Provider ${provider}`;
  const hasSeveral = provider !== undefined || hasExplicitProviders(exported);
  const parts = [baseUrl && `at the API ${baseUrl}`, hasSeveral && `in the account of the ${owner}`];
  return parts.filter(Boolean).join(", ");
}
