import { findWebhook, parseJson } from "../../client/api.js";
import { advise } from "../../client/api-error.js";
import type { Check, Evaluation } from "../check.js";
import type { WebhookOutcome } from "../outcome.js";
import { gradeFailure, webhookIn } from "../outcome.js";

/** What the API docs leave open about a create: the body of the 201 is "not shown". */
export const createChecks: readonly Check[] = [
  {
    key: "create",
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, run) => {
      if (create.value !== undefined) return { meaning: "Webhooks can be created.", level: "good" };
      if (isAccepted(create)) {
        return { meaning: "It is unknown whether a webhook was created.", level: "open" };
      }
      return { meaning: advise(create.result, run), level: gradeFailure(create) };
    },
  },
  {
    key: "id",
    request: "create",
    question: "Where is the id in the reply to a create?",
    evaluate: (create, { webhooks: { idProblem, idDoubt } }) => {
      if (!isAccepted(create)) return undefined;
      if (create.value === undefined) {
        const meaning = `Without an id, the outcome of every create is unknown. ${CANNOT_WORK}`;
        return { answer: "there is no usable id", meaning, level: "bad" };
      }
      const { place, webhook } = findWrittenWebhook(create);
      const answer = `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
      if (idProblem !== undefined) {
        return { answer, meaning: `But ${idProblem}. ${CANNOT_WORK}`, level: "bad" };
      }
      if (idDoubt !== undefined) {
        return { answer, meaning: `${idDoubt} So nothing more was sent with it.`, level: "failed" };
      }
      return { answer, meaning: "This package finds it there.", level: "good" };
    },
  },
  {
    key: "times",
    request: "create",
    question: "Does the reply to a create contain created_at and updated_at?",
    evaluate: (create) => {
      if (!isAccepted(create)) return undefined;
      const { createdAt, updatedAt } = webhookIn(create);
      if (createdAt !== undefined && updatedAt !== undefined) {
        const meaning = "The outputs createdAt and updatedAt are known at once.";
        return { answer: "yes", meaning, level: "good" };
      }
      const answer = createdAt ? "only created_at" : updatedAt ? "only updated_at" : "no";
      const missing = createdAt
        ? "output updatedAt is"
        : updatedAt
          ? "output createdAt is"
          : "outputs createdAt and updatedAt are";
      const blind = updatedAt ? "" : " Until then, a probe cannot detect a changed URL.";
      const meaning = `The ${missing} undefined until the first update, or the first refresh with a probe.${blind}`;
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "enabled",
    request: "create",
    question: "How do replies write enabled?",
    evaluate: (create, { outcomes: { update } }) => {
      const outcomes = update === undefined ? [create] : [create, update];
      const written = outcomes.find((outcome) => "enabled" in findWrittenWebhook(outcome).webhook);
      if (written === undefined) return isAccepted(create) ? NO_ENABLED : undefined;
      const { enabled } = findWrittenWebhook(written).webhook;
      const answer = `${JSON.stringify(enabled)?.slice(0, 20)}, a ${typeof enabled}`;
      if (outcomes.some((outcome) => webhookIn(outcome).enabled)) {
        const meaning = "The request said that it is disabled, and the reply says that it is enabled.";
        return { answer, meaning, level: "bad" };
      }
      if (webhookIn(written).enabled !== undefined) {
        return { answer, meaning: "This package understands it.", level: "good" };
      }
      const meaning = `This package does not understand it. ${NO_ENABLED.meaning}`;
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "idempotencyKey",
    request: "createAgain",
    question: "Does the API honor an Idempotency-Key?",
    evaluate: (createAgain, { outcomes: { create } }) => {
      const id = createAgain.value?.id;
      if (id !== undefined && id === create?.value?.id) {
        const meaning = "A repeated create makes no second webhook. This package does not rely on it.";
        return { answer: "yes", meaning, level: "good" };
      }
      if (id !== undefined) {
        const meaning =
          "The same create made a second webhook. This package never repeats a create that may have taken effect.";
        return { answer: "no", meaning, level: "good" };
      }
      return { meaning: "The reply shows neither yes nor no.", level: "open" };
    },
  },
];

const CANNOT_WORK = "This package cannot work with such an API.";
const NO_ENABLED: Evaluation = {
  answer: "they do not contain it",
  meaning: "A probe cannot detect that a webhook was enabled or disabled.",
  level: "limit",
};

/** Reports whether the reply to a create is a 2xx of the API, usable or not. */
function isAccepted({ result, reply }: WebhookOutcome): boolean {
  return result.kind === "response" && result.status < 300 && reply !== undefined;
}

/** Finds the webhook in a reply, with the types that the API writes. */
function findWrittenWebhook({ result, reply }: WebhookOutcome): ReturnType<typeof findWebhook> {
  if (result.kind !== "response" || reply === undefined) return { place: "", webhook: {} };
  // Parsed once more: `reply` has its id as text, which keeps all digits.
  return findWebhook(Object(parseJson(result.body)));
}
