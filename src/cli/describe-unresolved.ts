import { printable } from "./printable.js";
import type { DroppedOperation } from "./record-interrupted.js";
import type { SoughtWebhook, Unresolved } from "./unresolved.js";

/** Names a webhook to a person. */
export function titleOf({ resource, name }: SoughtWebhook): string {
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes why a webhook is unresolved, and what to look for in the dashboard, in indented lines. */
export function describeUnresolved(webhook: Unresolved): string {
  const { reason, sentAt, id, createdId } = webhook;
  const reasons = {
    "no reply": `Its create was sent at about ${sentAt}, and got no clear reply.`,
    killed: `A run was killed during its create, which was sent at about ${sentAt} or earlier.`,
    entered: `You entered the id ${id}. No pulumi up has verified it yet.`,
  };
  const created = createdId === undefined ? [] : [`The API replied with the id ${createdId}.`];
  return indent([reasons[reason], ...created, ...identify(webhook)]);
}

/** Describes an operation whose entry has left the state, and what to do about it. */
export function describeDropped(dropped: DroppedOperation): string {
  const { operation, id, name } = dropped;
  if (operation !== "create")
    return `${titleOf(dropped)}: a run was killed during its ${operation}. The next pulumi up sends url, name and enabled again, if the program declares it.`;
  const second = name === undefined ? "a second one" : `a second one named ${printable(name)}`;
  const advice = `Its entry was removed. The state has webhook ${id} for it. If the dashboard shows ${second}, delete it there.`;
  return `${titleOf(dropped)}: a run was killed during an earlier create of it.\n${indent([advice, ...identify(dropped)])}`;
}

/** Says what the webhook has in the dashboard, and which of the same name it is not. */
function identify({ url, sameName = [] }: SoughtWebhook): string[] {
  const lines = url === undefined ? [] : [url];
  if (sameName.length === 0) return lines;
  const others = sameName.map(({ id, resource }) => `${id} (${resource})`).join(", ");
  return [...lines, `Not ${others}: the stack has ${sameName.length === 1 ? "it" : "them"} already.`];
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${printable(line)}`).join("\n");
}
