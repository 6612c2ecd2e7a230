import { findWebhook, parseJson } from "../../client/api.js";
import { advise } from "../../client/api-error.js";
import type { Checks } from "../check.js";
import { bad, failed, good, limit, open } from "../check.js";
import type { WebhookOutcome } from "../outcome.js";
import { gradeFailure, webhookIn } from "../outcome.js";

/** What the API docs leave open about a create: the body of the 201 is "not shown". */
export const createChecks: Checks = {
  create: {
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, run) => {
      if (create.value !== undefined) return good("Webhooks can be created.");
      if (isAccepted(create)) return open("It is unknown whether a webhook was created.");
      return { level: gradeFailure(create), meaning: advise(create.result, run), answer: undefined };
    },
  },
  id: {
    request: "create",
    question: "Where is the id in the reply to a create?",
    evaluate: (create, { webhooks: { idProblem } }) => {
      if (!isAccepted(create)) return undefined;
      if (create.value === undefined) {
        const meaning = `Without an id, the outcome of every create is unknown. ${CANNOT_WORK}`;
        return bad(meaning, "there is no usable id");
      }
      const { place, webhook } = findWrittenWebhook(create);
      const answer = `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
      if (idProblem === undefined) return good("This package finds it there.", answer);
      return idProblem.isProven
        ? bad(`But ${idProblem.why}. ${CANNOT_WORK}`, answer)
        : failed(`But ${idProblem.why}. Nothing more was sent with it.`, answer);
    },
  },
  times: {
    request: "create",
    question: "Does the reply to a create contain created_at and updated_at?",
    evaluate: (create) => {
      if (!isAccepted(create)) return undefined;
      const { createdAt, updatedAt } = webhookIn(create);
      if (createdAt && updatedAt)
        return good("The outputs createdAt and updatedAt are known at once.", "yes");
      const answer = createdAt ? "only created_at" : updatedAt ? "only updated_at" : "no";
      const missing = [...(createdAt ? [] : ["createdAt"]), ...(updatedAt ? [] : ["updatedAt"])].join(
        " and ",
      );
      const blind = updatedAt ? "" : " Until then, a probe cannot detect a changed URL.";
      return limit(`The first update, or the first refresh with a probe, sets ${missing}.${blind}`, answer);
    },
  },
  enabled: {
    request: "create",
    question: "How do replies write enabled?",
    evaluate: (create, { outcomes: { update } }) => {
      const outcomes = update === undefined ? [create] : [create, update];
      const written = outcomes.find((outcome) => "enabled" in findWrittenWebhook(outcome).webhook);
      const blind = "A probe cannot detect that a webhook was enabled or disabled.";
      if (written === undefined)
        return isAccepted(create) ? limit(blind, "they do not contain it") : undefined;
      const { enabled } = findWrittenWebhook(written).webhook;
      const answer = `${JSON.stringify(enabled)?.slice(0, 20)}, a ${typeof enabled}`;
      if (outcomes.some((outcome) => webhookIn(outcome).enabled))
        return bad("The request said that it is disabled, and the reply says that it is enabled.", answer);
      return webhookIn(written).enabled === undefined
        ? limit(`This package does not understand it. ${blind}`, answer)
        : good("This package understands it.", answer);
    },
  },
  idempotencyKey: {
    request: "createAgain",
    question: "Does the API honor an Idempotency-Key?",
    evaluate: (createAgain, { outcomes: { create } }) => {
      const id = createAgain.value?.id;
      if (id === undefined) return open("The reply shows neither yes nor no.");
      return id === create?.value?.id
        ? good("A repeated create makes no second webhook. This package does not rely on it.", "yes")
        : good(
            "The same create made a second webhook. This package never repeats a create that may have taken effect.",
            "no",
          );
    },
  },
};

const CANNOT_WORK = "This package cannot work with such an API.";

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
