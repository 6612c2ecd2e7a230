import { CommandError } from "../command-error.js";
import { shellArgument } from "../shell-argument.js";
import { findOwner } from "../stack/owner.js";
import type { StackExport } from "../stack/stack-export.js";
import { isWebhookType, listOwners } from "../stack/stack-export.js";
import { findManager } from "../stack/unresolved.js";
import type { Answer, Answers } from "./answers.js";
import type { Question } from "./questions.js";

/** @throws CommandError if an answer cannot be right, or cannot be recorded. It sends nothing. */
export function checkAnswer(
  question: Question,
  answer: Answer,
  { exported, answers }: { exported: StackExport; answers: Answers },
): void {
  if (answer === "none") return;
  const { notedId } = question.create;
  if (notedId !== undefined && notedId !== answer.id)
    throw new CommandError(
      `The state was not changed. Webhook ${answer.id} is not that of ${question.shown.resource}: the API replied with the id ${notedId} to its create.`,
    );
  const owner = ownerOf(question, answer.id, exported) ?? twinOf(question, answer.id, answers);
  if (owner !== undefined)
    throw new CommandError(`The state was not changed. Webhook ${answer.id} belongs to ${owner} already.`);
  requireManager(question, exported);
}

/** Returns the URN of a record that has an id: also of the one that the create was to replace. */
export function ownerOf(
  { create, baseUrl }: Question,
  id: string,
  exported: StackExport,
): string | undefined {
  const baseUrls = typeof baseUrl === "string" ? [baseUrl] : [];
  return findOwner(listOwners(exported, id), { urn: undefined, provider: create.provider, baseUrls });
}

/** Returns the URN of another question with the same answer. */
function twinOf(question: Question, id: string, answers: Answers): string | undefined {
  const same = [...answers].filter(([other, answer]) => other !== question && Object(answer).id === id);
  const owners = same.map(([{ create, baseUrl }]) => ({
    urn: create.urn,
    ...(typeof baseUrl === "string" && { baseUrl }),
    ...(create.provider !== undefined && { provider: create.provider }),
  }));
  const { create, baseUrl } = question;
  const baseUrls = typeof baseUrl === "string" ? [baseUrl] : [];
  return findOwner(owners, { urn: create.urn, provider: create.provider, baseUrls });
}

/** @throws CommandError if the state lacks the Provider of a create: pulumi stack import would refuse its record. */
export function requireManager({ create, shown }: Question, exported: StackExport): void {
  if (findManager(exported, create) !== undefined) return;
  throw new CommandError(
    `The state was not changed. The Provider of ${shown.urn} has left it. Declare the webhook and its Provider again, and run pulumi up: it fails, but records the Provider. Then run this command again. If you have deleted the webhook in the dashboard, add --none ${shellArgument(shown.resource)} instead.`,
  );
}

/** @throws CommandError if pulumi stack import would drop operations on other resources that an engine was killed in. */
export function requireNoOthers({ deployment }: StackExport): void {
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
