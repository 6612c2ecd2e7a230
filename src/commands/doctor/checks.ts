import { findWebhook, parseJson } from "../../client/api.js";
import { advise } from "../../client/api-error.js";
import { quote } from "../../client/quote.js";
import { isGone } from "../../client/replies.js";
import { RESOLVE } from "../../wording/command.js";
import {
  compareOmittedFields,
  comparesUrls,
  describeOutcome,
  gradeFailure,
  isAccepted,
  type Outcomes,
  type WebhookOutcome,
} from "./outcome.js";
import type { DoctorRun } from "./run.js";

/** A question that the API docs leave open, and how to find its answer in what the API replied. */
interface Check {
  question: string;
  /** The request that answers it, possibly with others. */
  request: keyof Outcomes;
  /** Evaluates the outcome of that request. @returns undefined if it does not say enough to ask the question. */
  evaluate: (outcome: WebhookOutcome, run: DoctorRun) => Evaluation | undefined;
}

/** The result of a check. */
export interface Evaluation {
  /** Undefined if it is what the API replied. */
  answer?: string | undefined;
  /** What the answer means for the user. */
  meaning: string;
  level: "good" | "limit" | "bad" | "failed" | "open";
}

const evaluateAs =
  (level: Evaluation["level"]) =>
  (meaning: string, answer?: string): Evaluation => ({ level, meaning, answer });

/** Everything that depends on the answer works. The answer is what the API replied, if none is given. */
const good = evaluateAs("good");
/** Something that depends on it does not work. The package still works. */
const limit = evaluateAs("limit");
/** The package cannot work with this API, or with these settings. */
const bad = evaluateAs("bad");
/** It could not be checked, because of the settings, the network or an outage of the API. */
const failed = evaluateAs("failed");
/** The run did not get that far, or the reply was not clear. */
const open = evaluateAs("open");

/** The checks in the order of the report, by their keys, which are the same in every release, for machines. */
export const CHECKS: Readonly<Record<string, Check>> = {
  // A create: the body of the 201 is "not shown".
  create: {
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, { context }) => {
      if (create.value?.enabled)
        return bad("The request said that the webhook is disabled, and the reply says that it is enabled.");
      if (create.value !== undefined) return good("Webhooks can be created.");
      if (isAccepted(create)) return open("It is unknown whether a webhook was created.");
      return { level: gradeFailure(create), meaning: advise(create.result, context) };
    },
  },
  id: {
    request: "create",
    question: "Where is the id in the reply to a create?",
    evaluate: (create, { webhook: { idProblem } }) => {
      if (!isAccepted(create)) return undefined;
      const without = `Without an id, the outcome of every create is unknown. ${CANNOT_WORK}`;
      if (create.value === undefined) return bad(without, "there is no usable id");
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
  // An update: "whether the current value is kept" is "not shown".
  update: {
    request: "update",
    question: "Does the API accept an update of all fields?",
    evaluate: (update, { context }) => {
      if (update.value !== undefined) return good("Webhooks can be updated in place.");
      return { level: gradeFailure(update), meaning: advise(update.result, context) };
    },
  },
  longName: {
    request: "longName",
    question: "Does the API keep a long name, with an emoji?",
    evaluate: ({ value }, { outcomes, longName, context }) => {
      if (value === undefined)
        return outcomes.update?.value && limit("Declare shorter names, or names without emoji.");
      const { name } = value;
      if (name === undefined) return undefined;
      if (name === longName) return good("The API keeps the names that you declare.", "yes");
      const change = longName.startsWith(name)
        ? `it is cut to ${[...name].length} characters`
        : `it becomes ${JSON.stringify(quote(name, context.secrets))}`;
      return limit(
        "An up warns if the API changes a name. To avoid that, declare names as the API keeps them.",
        `no: ${change}`,
      );
    },
  },
  omittedFields: {
    request: "emptyUpdate",
    question: "Does an update keep the fields that it omits?",
    evaluate: ({ value }, { outcomes, context }) => {
      if (value === undefined) return limit(`Webhooks cannot be probed. ${AVOID_PROBE}`);
      const { enabling } = outcomes;
      const { changes, missing, areKept } = compareOmittedFields(outcomes);
      if (changes.length > 0)
        return limit(`A probe would do this to your webhooks. ${AVOID_PROBE}`, `no: ${changes.join(", ")}`);
      const unseen = `the reply does not contain ${missing.join(" and ")}`;
      if (missing.length > 0)
        return limit(`A probe may change what its reply does not contain. ${AVOID_PROBE}`, unseen);
      const kept = "A probe changes neither name nor enabled. It should keep the URL too; no reply shows it.";
      if (areKept) return good(kept, "yes: name and enabled are kept");
      const isHeld = enabling?.value?.enabled === false;
      const reason = isHeld
        ? ": the API keeps it disabled, perhaps until its receiver is verified"
        : enabling && `: ${describeOutcome(enabling, context.secrets)}`;
      const answer = `for a disabled webhook; an enabled one could not be checked${reason ?? ""}`;
      return limit(`A probe may disable webhooks. ${AVOID_PROBE}`, answer);
    },
  },
  updatedAt: {
    request: "emptyUpdate",
    question: "Does an empty update change updated_at?",
    evaluate: ({ value }, { outcomes }) => {
      if (value === undefined) return undefined;
      const before = outcomes.update?.value?.updatedAt;
      const after = value.updatedAt;
      if (before === undefined || after === undefined)
        return limit(`${MISSES}.`, "the reply does not contain it");
      if (before !== after) return limit(`${MISSES}, because it changes updated_at itself.`, "yes");
      if (comparesUrls(outcomes)) return good("A probe also detects a changed URL.", "no");
      return limit(`${MISSES}: that requires updated_at with a time zone, and the header Date.`, "no");
    },
  },
  // Deletes and errors: all of it is "not shown".
  delete: {
    request: "delete",
    question: "Does the API accept a delete?",
    evaluate: (outcome, { webhook: { leftover } }) => {
      if (leftover?.id === undefined) return good("Webhooks can be deleted.");
      return {
        level: gradeFailure(outcome),
        meaning: "Webhooks cannot be deleted, or the outcome is unknown.",
      };
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
      if ([401, 403].includes(outcome.result.status ?? 0))
        return good("With a wrong key, the error says that the key is the cause.");
      return limit(
        isGone(outcome)
          ? "With a wrong key, all webhooks look as if they were gone. Do not set webhooks:drift to probe, and check the key before a destroy."
          : "With a wrong key, the error does not say that the key is the cause.",
      );
    },
  },
};

const CANNOT_WORK = "This package cannot work with such an API.";
const MISSES = "A probe cannot detect a changed URL";
const AVOID_PROBE = "Set webhooks:drift to enforce instead.";

/** Describes where a reply has the id, and its type: `data.webhook.id, a number`. */
function describePlace({ result }: WebhookOutcome): string {
  // Parsed once more: the reply of the outcome has its id as text, which keeps all digits.
  const { place, webhook } = findWebhook(Object(result.kind === "response" && parseJson(result.body)));
  return `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
}
