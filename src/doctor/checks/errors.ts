import type { Answer, Conversation } from "./conversation.js";
import { bodyKind, isDone, isGone, statusOf } from "./conversation.js";
import type { Answers } from "./examination.js";
import type { Reading } from "./finding.js";

/** What the API's document leaves open of deletes, failures and limits: all of it is "not shown". */
export const onRefusal: readonly Reading[] = [
  {
    key: "delete",
    question: "Does it take a delete?",
    read: ({ answers, leftovers, conversation }) => {
      if (answers.delete === undefined) return undefined;
      const answer = conversation.describe(answers.delete);
      if (!leftovers.some(({ id }) => id !== undefined)) {
        return { answer, meaning: "Webhooks can be deleted.", level: "good" };
      }
      return { answer, meaning: "Webhooks cannot be deleted, or it is not known.", level: "bad" };
    },
  },
  {
    key: "updateOfDeleted",
    question: "How is an update of a deleted webhook answered?",
    read: ({ answers: { updateOfDeleted }, conversation }) => {
      if (updateOfDeleted === undefined) return undefined;
      const answer = conversation.describe(updateOfDeleted);
      if (isGone(updateOfDeleted)) {
        const meaning =
          "An update fails and says that the webhook is gone; a refresh with a probe plans to create it anew.";
        return { answer, meaning, level: "good" };
      }
      const meaning = isDone(updateOfDeleted)
        ? "Nothing notices that someone deleted a webhook in the dashboard."
        : "An update and a probe of a webhook that someone deleted fail, and cannot say that it is gone: that takes a 404 with JSON.";
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "deleteOfDeleted",
    question: "How is a delete of a deleted webhook answered?",
    read: ({ answers: { deleteOfDeleted }, conversation }) => {
      if (deleteOfDeleted === undefined) return undefined;
      const answer = conversation.describe(deleteOfDeleted);
      if (isGone(deleteOfDeleted) || isDone(deleteOfDeleted)) {
        return {
          answer,
          meaning: "A webhook that someone deleted counts as deleted: a destroy succeeds.",
          level: "good",
        };
      }
      const meaning =
        "A destroy of a webhook that someone deleted fails, since a proxy may answer like this, too. Then pulumi state delete drops it from the state.";
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "wrongKey",
    question: "How is a wrong key answered?",
    read: ({ answers: { wrongKey }, conversation }) => {
      if (wrongKey === undefined) return undefined;
      const answer = conversation.describe(wrongKey);
      const status = statusOf(wrongKey);
      if (status === 401 || status === 403) {
        return {
          answer,
          meaning: "A wrong key is recognised, and an error says that it is the key.",
          level: "good",
        };
      }
      const meaning = isGone(wrongKey)
        ? "With a wrong key all webhooks look as if they were gone: leave webhooks:drift off, and take care with a destroy."
        : "The error of a wrong key does not say that it is the key.";
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "errors",
    question: "What do its errors look like?",
    read: ({ answers, conversation }) => {
      const shapes = errorShapes(answers, conversation);
      if (shapes.length === 0) return undefined;
      const readable = shapes.every((shape) => shape.startsWith("{"));
      const meaning = readable
        ? "This package's errors quote what the API says."
        : "Of an error that is not a JSON object, this package's own errors tell the status only.";
      return { answer: shapes.join("; "), meaning, level: readable ? "good" : "limit" };
    },
  },
  {
    key: "rateLimit",
    question: "Which headers speak of a rate limit?",
    read: ({ answers: { create }, conversation: { limits } }) => {
      if (create === undefined || statusOf(create) === undefined) return undefined;
      const answer = [...limits].map(([name, value]) => `${name}: ${value}`).join(", ") || "none was seen";
      const meaning = limits.has("retry-after")
        ? "A limit was met. After a 429 this package waits as long as Retry-After says."
        : "After a 429 this package waits as long as Retry-After says, or else a while of its own.";
      return { answer, meaning, level: "good" };
    },
  },
];

/** What the user can do where the API does not take a webhook at all. */
export function adviceOn(answer: Answer, conversation: Conversation): string {
  const { exchange } = answer;
  if (exchange.kind === "unsent") return "Nothing reaches the API: check webhooks:baseUrl and the network.";
  if (exchange.kind === "unanswered")
    return "The API does not answer, or webhooks:timeoutSeconds is too short.";
  const { status, headers } = exchange;
  if (status === 401) {
    return "The API key was refused: set the right one, pulumi config set --secret webhooks:apiKey.";
  }
  if (status === 403) return "The API key may not do this: use a key that may manage webhooks.";
  if (status >= 300 && status < 400) {
    const host = typeof headers.location === "string" ? URL.parse(headers.location)?.host : undefined;
    const target = host === undefined ? "" : ` to ${conversation.quote(host)}`;
    return `The API redirects${target}, and no redirect is followed: set webhooks:baseUrl to the API's own address.`;
  }
  if (status === 429) return "The API's rate limit was still reached: run it again later.";
  if (status >= 500 || status === 408) return "The API could not do it now: run it again later.";
  if (status === 404 || status === 405 || answer.reply === undefined) {
    return "Check that webhooks:baseUrl is the API's address.";
  }
  return "The API does not take what this package sends, for the reason that it gives.";
}

function errorShapes(answers: Answers, conversation: Conversation): string[] {
  const refused = Object.values<Answer | undefined>({ ...answers }).filter((answer) => {
    const status = answer && statusOf(answer);
    return status !== undefined && status >= 400;
  });
  const shapes = refused.flatMap((answer) => {
    if (answer?.exchange.kind !== "answered") return [];
    const { exchange, reply } = answer;
    return [reply === undefined ? bodyKind(exchange.body) : conversation.quote(shapeOf(reply))];
  });
  return [...new Set(shapes)];
}

/** The keys of an object, and of those in it: `{error: {code, message}}`. */
function shapeOf(value: object, depth = 0): string {
  const keys = Object.entries(value).map(([key, inner]) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) && depth < 2
      ? `${key}: ${shapeOf(inner, depth + 1)}`
      : key,
  );
  return `{${keys.join(", ")}}`;
}
