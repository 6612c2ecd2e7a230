import type { Owner } from "../../record/past.js";
import { findOwner, toOwner } from "../../record/past.js";
import { listOwners } from "../../stack/providers.js";
import type { StackExport } from "../../stack/stack-export.js";
import { isWebhookType } from "../../stack/stack-export.js";
import { findManager } from "../../stack/unresolved.js";
import { shellArgument } from "../../wording/command.js";
import { CommandError } from "../command-error.js";
import type { Answer, Answers } from "./answers.js";
import { RefusedAnswerError } from "./answers.js";
import type { Found } from "./find-unresolved.js";
import type { Question } from "./questions.js";

interface AnswerContext extends Pick<Found, "exported" | "questions"> {
  /** The answers so far. */
  answers: Answers;
  /** Whether the person insists on the id. */
  accept: boolean;
}

/** @throws CommandError if an answer cannot be right. It sends nothing. */
export function checkAnswer(question: Question, answer: Answer, context: AnswerContext): void {
  const { notedId, provider } = question.create;
  if (answer === "none") {
    if (notedId === undefined || context.accept) return;
    throw new RefusedAnswerError(
      `The API replied with the id ${notedId} to the create of ${question.shown.resource}. If the dashboard does not show webhook ${notedId}, add --accept.`,
    );
  }
  if (notedId !== undefined && notedId !== answer.id)
    throw new RefusedAnswerError(
      `Webhook ${answer.id} is not that of ${question.shown.resource}: the API replied with the id ${notedId} to its create.`,
    );
  const owners = [...listOwners(context.exported, answer.id), ...listOthers(question, answer.id, context)];
  // Two accounts at one URL may number alike.
  const counted = context.accept ? owners.filter((owner) => owner.provider === provider) : owners;
  const owner = ownerAmong(counted, question);
  if (owner !== undefined)
    throw new RefusedAnswerError(
      `Webhook ${answer.id} belongs to ${owner} already.${owners.every((one) => one.provider !== provider) ? OTHER_ACCOUNT : ""}`,
    );
}

const OTHER_ACCOUNT =
  " If its Provider has another account, which has another webhook with this id, add --accept.";

/** Returns the URN of a record that has an id: also of the one that the create was to replace. */
export function ownerOf(question: Question, id: string, exported: StackExport): string | undefined {
  return ownerAmong(listOwners(exported, id), question);
}

function ownerAmong(owners: readonly Owner[], { create, baseUrl }: Question): string | undefined {
  const baseUrls = typeof baseUrl === "string" ? [baseUrl] : [];
  return findOwner(owners, { urn: undefined, provider: create.provider, baseUrls });
}

/** Lists the other creates that have an id: by an answer, or by the API's reply on this machine, unless the person insists. */
function listOthers(question: Question, id: string, { questions, answers, accept }: AnswerContext): Owner[] {
  const idOf = (other: Question) =>
    Object(answers.get(other)).id ?? (accept ? undefined : other.create.notedId);
  const same = questions.filter((other) => other !== question && idOf(other) === id);
  return same.map(({ create, baseUrl }) => toOwner(create, baseUrl));
}

/** @throws CommandError if pulumi stack import would refuse the state after these answers, or would drop what is in it. */
export function requireWritable({ exported, questions }: Found, answers: Answers, dropOthers = false): void {
  if (!dropOthers) requireNoOthers(exported);
  for (const question of questions) if (answers.get(question) !== "none") requireManager(question, exported);
}

/** @throws CommandError if the state lacks the Provider of a create: pulumi stack import would refuse its record. */
function requireManager({ create, shown }: Question, exported: StackExport): void {
  if (findManager(exported, create) !== undefined) return;
  throw new CommandError(
    `The state was not changed. It no longer contains the Provider of ${shown.urn}. Declare the webhook and its Provider again, and run pulumi up: it fails, but records the Provider. Then run this command again. If you have deleted the webhook in the dashboard, add --none ${shellArgument(shown.resource)} instead.`,
  );
}

/** @throws CommandError if pulumi stack import would drop operations on other resources that an engine was killed in. */
function requireNoOthers({ deployment }: StackExport): void {
  // Those of Providers change nothing outside the state.
  const others = (deployment?.pending_operations ?? []).flatMap(({ resource: { type, urn } }) =>
    isWebhookType(type) || type.startsWith("pulumi:providers:") ? [] : `\n  ${urn}`,
  );
  if (others.length === 0) return;
  throw new CommandError(
    `The state was not changed. A run was also killed during operations on other resources:${others.join("")}
pulumi stack import also removes these pending operations. Check what became of the resources, or write them down. To remove them, add --drop-others.`,
  );
}
