import { findWebhook, parseJson } from "../../client/api.js";
import { advise } from "../../client/api-error.js";
import { quote } from "../../client/quote.js";
import { isGone } from "../../client/replies.js";
import type { DoctorRun } from "./doctor-run.js";
import {
  compareOmittedFields,
  comparesUrls,
  describeOutcome,
  isAccepted,
  isRefused,
  isTouchedByApi,
  type Outcomes,
  type WebhookOutcome,
} from "./outcome.js";

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
  level: "good" | "limit" | "bad" | "open";
}

const evaluateAs =
  (level: Evaluation["level"]) =>
  (meaning: string, answer?: string): Evaluation => ({ level, meaning, answer });

/** Everything that depends on the answer works. The answer is what the API replied, if none is given. */
const good = evaluateAs("good");
/** Something that depends on it does not work. The package still works. */
const limit = evaluateAs("limit");
/** The package cannot work with this API, or with these settings, or the API could not be asked. */
const bad = evaluateAs("bad");
/** The run did not get that far, or the reply was not clear. */
const open = evaluateAs("open");

/** The checks in the order of the report, by their keys, which are the same in every release, for machines. */
export const CHECKS: Readonly<Record<string, Check>> = {
  // A create: the body of the 201 is "not shown".
  create: {
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, run) => {
      const { fields } = run.webhook;
      const { name = fields.name, enabled = false } = create.value ?? {};
      if (run.outcomes.update?.value?.enabled ?? enabled)
        return bad("The requests said that the webhook is disabled, and the reply says that it is enabled.");
      if (enabled || name.includes(run.webhook.token) === false)
        return limit(
          `It ignores ${enabled ? "enabled" : "the name"}: after each create, this package sends an update.`,
        );
      if (create.value !== undefined) return good("Webhooks can be created.");
      if (isAccepted(create)) return open("It is unknown whether a webhook was created.");
      return bad(adviseOn(create, run));
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
      return bad(`But ${idProblem}. Nothing more was sent with it.`, answer);
    },
  },
  secret: {
    request: "create",
    question: "Does a reply contain the secret?",
    evaluate: (create, { outcomes, webhook: { fields } }) => {
      if (create.value === undefined) return undefined;
      const replies = Object.values(outcomes).map((outcome) => outcome?.result);
      if (!replies.some((result) => result?.kind === "response" && result.body.includes(fields.secret)))
        return good("Only the requests contain it.", "no");
      return limit("Keep the API's replies out of the logs of proxies.", "yes");
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
    evaluate: (update, run) => {
      if (update.value === undefined) return bad(adviseOn(update, run));
      if (!run.isReplyStale) return good("Webhooks can be updated in place.");
      return limit(
        "This package sends an update again if its reply does not show its effect.",
        "yes, but the reply shows the webhook as it was before",
      );
    },
  },
  longName: {
    request: "longName",
    question: "Does the API keep a long name, with an emoji?",
    evaluate: ({ value }, { outcomes, longName, context, webhook }) => {
      if (value === undefined)
        return outcomes.update?.value && limit("Declare shorter names, or names without emoji.");
      const { name } = value;
      if (name === undefined) return undefined;
      if (name === longName) return good("The API keeps the names that you declare.", "yes");
      if (name === webhook.fields.name)
        return limit("Webhooks cannot be renamed.", "an update ignores the name");
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
        ? ": the API keeps it disabled, perhaps until its receiver is verified, or an update ignores enabled"
        : enabling && `: ${describeOutcome(enabling, context.secrets)}`;
      const answer = `for a disabled webhook; an enabled one could not be checked${reason ?? ""}`;
      return limit(`A probe may disable webhooks. ${AVOID_PROBE}`, answer);
    },
  },
  updatedAt: {
    request: "emptyUpdate",
    question: "Does an empty update change updated_at?",
    evaluate: ({ value }, { outcomes, isReplyStale }) => {
      if (value === undefined) return undefined;
      if (isReplyStale) return limit(`${MISSES}.`, "unknown: replies show the webhook as it was before");
      const before = outcomes.update?.value?.updatedAt;
      const after = value.updatedAt;
      if (before === undefined || after === undefined)
        return limit(`${MISSES}.`, "the reply does not contain it");
      if (before !== after) return limit(`${MISSES}, because it changes updated_at itself.`, "yes");
      if (isTouchedByApi(outcomes))
        return limit(
          "Set webhooks:ignoreUpdatedAt. A probe then compares name and enabled, not the URL.",
          "no, but it changes by itself",
        );
      if (comparesUrls(outcomes)) return good("A probe also detects a changed URL.", "no");
      return limit(`${MISSES}: that requires updated_at with a time zone, and the header Date.`, "no");
    },
  },
  // Deletes and errors: all of it is "not shown".
  delete: {
    request: "delete",
    question: "Does the API accept a delete?",
    evaluate: (_, { webhook: { leftover } }) => {
      if (leftover?.id === undefined) return good("Webhooks can be deleted.");
      return bad("Webhooks cannot be deleted, or the outcome is unknown.");
    },
  },
  updateOfDeleted: {
    request: "updateOfDeleted",
    question: "What does an update of a deleted webhook return?",
    evaluate: (outcome, run) =>
      evaluateDeleted(outcome, run, {
        gone: "An update fails and says that the webhook is gone. A refresh with a probe plans to create it again.",
        other: outcome.value
          ? "This package cannot detect that someone deleted a webhook in the dashboard."
          : "An update or a probe of a deleted webhook fails, and cannot say that it is gone: that requires a 404 with JSON.",
      }),
  },
  deleteOfDeleted: {
    request: "deleteOfDeleted",
    question: "What does a second delete return?",
    evaluate: (outcome, run) => {
      const gone = "A delete that is repeated, because its reply was lost, succeeds.";
      if (outcome.value !== undefined) return good(gone);
      const other =
        "If the reply to a delete is lost, or the webhook was deleted in the dashboard, its delete fails.";
      return evaluateDeleted(outcome, run, { gone, other });
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

/** Advises what to do about a request that the API should have accepted, and names its URL, which may be the reason. */
function adviseOn(outcome: WebhookOutcome, { context, options: { url } }: DoctorRun): string {
  const receiver =
    url === undefined
      ? "If the API asks a receiver before it accepts a webhook, name yours with --url."
      : `The request named the URL ${url}.`;
  const isAboutUrl = url !== undefined || isRefused(outcome);
  return [advise(outcome.result, context), ...(isAboutUrl ? [receiver] : [])].join(" ");
}

/** Evaluates a request with the id of the deleted webhook, by whether the provider takes its reply for a missing webhook. */
function evaluateDeleted(
  outcome: WebhookOutcome,
  { options: { settings } }: DoctorRun,
  { gone, other }: { gone: string; other: string },
): Evaluation {
  if (isGone(outcome, settings.unknownIdStatus)) return good(gone);
  const { status } = outcome.result;
  const advice = `Set webhooks:unknownIdStatus to ${status}: this package then treats it as a 404.`;
  return limit(isRefused(outcome) ? advice : other);
}

const CANNOT_WORK = "This package cannot work with such an API.";
const MISSES = "A probe cannot detect a changed URL";
const AVOID_PROBE = "Set webhooks:drift to enforce instead.";

/** Describes where a reply has the id, and its type: `data.webhook.id, a number`. */
function describePlace({ result }: WebhookOutcome): string {
  // Parsed once more: the reply of the outcome has its id as text, which keeps all digits.
  const { place, webhook } = findWebhook(Object(result.kind === "response" && parseJson(result.body)));
  return `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
}
