import { advise, describeReason, isAboutForm } from "../../client/api-error.js";
import { isGone, mayBeGone } from "../../client/replies.js";
import { serverTime } from "../../client/times.js";
import type { DoctorRun, Outcomes, WebhookOutcome } from "./doctor-run.js";

/** What an outcome means for the user, the settings that follow, and the answer, if it is not what the API replied. */
type Evaluation = [level: Level, meaning: string, settings?: Record<string, string>, answer?: string];

/** `limit`: something does not work; the package still does. `bad`: it does not, or not with these settings, or the API could not be asked. */
type Level = "good" | "limit" | "bad";

/** A question that the API docs leave open, and the request that answers it, possibly with others. */
interface Check {
  question: string;
  request: keyof Outcomes;
  /** @returns undefined if the outcome of that request does not say enough to ask the question. */
  evaluate: (outcome: WebhookOutcome, run: DoctorRun) => Evaluation | undefined;
}

const PROBE = { drift: "probe" };
const ENFORCE = { drift: "enforce" };

/** The checks in the order of the report. Each decides a setting, or what works with this API. */
export const CHECKS = {
  // A create: the body of the 201 is "not shown".
  create: {
    request: "create",
    question: "Does a create return the id of the webhook?",
    evaluate: (create, run) => {
      if (run.idProblem !== undefined)
        return ["bad", `But ${run.idProblem}. Nothing more was sent with that id.`];
      if (create.value === undefined) return ["bad", adviseOn(create, run)];
      return ["good", "Webhooks can be created."];
    },
  },
  update: {
    request: "update",
    question: "Does the API accept an update of all fields?",
    evaluate: (update, run) => {
      if (update.value === undefined) return ["bad", adviseOn(update, run)];
      if (update.value.enabled) return ["limit", STILL_ENABLED];
      return ["good", "Webhooks can be updated in place."];
    },
  },
  // "Whether the current value is kept" is "not shown".
  omittedFields: {
    request: "emptyUpdate",
    question: "Does an update keep the fields that it omits?",
    evaluate: (emptyUpdate, run) => {
      const { update, enabling, emptyUpdateOfEnabled } = run.outcomes;
      const lost = (["name", "enabled"] as const).filter(
        (field) => isLost(field, update, emptyUpdate) || isLost(field, enabling, emptyUpdateOfEnabled),
      );
      if (lost.length > 0)
        return ["limit", "A probe would do harm.", ENFORCE, `no, or not shown: ${lost.join(", ")}`];
      if (emptyUpdateOfEnabled?.value === undefined) {
        const last = emptyUpdateOfEnabled ?? enabling ?? emptyUpdate;
        const reason = last.value === undefined ? run.describe(last) : STAYS_DISABLED;
        const again = last.value !== undefined && run.options.url === undefined ? ` ${WITH_URL}` : "";
        return ["limit", `A probe may do harm.${again}`, ENFORCE, `unknown: ${reason}`];
      }
      return ["good", "A probe changes neither name nor enabled. No reply shows the URL.", PROBE, "yes"];
    },
  },
  updatedAt: {
    request: "emptyUpdate",
    question: "Does a probe show when a webhook was last changed?",
    evaluate: ({ value, result }, { outcomes: { update, enabling, emptyUpdateOfEnabled } }) => {
      if (value === undefined) return undefined;
      const isKept = value.updatedAt !== undefined && value.updatedAt === update?.value?.updatedAt;
      if (!isKept || serverTime(result.headers) === undefined) return ["limit", MISSES_URLS, ENFORCE, "no"];
      // The API itself sets it, such as at a delivery.
      if (emptyUpdateOfEnabled?.value && emptyUpdateOfEnabled.value.updatedAt !== enabling?.value?.updatedAt)
        return ["limit", IGNORES_TIMES, { ignoreUpdatedAt: "true" }, "yes, but updated_at changes by itself"];
      return ["good", "A probe also detects a changed URL.", {}, "yes"];
    },
  },
  // Deletes and errors: all of it is "not shown".
  updateOfDeleted: {
    request: "updateOfDeleted",
    question: "What does an update of a deleted webhook return?",
    evaluate: (outcome) => {
      if (isGone(outcome)) return ["good", "This package can see that someone has deleted a webhook."];
      if (mayBeGone(outcome)) return ["limit", AS_A_404, { unknownIdStatus: `${outcome.result.status}` }];
      return ["limit", MISSES_DELETIONS];
    },
  },
} satisfies Record<string, Check>;

/** Evaluates a run: a finding for each check that it got to. */
export function evaluate(run: DoctorRun) {
  return Object.values<Check>(CHECKS).flatMap(({ question, request, evaluate }) => {
    const outcome = run.outcomes[request];
    const evaluation = outcome && evaluate(outcome, run);
    if (!evaluation) return [];
    const [level, meaning, settings = {}, answer = run.describe(outcome)] = evaluation;
    return { question, answer, meaning, level, settings };
  });
}

const STILL_ENABLED = "The reply says that the webhook is still enabled: an up that disables one may fail.";
const STAYS_DISABLED =
  "the webhook stays disabled. The API may wait until its receiver is verified, ignore enabled, or show a webhook as it was before";
const WITH_URL = "If the API verifies a receiver first, name yours with --url, and run the doctor again.";
const MISSES_URLS =
  "A probe cannot detect a changed URL: that requires an updated_at, with a time zone, which an empty update does not change, and the header Date.";
const MISSES_DELETIONS =
  "This package cannot see that someone has deleted a webhook: that requires a 404 with JSON.";
const AS_A_404 = "With webhooks:unknownIdStatus, this package treats that status as a 404.";
const IGNORES_TIMES = "With webhooks:ignoreUpdatedAt, a probe compares name and enabled, not the URL.";

/** Reports whether an empty update has changed a field, or the replies do not show it. */
function isLost(field: "name" | "enabled", full?: WebhookOutcome, empty?: WebhookOutcome): boolean {
  if (!full?.value || !empty?.value) return false;
  const before = full.value[field];
  return before === undefined || before !== empty.value[field];
}

/** Advises what to do about a request that the API should have accepted, and names its URL, which may be the reason. */
function adviseOn(outcome: WebhookOutcome, { fields, secrets, options }: DoctorRun): string {
  const { settings, guide, url } = options;
  const message = describeReason(outcome.result, secrets);
  const deadline = guide.name("deadlineSeconds");
  const advice = advise(outcome.result, { ...settings, guide, deadline, message });
  if (url !== undefined) return `${advice} The request named the URL ${fields.url}.`;
  if (!mayBeGone(outcome) || isGone(outcome) || isAboutForm(outcome.result.status ?? 0, message))
    return advice;
  return `${advice} ${WITH_URL}`;
}
