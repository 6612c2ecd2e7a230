import type { Answers } from "./answers.js";
import { describeDropped, describeUnresolved, titleOf } from "./describe-unresolved.js";
import { toPrintableJson } from "./printable.js";
import type { DroppedOperation } from "./record-interrupted.js";
import type { Unresolved } from "./unresolved.js";

/** What a run of resolve found and did. */
export interface Report {
  stack: string;
  /** Whether the stack is the selected one, which may not be the one that the person means. */
  isSelected: boolean;
  answers: Answers;
  unresolved: readonly Unresolved[];
  /** Those whose id was entered earlier. */
  entered: readonly Unresolved[];
  /** What left the state besides. */
  dropped?: readonly DroppedOperation[];
  /** The file with the state before the answers. */
  backup?: string;
  /** Whether that holds everything after its import. */
  canGoBack: boolean;
}

/** Formats a report as the JSON that the help describes. */
export function formatJson({ stack, answers, unresolved, entered, dropped = [], backup }: Report): string {
  const resolved = [...answers].map(([{ urn, name }, answer]) => ({
    urn,
    name,
    ...(answer === "none" ? { none: true } : answer),
  }));
  const more = dropped.length > 0 ? { dropped } : {};
  return `${toPrintableJson({ stack, resolved, unresolved, entered, ...more, backup })}\n`;
}

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, isSelected, answers, unresolved, entered, dropped = [], backup, canGoBack } = report;
  const lines = [...answers].map(([webhook, answer]) =>
    answer === "none"
      ? `${titleOf(webhook)}: does not exist, as you answered. The next pulumi up creates it, if the program declares it.`
      : `${titleOf(webhook)}: webhook ${answer.found}, as ${answer.found === webhook.createdId ? "the API replied" : "you answered"}. The next pulumi up verifies the id with an update.`,
  );
  for (const webhook of [...unresolved, ...entered]) {
    const problem = webhook.reason === "entered" ? "not verified" : "unresolved";
    lines.push(`${titleOf(webhook)}: ${problem}.\n${describeUnresolved(webhook)}`);
  }
  lines.push(...dropped.map(describeDropped));
  if (unresolved.length + entered.length > 0)
    lines.push(
      "To resolve a webhook or to correct its id, add --found NAME=ID or --none NAME, or answer in a terminal.",
    );
  const otherStack = isSelected && answers.size === 0 ? " For another stack, add --stack <name>." : "";
  if (unresolved.length === 0) lines.push(`Nothing is unresolved in stack ${stack}.${otherStack}`);
  if (backup !== undefined) {
    const restore = `pulumi stack import --stack ${stack} --file ${backup}`;
    lines.push(
      canGoBack
        ? `To take this back before the next pulumi up, run ${restore}. Delete the file when everything works.`
        : `The previous state is saved in ${backup}. Its import would not restore the creates during which a run was killed. Delete the file when everything works.`,
    );
  }
  return `${lines.join("\n")}\n`;
}
