import type { Answer, Answers } from "../resolve/answers.js";
import type { Asked, Question } from "../resolve/questions.js";
import { isUnresolved } from "../resolve/questions.js";
import { stackOption } from "../settings/setting-guide.js";
import { shellArgument } from "../shell-argument.js";
import type { ExportedResource } from "../stack/stack-export.js";
import { logicalNameOf } from "../stack/stack-export.js";
import { printable, toPrintableJson } from "./printable.js";

/** What a run of resolve found and did. */
export interface Report {
  stack: string;
  /** Whether the stack is the selected one, which may not be the one that the person means. */
  isSelected: boolean;
  answers: Answers;
  /** What is left. */
  open: readonly Question[];
  /** The webhooks of which the next up sends all fields, since an update or a delete of them was cut off. */
  sendAgain?: readonly ExportedResource[];
  /** The file with the state before the answers. */
  backup?: string;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson({ stack, answers, open, sendAgain = [], backup }: Report): string {
  const resolved = [...answers].map(([{ question }, answer]) => ({
    urn: question.urn,
    name: question.name,
    ...(answer === "none" ? { none: true } : { found: answer.found }),
  }));
  const unresolved = open.filter(isUnresolved);
  const unconfirmed = open.filter((question) => !isUnresolved(question));
  const again = sendAgain.length > 0 ? { sendAgain: sendAgain.map(({ urn, id }) => ({ urn, id })) } : {};
  return `${toPrintableJson({ stack, resolved, unresolved, unconfirmed, ...again, backup })}\n`;
}

/** Formats a report for a person. */
export function formatText({ stack, isSelected, answers, open, sendAgain = [], backup }: Report): string {
  const lines = [...answers].map(
    ([asked, answer]) => `${titleOf(asked.question)}: ${describeAnswer(asked, answer)}`,
  );
  for (const question of open) {
    const problem = isUnresolved(question) ? "unresolved" : "not confirmed";
    lines.push(`${titleOf(question)}: ${problem}.\n${describeQuestion(question)}`);
  }
  lines.push(
    ...sendAgain.map(
      ({ urn }) =>
        `${printable(logicalNameOf(urn))}: a run was killed while it was changing it. The next pulumi up sends url, name and enabled again.`,
    ),
  );
  if (open.length > 0)
    lines.push(
      "To resolve a webhook or to correct its id, add --found NAME=ID or --none NAME, or answer in a terminal.",
    );
  const otherStack = isSelected && answers.size === 0 ? " For another stack, add --stack <name>." : "";
  if (open.length === 0) lines.push(`Nothing is unresolved in stack ${stack}.${otherStack}`);
  if (backup !== undefined)
    lines.push(
      `To undo this before the next pulumi up, run pulumi stack import${stackOption(stack)} --file ${shellArgument(backup)}. Delete the file when everything works.`,
    );
  return `${lines.join("\n")}\n`;
}

function describeAnswer({ create }: Asked, answer: Answer): string {
  if (answer === "none") return "does not exist. The next pulumi up creates it, if the program declares it.";
  const isOnlyNoted = (create?.record ?? create?.pending) === undefined;
  const replaces = isOnlyNoted ? "replaces it if it has a secret, and otherwise " : "";
  return `webhook ${answer.found}. The next pulumi up ${answer.isCertain ? `${replaces}sends url, name and enabled to it` : "confirms the id with an update"}.`;
}

/** Names a webhook to a person. */
export function titleOf({ resource, name }: Question): string {
  return printable(name === undefined || name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes why a person is asked about a webhook, and what to look for in the dashboard, in indented lines. */
export function describeQuestion(question: Question): string {
  const { reason, sentAt, id, createdId, url, baseUrl, sameName = [] } = question;
  const reasons = {
    "no reply": `Its create was sent at about ${sentAt}, and got no clear reply.`,
    killed: `A run was killed during its create, which was sent at about ${sentAt} or earlier.`,
    entered: `Its id ${id} was entered. No pulumi up has confirmed it yet.`,
    imported: `It was imported with the id ${id}. No pulumi up has confirmed it yet.`,
  };
  const lines = [
    reasons[reason],
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
