import { isGone } from "../../../client/gone.js";
import { RESOLVE } from "../../../wording/command.js";
import { type Checks, good, limit } from "../check.js";
import { gradeFailure, statusOf } from "../outcome.js";

/** What the API docs leave open about deletes and errors: all of it is "not shown". */
export const errorChecks: Checks = {
  delete: {
    request: "delete",
    question: "Does the API accept a delete?",
    evaluate: (outcome, { webhook: { leftover } }) => {
      if (leftover?.id === undefined) return good("Webhooks can be deleted.");
      const meaning = "Webhooks cannot be deleted, or the outcome is unknown.";
      return { level: gradeFailure(outcome), meaning, answer: undefined };
    },
  },
  updateOfDeleted: {
    request: "updateOfDeleted",
    question: "What does an update of a deleted webhook return?",
    evaluate: (outcome) => {
      if (isGone(outcome))
        return good(
          "An update fails and says that the webhook is gone. A refresh with a probe plans to create it again.",
        );
      return limit(
        outcome.value
          ? "This package cannot detect that someone deleted a webhook in the dashboard."
          : "An update or a probe of a deleted webhook fails, and cannot say that it is gone: that requires a 404 with JSON.",
      );
    },
  },
  deleteOfDeleted: {
    request: "deleteOfDeleted",
    question: "What does a second delete return?",
    evaluate: (outcome) => {
      if (outcome.value !== undefined || isGone(outcome))
        return good("A delete that is repeated, because its reply was lost, succeeds.");
      return limit(
        `If the reply to a delete is lost, or someone deleted the webhook in the dashboard, its delete fails. If the dashboard does not show the webhook then, run ${RESOLVE} --none ID.`,
      );
    },
  },
  wrongKey: {
    request: "wrongKey",
    question: "What does a request with a wrong API key return?",
    evaluate: (outcome) => {
      const status = statusOf(outcome);
      if (status === 401 || status === 403)
        return good("With a wrong key, the error says that the key is the cause.");
      return limit(
        isGone(outcome)
          ? "With a wrong key, all webhooks look as if they were gone. Do not set webhooks:drift to probe, and check the key before a destroy."
          : "With a wrong key, the error does not say that the key is the cause.",
      );
    },
  },
};
