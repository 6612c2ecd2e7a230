import { findWebhook, parseJson } from "../../../client/api.js";
import { advise } from "../../../client/api-error.js";
import { bad, type Checks, failed, good, limit, open } from "../check.js";
import { gradeFailure, type WebhookOutcome } from "../outcome.js";

/** What the API docs leave open about a create: the body of the 201 is "not shown". */
export const createChecks: Checks = {
  create: {
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, { context }) => {
      if (create.value?.enabled)
        return bad("The request said that the webhook is disabled, and the reply says that it is enabled.");
      if (create.value !== undefined) return good("Webhooks can be created.");
      if (isAccepted(create)) return open("It is unknown whether a webhook was created.");
      return { level: gradeFailure(create), meaning: advise(create.result, context), answer: undefined };
    },
  },
  id: {
    request: "create",
    question: "Where is the id in the reply to a create?",
    evaluate: (create, { webhook: { idProblem } }) => {
      if (!isAccepted(create)) return undefined;
      if (create.value === undefined) {
        const meaning = `Without an id, the outcome of every create is unknown. ${CANNOT_WORK}`;
        return bad(meaning, "there is no usable id");
      }
      const answer = describePlace(create);
      if (idProblem === undefined) return good("This package finds it there.", answer);
      return idProblem.isProven
        ? bad(`But ${idProblem.why}. ${CANNOT_WORK}`, answer)
        : failed(`But ${idProblem.why}. Nothing more was sent with it.`, answer);
    },
  },
  found: {
    request: "confirmation",
    question: "Does the API find a new webhook at once?",
    evaluate: (_, { webhook: { idProblem, foundAfterSeconds: seconds } }) => {
      if (idProblem !== undefined) return undefined;
      if (seconds === 0) return good("A webhook can be changed right after its create.", "yes");
      return limit(
        "A change or a delete that follows a create within that time is sent again, and takes as long.",
        `no: after ${seconds} s`,
      );
    },
  },
};

const CANNOT_WORK = "This package cannot work with such an API.";

/** Reports whether the reply to a create is a 2xx of the API, usable or not. */
function isAccepted({ result, reply }: WebhookOutcome): boolean {
  return result.kind === "response" && result.status < 300 && reply !== undefined;
}

/** Describes where a reply has the id, and its type: `data.webhook.id, a number`. */
function describePlace({ result }: WebhookOutcome): string {
  // Parsed once more: the reply of the outcome has its id as text, which keeps all digits.
  const { place, webhook } = findWebhook(Object(result.kind === "response" && parseJson(result.body)));
  return `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
}
