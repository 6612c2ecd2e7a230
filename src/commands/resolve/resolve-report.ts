import type { NotedCreate } from "../../notes/read-notes.js";
import { logicalNameOf } from "../../record/urn.js";

import type { ExportedResource, StackExport } from "../../stack/stack-export.js";
import { describeStray, type UnresolvedCreate } from "../../stack/unresolved.js";
import { answerPlace, RESOLVE, shellArgument, stackOption } from "../../wording/command.js";
import { printable, toPrintableJson } from "../printable.js";
import { type CreateOutcome, type CreateOutcomes, isTooEarly } from "./answers.js";
import { describeLock, type Lock } from "./stack-lock.js";
import { describeOthers, type Written } from "./write-state.js";

/** What a run of resolve found and did. */
export interface Report extends Partial<Written> {
  stack: string;
  exported: StackExport;
  outcomes: CreateOutcomes;
  /** The known webhooks whose entries have left the state. */
  gone: readonly ExportedResource[];
  /** What is left. */
  open: readonly UnresolvedCreate[];
  /** The noted creates whose webhooks are not in the state. */
  strays: readonly NotedCreate[];
  /** Undefined if the stack is not locked. */
  lock?: Lock | undefined;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson(report: Report): string {
  const { stack, outcomes, gone, open, strays, lock, sentAgain = [], backup } = report;
  const resolved = [
    ...[...outcomes].map(([{ urn, name }, outcome]) => ({
      urn,
      name,
      ...(outcome === "none" ? { none: true } : { found: outcome.id }),
    })),
    ...gone.map(({ urn, id }) => ({ urn, id, none: true })),
  ];
  const unresolved = open.map(show);
  const stray = strays.map(({ urn, reply }) => ({ urn, id: reply?.id }));
  return `${toPrintableJson({
    stack,
    locked: lock?.holders,
    resolved,
    unresolved,
    ...(stray.length > 0 && { notInState: stray }),
    ...(sentAgain.length > 0 && { sentAgain: sentAgain.map(({ urn, id }) => ({ urn, id })) }),
    backup,
  })}\n`;
}

function show(create: UnresolvedCreate) {
  const { urn, name, url, baseUrl, sentAt, isSentEarlier, notedId, lookAlikes } = create;
  return {
    urn,
    resource: logicalNameOf(urn),
    reason: isKilled(create) ? "killed" : "no reply",
    name,
    url,
    baseUrl,
    sentAt,
    isSentEarlier,
    createdId: notedId,
    ...(lookAlikes.length > 0 && { lookAlikes }),
    noneFrom: create.until,
  };
}

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, exported, outcomes, gone, open, strays, lock, sentAgain = [], backup } = report;
  const lines = [
    ...[...outcomes].map(([create, outcome]) => `${titleOf(create)}: ${describeOutcome(outcome)}`),
    ...gone.map(({ urn, id }) => `${printable(logicalNameOf(urn))}: webhook ${id} has left the state.`),
    ...open.map((create) => `${titleOf(create)}: unresolved.\n${describeCreate(create)}`),
    ...strays.map((stray) => printable(describeStray(stray))),
  ];
  if (sentAgain.length > 0)
    lines.push(
      "A run was killed. It may have been changing webhooks, so the next pulumi up sends url, name and enabled of every webhook again.",
    );
  const others = open.length > 0 || backup !== undefined ? describeOthers(exported) : undefined;
  if (others !== undefined) lines.push(others);
  if (lock !== undefined)
    lines.push(
      `${printable(describeLock(stack, lock))} ${open.length > 0 ? "Its run may be creating these webhooks. " : ""}Wait until it has ended. If it was killed, run pulumi cancel${stackOption(stack)}.`,
    );
  else if (open.length > 0) lines.push(describeAnswer(stack));
  if (open.length === 0)
    lines.push(`Nothing is unresolved in stack ${stack}, as far as its state and this machine show.`);
  // The machine of a pipeline goes away.
  if (backup !== undefined && !process.env.CI)
    lines.push(
      `To undo this before the next pulumi up, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)} on this machine. Delete the file when everything works.`,
    );
  return `${lines.join("\n")}\n`;
}

function describeAnswer(stack: string): string {
  const place = answerPlace();
  const answer =
    place === undefined ? `run ${RESOLVE}${stackOption(stack)} --none` : `start ${place}, and answer none`;
  return `Look for each webhook in the dashboard. If it is there, delete it there. Then ${answer}.`;
}

function describeOutcome(outcome: CreateOutcome): string {
  if (outcome === "none") return "does not exist. The state is the one from before its create.";
  return `webhook ${outcome.id}, as the API replied on this machine. The next pulumi up sends url, name and enabled to it.`;
}

const isKilled = ({ shownBy, isSentEarlier }: UnresolvedCreate) => shownBy !== "record" || isSentEarlier;

/** Names a webhook to a person. */
export function titleOf({ urn, name }: UnresolvedCreate): string {
  const resource = logicalNameOf(urn);
  return printable(name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes why a person is asked about a webhook, and what to look for in the dashboard, in indented lines. */
export function describeCreate(create: UnresolvedCreate): string {
  const { urn, sentAt, isSentEarlier, notedId, isNameSecret, url, baseUrl, lookAlikes } = create;
  const secrets = [...(isNameSecret ? ["name"] : []), ...(url === undefined ? ["url"] : [])];
  const at = `${sentAt}${isSentEarlier ? " or earlier" : ""}`;
  const lines = [
    isKilled(create)
      ? `A run was killed during its create, which was sent at about ${at}.`
      : `Its create was sent at about ${at}, and got no clear reply.`,
    ...(notedId === undefined ? [] : [`The API replied with the id ${notedId}.`]),
    ...(secrets.length > 0
      ? [
          `Not shown here, as a Pulumi secret: the ${secrets.join(" and the ")} that ${logicalNameOf(urn)} declares.`,
        ]
      : []),
    ...(url === undefined ? [] : [url]),
    ...(baseUrl === undefined ? [] : [`At the API ${baseUrl}`]),
    ...lookAlikes.map(({ id, resource }) => `Keep webhook ${id}, which is that of ${resource}.`),
    ...(isTooEarly(create)
      ? [`It may still take effect: look again after ${create.until}. Until then, none is refused.`]
      : []),
  ];
  return lines.map((line) => `  ${printable(line)}`).join("\n");
}
