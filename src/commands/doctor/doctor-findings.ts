import { findWebhook, parseJson } from "../../client/api.js";
import { advise } from "../../client/api-error.js";
import { quote } from "../../client/quote.js";
import { isGone, mayBeGone } from "../../client/replies.js";
import { serverTime } from "../../client/times.js";
import { parseTime } from "../../record/identity.js";
import { type DoctorRun, lostFields, type Outcomes, type WebhookOutcome } from "./doctor-run.js";

/** What the replies say about a question that the API docs leave open. */
export interface Finding {
  question: string;
  answer: string;
  /** What the answer means for the user. */
  meaning: string;
  level: Level;
}

/**
 * `good`: everything that depends on it works. `limit`: something does not; the package still works. `bad`: the package cannot work with
 * this API, or with these settings, or the API could not be asked.
 */
type Level = "good" | "limit" | "bad";

/** What an outcome means, and the answer, if it is not what the API replied. */
type Evaluation = [level: Level, meaning: string, answer?: string];

interface Check {
  question: string;
  /** The request that answers it, possibly with others. */
  request: keyof Outcomes;
  /** Evaluates the outcome of that request. @returns undefined if it does not say enough to ask the question. */
  evaluate: (outcome: WebhookOutcome, run: DoctorRun) => Evaluation | undefined;
}

/** The checks in the order of the report. */
export const CHECKS = {
  // A create: the body of the 201 is "not shown".
  create: {
    request: "create",
    question: "Does the API accept a create?",
    evaluate: (create, run) => {
      const { name = run.fields.name, enabled = false } = create.value ?? {};
      if (run.outcomes.update?.value?.enabled ?? enabled)
        return [
          "bad",
          "The requests said that the webhook is disabled, and the reply says that it is enabled.",
        ];
      const ignored = enabled ? "enabled" : !name.toLowerCase().includes(run.token) && "the name";
      if (ignored)
        return ["limit", `It ignores ${ignored}: after each create, this package sends an update.`];
      if (create.value !== undefined) return ["good", "Webhooks can be created."];
      return isAccepted(create) ? undefined : ["bad", adviseOn(create, run)];
    },
  },
  id: {
    request: "create",
    question: "Where is the id in the reply to a create?",
    evaluate: (create, { idProblem }) => {
      if (!isAccepted(create)) return undefined;
      const place = describePlace(create);
      if (idProblem !== undefined) return ["bad", `But ${idProblem}. Nothing more was sent with it.`, place];
      if (create.value === undefined)
        return ["bad", "Without an id, this package cannot work with the API.", "there is no usable id"];
      return ["good", "This package finds it there.", place];
    },
  },
  secret: {
    request: "create",
    question: "Does a reply contain the secret?",
    evaluate: (create, { outcomes, fields }) => {
      if (create.value === undefined) return undefined;
      const results = Object.values(outcomes).map(({ result }) => result);
      if (results.some((result) => result.kind === "response" && result.body.includes(fields.secret)))
        return ["limit", "Keep the API's replies out of the logs of proxies.", "yes"];
      return ["good", "Only the requests contain it.", "no"];
    },
  },
  // An update: "whether the current value is kept" is "not shown".
  update: {
    request: "update",
    question: "Does the API accept an update of all fields?",
    evaluate: (update, run) => {
      if (update.value === undefined) return ["bad", adviseOn(update, run)];
      if (!run.isReplyStale) return ["good", "Webhooks can be updated in place."];
      return [
        "limit",
        "This package sends an update again if its reply does not show its effect.",
        "yes, but the reply shows the webhook as it was before",
      ];
    },
  },
  longName: {
    request: "longName",
    question: "Does the API keep a long name, with an emoji?",
    evaluate: ({ value }, { longName, fields, secrets }) => {
      if (value === undefined) return ["limit", "Declare shorter names, or names without emoji."];
      const { name } = value;
      if (name === undefined) return undefined;
      if (name === longName) return ["good", "The API keeps the names that you declare.", "yes"];
      if (name === fields.name) return ["limit", "Webhooks cannot be renamed.", "an update ignores the name"];
      const change = longName.startsWith(name)
        ? `it is cut to ${[...name].length} characters`
        : `it becomes ${JSON.stringify(quote(name, secrets))}`;
      return [
        "limit",
        "An up warns if the API changes a name. To avoid that, declare names as the API keeps them.",
        `no: ${change}`,
      ];
    },
  },
  omittedFields: {
    request: "emptyUpdate",
    question: "Does an update keep the fields that it omits?",
    evaluate: ({ value }, run) => {
      if (value === undefined) return ["limit", `Webhooks cannot be probed. ${AVOID_PROBE}`];
      const { enabling, emptyUpdateOfEnabled = enabling } = run.outcomes;
      const lost = lostFields(run.outcomes);
      if (lost.length > 0)
        return ["limit", `A probe would do harm to your webhooks. ${AVOID_PROBE}`, `no: ${lost.join(", ")}`];
      const other = enabling?.value?.otherEnabled;
      if (keepsFields(run.outcomes) && other !== undefined)
        return ["limit", "A probe does not compare enabled.", `yes, but enabled is ${other}`];
      if (keepsFields(run.outcomes))
        return [
          "good",
          "A probe changes neither name nor enabled. It should keep the URL too; no reply shows it.",
          "yes: name and enabled are kept",
        ];
      const isHeld = enabling?.value?.enabled === false;
      const reason = isHeld
        ? ": the API keeps it disabled, perhaps until its receiver is verified, or an update ignores enabled"
        : emptyUpdateOfEnabled && `: ${run.describe(emptyUpdateOfEnabled)}`;
      const answer = `for a disabled webhook; an enabled one could not be checked${reason ?? ""}`;
      return ["limit", `A probe may disable webhooks. ${AVOID_PROBE}`, answer];
    },
  },
  updatedAt: {
    request: "emptyUpdate",
    question: "Does an empty update change updated_at?",
    evaluate: ({ value }, { outcomes, isReplyStale }) => {
      if (value === undefined) return undefined;
      if (isReplyStale) return ["limit", IGNORE_TIMES, "unknown: replies show the webhook as it was before"];
      if (value.updatedAt !== outcomes.update?.value?.updatedAt)
        return ["limit", `${MISSES}, because it changes updated_at itself.`, "yes"];
      if (isTouchedByApi(outcomes)) return ["limit", IGNORE_TIMES, "no, but it changes by itself"];
      if (comparesUrls(outcomes)) return ["good", "A probe also detects a changed URL.", "no"];
      return ["limit", `${MISSES}: that requires updated_at, with a time zone, and the header Date.`, "no"];
    },
  },
  // Deletes and errors: all of it is "not shown".
  delete: {
    request: "delete",
    question: "Does the API accept a delete?",
    evaluate: (_, { leftover }) =>
      leftover?.id === undefined
        ? ["good", "Webhooks can be deleted."]
        : ["bad", "Webhooks cannot be deleted, or the outcome is unknown."],
  },
  updateOfDeleted: {
    request: "updateOfDeleted",
    question: "What does an update of a deleted webhook return?",
    evaluate: whenDeleted(
      "An update fails and says that the webhook is gone. A refresh with a probe plans to create it again.",
      "This package cannot see that someone deleted a webhook: that requires a 404 with JSON.",
    ),
  },
  deleteOfDeleted: {
    request: "deleteOfDeleted",
    question: "What does a second delete return?",
    evaluate: whenDeleted(
      "A delete that is repeated, because its reply was lost, succeeds.",
      "If the reply to a delete is lost, or the webhook was deleted in the dashboard, its delete fails.",
    ),
  },
  wrongKey: {
    request: "wrongKey",
    question: "What does a request with a wrong API key return?",
    evaluate: (outcome) => {
      if ([401, 403].includes(outcome.result.status ?? 0))
        return ["good", "With a wrong key, the error says that the key is the cause."];
      return [
        "limit",
        isGone(outcome)
          ? "With a wrong key, all webhooks look as if they were gone. Do not set webhooks:drift to probe, and check the key before a destroy."
          : "With a wrong key, the error does not say that the key is the cause.",
      ];
    },
  },
} satisfies Record<string, Check>;

/** Evaluates a run: a finding for each check that it got to. */
export function evaluate(run: DoctorRun): Finding[] {
  return Object.values<Check>(CHECKS).flatMap(({ question, request, evaluate }) => {
    const outcome = run.outcomes[request];
    const evaluation = outcome && evaluate(outcome, run);
    if (!evaluation) return [];
    const [level, meaning, answer = run.describe(outcome)] = evaluation;
    return { question, answer, meaning, level };
  });
}

/** Recommends settings, by their names. @param works whether the package works with the API. */
export function recommend(
  { outcomes, options, isReplyStale }: DoctorRun,
  works: boolean,
): [name: string, value: string][] {
  const { emptyUpdate, wrongKey, deleteOfDeleted } = outcomes;
  if ((emptyUpdate?.result.status ?? 500) >= 500) return [];
  if (!works) return options.settings.drift === "probe" ? [["drift", "off"]] : [];
  const isKeyNoticed = wrongKey !== undefined && !isGone(wrongKey);
  const isSafe = isKeyNoticed && keepsFields(outcomes) && (isReplyStale || comparesUrls(outcomes));
  const recommended: [string, string][] = [["drift", isSafe ? "probe" : "enforce"]];
  if (isSafe && (isReplyStale || isTouchedByApi(outcomes))) recommended.push(["ignoreUpdatedAt", "true"]);
  if (deleteOfDeleted && isRefused(deleteOfDeleted))
    recommended.push(["unknownIdStatus", `${deleteOfDeleted.result.status}`]);
  return recommended;
}

const MISSES = "A probe cannot detect a changed URL";
const IGNORE_TIMES = "Set webhooks:ignoreUpdatedAt. A probe then compares name and enabled, not the URL.";
const AVOID_PROBE = "Set webhooks:drift to enforce instead.";

/** Reports whether the reply is a 2xx of the API, usable or not. */
function isAccepted({ result: { status = 500 }, reply }: WebhookOutcome): boolean {
  return status < 300 && reply !== undefined;
}

/** Reports whether the API itself refused a request as invalid: as some do if they do not know the id. */
function isRefused(outcome: WebhookOutcome): boolean {
  return mayBeGone(outcome) && !isGone(outcome);
}

/** Reports whether empty updates have kept all fields of the webhook, disabled and enabled. */
function keepsFields(outcomes: Outcomes): boolean {
  return outcomes.emptyUpdateOfEnabled?.value !== undefined && lostFields(outcomes).length === 0;
}

/** Reports whether a probe detects a changed URL: by the time of the last change, which the probe must not set. */
function comparesUrls({ update, emptyUpdate }: Outcomes): boolean {
  const updatedAt = emptyUpdate?.value?.updatedAt;
  const areReadable =
    parseTime(updatedAt) !== undefined && serverTime(emptyUpdate?.result.headers) !== undefined;
  return areReadable && updatedAt === update?.value?.updatedAt;
}

/** Reports whether the API itself set `updated_at` of an enabled webhook, such as at a delivery, if the probe does not. */
function isTouchedByApi({ enabling, emptyUpdateOfEnabled: empty }: Outcomes): boolean {
  return empty?.value !== undefined && empty.value.updatedAt !== enabling?.value?.updatedAt;
}

/** Advises what to do about a request that the API should have accepted, and names its URL, which may be the reason. */
function adviseOn(outcome: WebhookOutcome, { fields, options: { settings, guide, url } }: DoctorRun): string {
  const advice = advise(outcome.result, { baseUrl: settings.baseUrl, guide });
  if (url !== undefined) return `${advice} The request named the URL ${fields.url}.`;
  if (!isRefused(outcome)) return advice;
  return `${advice} If the API asks a receiver before it accepts a webhook, name yours with --url.`;
}

/** Evaluates a request with the id of a deleted webhook. A status that can be set is advised. */
function whenDeleted(good: string, limit: string): Check["evaluate"] {
  return (outcome, { options: { settings }, leftover }) => {
    const isDone = outcome.value !== undefined && leftover === undefined;
    if (isDone || isGone(outcome, settings.unknownIdStatus)) return ["good", good];
    const status = isRefused(outcome) && outcome.result.status;
    const advice = `Set webhooks:unknownIdStatus to ${status}: this package then treats it as a 404.`;
    return ["limit", status ? advice : limit];
  };
}

/** Describes where a reply has the id, and its type: `data.webhook.id, a number`. */
function describePlace({ result }: WebhookOutcome): string {
  // Parsed once more: the reply of the outcome has its id as text, which keeps all digits.
  const { place, webhook } = findWebhook(Object(result.kind === "response" && parseJson(result.body)));
  return `${place === "" ? "id" : `${place}.id`}, a ${typeof webhook.id}`;
}
