import { logicalNameOf } from "../../record/urn.js";
import { shellArgument, stackOption } from "../../wording/command.js";
import { printable, toPrintableJson } from "../printable.js";
import type { Answer, Answers } from "./answers.js";
import type { Question } from "./questions.js";
import type { Lock } from "./stack-lock.js";
import { describeLock } from "./stack-lock.js";
import type { Written } from "./write-state.js";

/** What a run of resolve found and did. */
export interface Report extends Partial<Written> {
  stack: string;
  /** Whether the stack is the selected one, which may not be the one that the person means. */
  isSelected: boolean;
  answers: Answers;
  /** What is left. */
  open: readonly Question[];
  /** Undefined if the stack is not locked. */
  lock?: Lock | undefined;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson({ stack, answers, open, lock, sendAgain = [], backup }: Report): string {
  const resolved = [...answers].map(([{ shown }, answer]) => ({
    urn: shown.urn,
    name: shown.name,
    ...(answer === "none" ? { none: true } : { found: answer.id }),
  }));
  const unresolved = open.map(({ shown }) => shown);
  const again = sendAgain.length > 0 ? { sendAgain: sendAgain.map(({ urn, id }) => ({ urn, id })) } : {};
  return `${toPrintableJson({ stack, locked: lock?.holders, resolved, unresolved, ...again, backup })}\n`;
}

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, isSelected, answers, open, lock, sendAgain = [], backup } = report;
  const lines = [...answers].map(([question, answer]) => `${titleOf(question)}: ${describeAnswer(answer)}`);
  for (const question of open) lines.push(`${titleOf(question)}: unresolved.\n${describeQuestion(question)}`);
  for (const { urn } of sendAgain)
    lines.push(
      `${printable(logicalNameOf(urn))}: a run was killed while it was changing it. The next pulumi up sends url, name and enabled again.`,
    );
  if (lock !== undefined)
    lines.push(
      `${printable(describeLock(stack, lock))} ${open.length > 0 ? "Its run may be creating these webhooks. " : ""}Wait until it has ended. If it was killed, run pulumi cancel${stackOption(stack)}.`,
    );
  else if (open.length > 0)
    lines.push("To resolve a webhook, add --found NAME=ID or --none NAME, or answer in a terminal.");
  const otherStack = isSelected && answers.size === 0 ? " For another stack, add --stack <name>." : "";
  if (open.length === 0) lines.push(`Nothing is unresolved in stack ${stack}.${otherStack}`);
  if (backup !== undefined)
    lines.push(
      `To undo this before the next pulumi up, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)} on this machine. Delete the file when everything works.`,
    );
  return `${lines.join("\n")}\n`;
}

function describeAnswer(answer: Answer): string {
  if (answer === "none") return "does not exist. The next pulumi up creates it, if the program declares it.";
  return answer.isNoted
    ? `webhook ${answer.id}, as the API replied on this machine. The next pulumi up sends url, name and enabled to it.`
    : `webhook ${answer.id}.`;
}

/** Names a webhook to a person. */
export function titleOf({ shown: { resource, name } }: Question): string {
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes why a person is asked about a webhook, and what to look for in the dashboard, in indented lines. */
export function describeQuestion({ shown }: Question): string {
  const { reason, sentAt, isSentEarlier, createdId, url, baseUrl, sameName = [] } = shown;
  const at = `${sentAt}${isSentEarlier ? " or earlier" : ""}`;
  const lines = [
    reason === "killed"
      ? `A run was killed during its create, which was sent at about ${at}.`
      : `Its create was sent at about ${at}, and got no clear reply.`,
    ...(createdId === undefined ? [] : [`The API replied with the id ${createdId}.`]),
    ...(url === undefined ? [] : [url]),
    ...(baseUrl === undefined ? [] : [`At the API ${baseUrl}`]),
  ];
  if (sameName.length > 0) {
    const others = sameName.map((other) => `${other.id} (${other.resource})`).join(", ");
    lines.push(`Not ${others}: the stack has ${sameName.length === 1 ? "it" : "them"} already.`);
  }
  return lines.map((line) => `  ${printable(line)}`).join("\n");
}
