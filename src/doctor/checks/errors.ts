import { isGone } from "../../client/api-error.js";
import { quote } from "../../client/quote.js";
import type { Checks } from "../check.js";
import { good, limit } from "../check.js";
import type { WebhookOutcome } from "../outcome.js";
import { describeBody, gradeFailure, statusOf } from "../outcome.js";
import type { DoctorRun } from "../run.js";

/** What the API docs leave open about deletes, errors and limits: all of it is "not shown". */
export const errorChecks: Checks = {
  delete: {
    request: "delete",
    question: "Does the API accept a delete?",
    evaluate: (outcome, { webhooks: { leftovers } }) => {
      if (leftovers.every(({ id }) => id === undefined)) return good("Webhooks can be deleted.");
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
    question: "What does a delete of a deleted webhook return?",
    evaluate: (outcome) =>
      isGone(outcome) || outcome.value
        ? good("A webhook that someone else deleted counts as deleted: a destroy succeeds.")
        : limit(
            "A destroy of a webhook that someone else deleted fails, because a proxy may reply the same. To remove it from the state, run pulumi state delete.",
          ),
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
  errors: {
    request: "create",
    question: "What do error replies look like?",
    evaluate: (_create, run) => {
      const shapes = errorShapes(run);
      if (shapes.length === 0) return undefined;
      const answer = shapes.join("; ");
      return shapes.every((shape) => shape.startsWith("{"))
        ? good("The errors of this package quote the API's message.", answer)
        : limit("If an error reply is not a JSON object, this package shows only its status.", answer);
    },
  },
  rateLimit: {
    request: "create",
    question: "Which rate-limit headers does the API send?",
    evaluate: (create, { sender: { rateLimitHeaders } }) => {
      if (statusOf(create) === undefined) return undefined;
      const headers = [...rateLimitHeaders].map(([name, value]) => `${name}: ${value}`);
      const waits = "After a 429, this package waits as long as Retry-After says.";
      const meaning = rateLimitHeaders.has("retry-after")
        ? `The rate limit was reached. ${waits}`
        : `${waits} Without that header, it backs off.`;
      return good(meaning, headers.join(", ") || "none were seen");
    },
  },
};

/** Lists the different shapes of error replies. */
function errorShapes({ outcomes, secrets }: DoctorRun): string[] {
  const shapes = Object.values<WebhookOutcome | undefined>({ ...outcomes }).flatMap((outcome) => {
    if (outcome?.result.kind !== "response" || outcome.result.status < 400) return [];
    const { result, reply } = outcome;
    return [reply === undefined ? describeBody(result.body) : quote(shapeOf(reply), secrets)];
  });
  return [...new Set(shapes)];
}

/** Writes the keys of an object, and of the objects in it: `{error: {code, message}}`. */
function shapeOf(value: object, depth = 0): string {
  const keys = Object.entries(value).map(([key, inner]) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) && depth < 2
      ? `${key}: ${shapeOf(inner, depth + 1)}`
      : key,
  );
  return `{${keys.join(", ")}}`;
}
