import { advise } from "../../../client/api-error.js";
import { quote } from "../../../client/quote.js";
import { compareLastChange, serverTime } from "../../../client/times.js";
import { type Checks, good, limit } from "../check.js";
import { compareFields, describeOutcome, gradeFailure, type WebhookOutcome } from "../outcome.js";
import type { DoctorRun, Outcomes } from "../run.js";

/** What the API docs leave open about an update: "whether the current value is kept" is "not shown". */
export const updateChecks: Checks = {
  update: {
    request: "update",
    question: "Does the API accept an update of all fields?",
    evaluate: (update, { context }) => {
      if (update.value !== undefined) return good("Webhooks can be updated in place.");
      return { level: gradeFailure(update), meaning: advise(update.result, context), answer: undefined };
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
      const reason = enabling === undefined ? "" : `: ${describeEnabling(enabling, context)}`;
      const answer = `for a disabled webhook; an enabled one could not be checked${reason}`;
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
};

/** Describes why no webhook is enabled. */
function describeEnabling(outcome: WebhookOutcome, { secrets }: DoctorRun["context"]): string {
  return outcome.value?.enabled === false
    ? "the API keeps it disabled, perhaps until its receiver is verified"
    : describeOutcome(outcome, secrets);
}

const MISSES = "A probe cannot detect a changed URL";
const AVOID_PROBE = "Set webhooks:drift to enforce instead.";

/** Reports whether a probe detects a changed URL: by the time of the last change, which the probe must not set. */
export function comparesUrls({ update, emptyUpdate }: Outcomes): boolean {
  const updatedAt = emptyUpdate?.value?.updatedAt;
  if (emptyUpdate?.result.kind !== "response" || updatedAt === undefined) return false;
  const now = serverTime(emptyUpdate.result.headers);
  if (now === undefined || updatedAt !== update?.value?.updatedAt) return false;
  // Whether a probe on the next day would detect that this time is later than a recorded one.
  const probed = { updatedAt, repliedAt: now + 86_400, tookSeconds: 0 };
  return compareLastChange("1970-01-01T00:00:00Z", probed) === "changed";
}

/** Lists what an update changes that omits fields, and what its replies miss, of a disabled or an enabled webhook. */
export function compareOmittedFields({ update, emptyUpdate, enabling, emptyUpdateOfEnabled }: Outcomes) {
  const pairs = [
    [update, emptyUpdate],
    [enabling, emptyUpdateOfEnabled],
  ] as const;
  const compared = pairs.flatMap(([full, empty]) =>
    full && empty?.value ? [compareFields(full, empty)] : [],
  );
  const changes = new Set(compared.flatMap((fields) => fields.changes));
  const missing = new Set(compared.flatMap((fields) => fields.missing));
  /** Whether the replies show that both keep name and enabled. */
  const areKept = compared.length === pairs.length && compared.every(({ all }) => all);
  return { changes: [...changes], missing: [...missing], areKept };
}
