import { findDrift } from "../drift.js";
import { isDone, isGone } from "./conversation.js";
import type { Answers } from "./examination.js";
import type { Reading } from "./finding.js";
import { keptFields, recordIn } from "./kept-fields.js";
import { adviceOn } from "./on-refusal.js";

/** What the API's document leaves open of an update: "whether the current value is kept" is "not shown". */
export const onUpdate: readonly Reading[] = [
  {
    key: "update",
    question: "Does it take an update of all fields?",
    read: ({ answers: { update }, conversation }) => {
      if (update === undefined) return undefined;
      const answer = conversation.describe(update);
      if (isDone(update)) return { answer, meaning: "Webhooks can be updated in place.", level: "good" };
      const meaning = isGone(update)
        ? "The API does not know the id that its create told."
        : adviceOn(update, conversation);
      return { answer, meaning, level: "bad" };
    },
  },
  {
    key: "emptyUpdate",
    question: "Does it take an update with nothing but the id?",
    read: ({ answers: { emptyUpdate }, conversation }) => {
      if (emptyUpdate === undefined) return undefined;
      const answer = conversation.describe(emptyUpdate);
      if (isDone(emptyUpdate)) return { answer, meaning: "A probe can ask for a webhook.", level: "good" };
      return { answer, meaning: `No probe is possible: ${LEAVE_OFF}`, level: "limit" };
    },
  },
  {
    key: "omittedFields",
    question: "Does an update keep the fields that it omits?",
    read: ({ answers, conversation }) => {
      const { update, emptyUpdate, enabling } = answers;
      if (update === undefined || emptyUpdate === undefined || !isDone(emptyUpdate)) return undefined;
      const { changes, untold } = omittedFields(answers);
      if (changes.length > 0) {
        const meaning = `A probe would do this to your webhooks: ${LEAVE_OFF}`;
        return { answer: `no: ${changes.join(", ")}`, meaning, level: "limit" };
      }
      if (untold.length > 0) {
        const meaning = `What is not told may have been lost: ${LEAVE_OFF}`;
        return { answer: `the reply does not tell ${untold.join(" and ")}`, meaning, level: "limit" };
      }
      if (keepsOmittedFields(answers)) {
        const meaning =
          "A probe changes neither name nor enabled. That it keeps the address, too, is assumed: no reply tells it.";
        return { answer: "yes: name and enabled are kept", meaning, level: "good" };
      }
      const asked = enabling === undefined ? "" : `: ${conversation.describe(enabling)}`;
      const answer = `of a disabled webhook; that of an enabled one could not be asked${asked}`;
      return { answer, meaning: `A probe might disable webhooks: ${LEAVE_OFF}`, level: "limit" };
    },
  },
  {
    key: "updatedAt",
    question: "Does an empty update touch updated_at?",
    read: ({ answers: { update, emptyUpdate } }) => {
      if (update === undefined || emptyUpdate === undefined || !isDone(emptyUpdate)) return undefined;
      const { updatedAt: before } = recordIn(update);
      const { updatedAt: after } = recordIn(emptyUpdate);
      if (before === undefined || after === undefined) {
        return { answer: "it is not told", meaning: HIDES_ADDRESS, level: "limit" };
      }
      if (before !== after) {
        const meaning = "A probe cannot see that the address was changed: it sets that time itself.";
        return { answer: "yes", meaning, level: "limit" };
      }
      const { exchange } = emptyUpdate;
      if (exchange.kind === "answered" && !canTellChange(after, exchange.headers.date)) {
        const meaning = `${HIDES_ADDRESS} It takes a time as ISO 8601 writes it, with its zone, and the header Date.`;
        return { answer: "no", meaning, level: "limit" };
      }
      return { answer: "no", meaning: "A probe also sees that the address was changed.", level: "good" };
    },
  },
];

const LEAVE_OFF = "leave webhooks:drift off.";
const HIDES_ADDRESS = "A probe cannot see that the address was changed.";

/** Whether name and enabled were both seen to be kept, of a disabled webhook and of an enabled one. */
export function keepsOmittedFields(answers: Answers): boolean {
  const { update, emptyUpdate, enabling, emptyUpdateOfEnabled } = answers;
  if (!update || !emptyUpdate || !enabling || !emptyUpdateOfEnabled) return false;
  return keptFields(update, emptyUpdate).all && keptFields(enabling, emptyUpdateOfEnabled).all;
}

/** What was seen to change, or not told, in either of the two comparisons. */
function omittedFields({ update, emptyUpdate, enabling, emptyUpdateOfEnabled }: Answers) {
  const pairs = [
    [update, emptyUpdate],
    [enabling, emptyUpdateOfEnabled],
  ] as const;
  const compared = pairs.flatMap(([full, empty]) =>
    full && empty && isDone(empty) ? [keptFields(full, empty)] : [],
  );
  const changes = new Set(compared.flatMap((kept) => kept.changes));
  const untold = new Set(compared.flatMap((kept) => kept.untold));
  return { changes: [...changes], untold: [...untold] };
}

/** Whether drift.ts, which decides it in a refresh, would see that `updatedAt` is a later time than a recorded one. */
function canTellChange(updatedAt: string, date: unknown): boolean {
  const recorded = { url: "", name: "", enabled: false, baseUrl: "", updatedAt: "1970-01-01T00:00:00Z" };
  const answeredAt = typeof date === "string" ? Date.parse(date) / 1000 : Number.NaN;
  if (Number.isNaN(answeredAt)) return false;
  const aDayLater = answeredAt + 86_400;
  return findDrift(recorded, { updatedAt, answeredAt: aDayLater, tookSeconds: 0 }).drifted;
}
