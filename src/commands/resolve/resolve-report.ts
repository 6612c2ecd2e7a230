import { logicalNameOf } from "../../record/urn.js";
import { describeStray, type UnresolvedCreate } from "../../stack/unresolved.js";
import { answerPlace, RESOLVE, shellArgument, stackOption } from "../../wording/command.js";
import { printable } from "../../wording/unprintable.js";
import { type CreateOutcome, type CreateOutcomes, isTooEarly } from "./answers.js";
import type { UnresolvedOfStack } from "./find-unresolved.js";
import { type Account, accountOf, findLookAlikes, hasProviders, shownNameOf } from "./look-alikes.js";
import { describeLock } from "./stack-lock.js";
import { describeOthers, type Written } from "./write-state.js";

/** What a run of resolve found and did. */
export interface Report
  extends Partial<Written>,
    Pick<UnresolvedOfStack, "stack" | "exported" | "creates" | "strays" | "lock"> {
  outcomes: CreateOutcomes;
  /** The creates that a person has named as not there. */
  answered: readonly UnresolvedCreate[];
  /** The creates that stay unresolved. */
  open: readonly UnresolvedCreate[];
}

/** Formats a report as the JSON that the help describes. */
export function formatJson(report: Report): string {
  const { stack, outcomes, open, strays, lock, sentAgain = [], backup } = report;
  const resolved = [...outcomes].map(([{ urn, name }, outcome]) => ({
    urn,
    name,
    ...(outcome === "none" ? { none: true } : { found: outcome.id }),
  }));
  const unresolved = open.map((create) => show(create, report));
  const stray = strays.map(({ urn, reply }) => ({ urn, id: reply?.id }));
  return `${JSON.stringify(
    {
      stack,
      locked: lock?.holders,
      resolved,
      unresolved,
      ...(stray.length > 0 && { notInState: stray }),
      ...(sentAgain.length > 0 && { sentAgain: sentAgain.map(({ urn, id }) => ({ urn, id })) }),
      backup,
    },
    null,
    2,
  )}\n`;
}

type Stack = Pick<UnresolvedOfStack, "exported" | "creates">;

function show(create: UnresolvedCreate, stack: Stack) {
  const { urn, url, sentAt, isSentEarlier, notedId } = create;
  const keep = findLookAlikes(create, stack);
  return {
    urn,
    resource: logicalNameOf(urn),
    name: shownNameOf(create),
    url,
    ...accountOf(stack.exported, create),
    sentAt,
    isSentEarlier,
    createdId: notedId,
    noneFrom: create.until,
    ...(keep.length > 0 && { keep }),
  };
}

/** What a person does about unresolved webhooks. */
export const LOOK =
  "Look for each webhook in the dashboard, by its name, url and time. If it is there, delete it there.";

/** Formats a report for a person. */
export function formatText(report: Report): string {
  const { stack, exported, answered, outcomes, open, strays, lock, sentAgain = [], backup } = report;
  const lines = [
    ...[...outcomes].map(([create, outcome]) => {
      const isOverruled = outcome !== "none" && answered.includes(create);
      const overruled = isOverruled ? " So your answer none was not used: this webhook must stay." : "";
      return `${titleOf(create)}: ${describeOutcome(outcome)}${overruled}`;
    }),
    ...open.map((create) => `${titleOf(create)}: unresolved.\n${describeCreate(create, report)}`),
    ...strays.map((stray) => printable(describeStray(exported, stray))),
  ];
  if (sentAgain.length > 0)
    lines.push(
      "A run was killed. It may have been changing webhooks, so the next pulumi up sends url, name and enabled of every webhook again.",
    );
  const others = open.length > 0 || backup !== undefined ? describeOthers(exported) : undefined;
  if (others !== undefined) lines.push(others);
  const meaning = open.length > 0 ? " Its run may be creating these webhooks." : "";
  if (lock !== undefined) lines.push(printable(describeLock(stack, lock, meaning)));
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
  return `${LOOK} Then ${answer}.`;
}

function describeOutcome(outcome: CreateOutcome): string {
  if (outcome === "none") return "does not exist. The state is the one from before its create.";
  return `webhook ${outcome.id}, as the API replied on this machine. The next pulumi up sends url, name and enabled to it.`;
}

/** Names a webhook to a person. */
export function titleOf({ urn, name }: UnresolvedCreate): string {
  const resource = logicalNameOf(urn);
  return printable(name === resource ? resource : `${resource} (webhook ${name})`);
}

/** Describes all that a person knows of a create when he looks in the dashboard, in indented lines. */
export function describeCreate(create: UnresolvedCreate, stack: Stack): string {
  const { urn, sentAt, isSentEarlier, until, notedId, isNameSecret, url } = create;
  const account = accountOf(stack.exported, create);
  const alike = findLookAlikes(create, stack);
  const secrets = [...(isNameSecret ? ["name"] : []), ...(url === undefined ? ["url"] : [])];
  const lines = [
    `Its create was sent at about ${sentAt}${isSentEarlier ? " or earlier" : ""}, and its outcome is unknown.`,
    ...(notedId === undefined ? [] : [`The API replied with the id ${notedId}.`]),
    ...(url === undefined ? [] : [url]),
    ...(secrets.length > 0
      ? [
          `Not shown, as a Pulumi secret: the ${secrets.join(" and the ")} that ${logicalNameOf(urn)} declares.`,
        ]
      : []),
    ...describeAccount(account, stack).map((place) => `Look ${place}.`),
    ...alike.map(({ id, resource, ...other }) => {
      const isSame =
        other.provider === account.provider && other.baseUrl === (account.baseUrl ?? other.baseUrl);
      const place = isSame ? [] : describeAccount(other, stack);
      return `Keep webhook ${[id, ...place].join(", ")}, which is that of ${resource}.`;
    }),
    ...(isTooEarly(create)
      ? [`It may still take effect: look again after ${until}. The answer none is refused until then.`]
      : []),
  ];
  return lines.map((line) => `  ${printable(line)}`).join("\n");
}

/** Describes in which dashboard a webhook is, as far as there are several. */
function describeAccount({ provider, baseUrl }: Account, stack: Stack): string[] {
  const name = provider === undefined ? "the default Provider" : `the Provider ${provider}`;
  const words = [
    ...(baseUrl === undefined ? [] : [`at the API ${baseUrl}`]),
    ...(hasProviders(stack) ? [`in the account of ${name}`] : []),
  ];
  return words.length === 0 ? [] : [words.join(", ")];
}
