import { findRecord } from "../schema.js";
import type { Answer } from "./conversation.js";
import { isDone } from "./conversation.js";
import type { Read, Reading } from "./finding.js";
import { recordIn } from "./kept-fields.js";
import { adviceOn } from "./on-refusal.js";

/** What the API's document leaves open of a create: the body of the 201 is "not shown". */
export const onCreate: readonly Reading[] = [
  {
    key: "create",
    question: "Does it take a create?",
    read: ({ answers: { create }, conversation }) => {
      if (create === undefined) return undefined;
      const answer = conversation.describe(create);
      if (isDone(create)) return { answer, meaning: "Webhooks can be created.", level: "good" };
      return { answer, meaning: adviceOn(create, conversation), level: "bad" };
    },
  },
  {
    key: "id",
    question: "Where is the id in the reply to a create?",
    read: ({ answers: { create } }) => {
      if (create === undefined || !isDone(create)) return undefined;
      if (recordIn(create).id === undefined) {
        const meaning = "Without an id, every create is in doubt: this package cannot work with such an API.";
        return { answer: "none is found", meaning, level: "bad" };
      }
      const { place, written } = writtenIn(create);
      const answer = `${place === "" ? "id" : `${place}.id`}, a ${typeof written.id}`;
      return { answer, meaning: "This package finds it there.", level: "good" };
    },
  },
  {
    key: "times",
    question: "Does a create tell created_at and updated_at?",
    read: ({ answers: { create } }) => {
      if (create === undefined || !isDone(create)) return undefined;
      const { createdAt, updatedAt } = recordIn(create);
      if (createdAt !== undefined && updatedAt !== undefined) {
        return {
          answer: "yes",
          meaning: "The outputs createdAt and updatedAt are known at once.",
          level: "good",
        };
      }
      const answer = createdAt ? "only created_at" : updatedAt ? "only updated_at" : "no";
      const missing = createdAt ? "updatedAt is" : updatedAt ? "createdAt is" : "createdAt and updatedAt are";
      const hidden = updatedAt ? "" : ", and a probe cannot see that the address was changed";
      const meaning = `Until an update or pulumi refresh with a probe tells more, ${missing} undefined${hidden}.`;
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "enabled",
    question: "How do replies write enabled?",
    read: ({ answers: { create, update } }) => {
      const told = [create, update].find((answer) => answer && "enabled" in writtenIn(answer).written);
      if (told === undefined) return create && isDone(create) ? UNTOLD : undefined;
      const { enabled } = writtenIn(told).written;
      const answer = `${JSON.stringify(enabled)?.slice(0, 20)}, a ${typeof enabled}`;
      if ([create, update].some((reply) => reply && recordIn(reply).enabled)) {
        const meaning = "It was sent as disabled, and the API says that it is enabled.";
        return { answer, meaning, level: "bad" };
      }
      if (recordIn(told).enabled !== undefined)
        return { answer, meaning: "It is understood.", level: "good" };
      const meaning = "It is not understood: a probe cannot see that a webhook was enabled or disabled.";
      return { answer, meaning, level: "limit" };
    },
  },
  {
    key: "idempotencyKey",
    question: "Is an Idempotency-Key honoured?",
    read: ({ answers: { create, createAgain }, conversation }) => {
      if (create === undefined || createAgain === undefined) return undefined;
      const { id } = recordIn(createAgain);
      if (id !== undefined && id === recordIn(create).id) {
        const meaning = "A repeated create makes no second webhook. This package does not rely on it.";
        return { answer: "yes", meaning, level: "good" };
      }
      if (id !== undefined) {
        const meaning =
          "The same create made a second webhook, which the doctor deleted, too. So this package never repeats a create that may have taken effect.";
        return { answer: "no", meaning, level: "good" };
      }
      const answer = conversation.describe(createAgain);
      return { answer, meaning: "That tells neither yes nor no.", level: "open" };
    },
  },
];

const UNTOLD: Read = {
  answer: "they do not tell it",
  meaning: "A probe cannot see that a webhook was enabled or disabled.",
  level: "limit",
};

/** Where an answer holds the webhook's record, and the record with the types that the API writes. */
function writtenIn({ exchange, reply }: Answer): ReturnType<typeof findRecord> {
  const { place, written } = findRecord(reply ?? {});
  if (exchange.kind !== "answered" || reply === undefined) return { place, written };
  // Parsed once more: the reply was read with its id as text, so that it keeps its digits.
  return findRecord(Object(JSON.parse(exchange.body)));
}
