import { parseWebhook, type RepliedWebhook } from "../../client/api.js";
import { describeResult, statusLine } from "../../client/api-error.js";
import { quoteMessage } from "../../client/quote.js";
import { isGone, mayBeGone } from "../../client/replies.js";
import type { Outcome } from "../../client/request.js";
import { compareLastChange, serverTime } from "../../client/times.js";

/** The outcome of a request. After a success, `value` is its webhook. */
export type WebhookOutcome = Outcome<RepliedWebhook>;

/** The outcome of each request; undefined if it was not sent. */
export interface Outcomes {
  create?: WebhookOutcome;
  /** The first update with only the id, once the API found the webhook. */
  confirmation?: WebhookOutcome;
  update?: WebhookOutcome;
  /** An update with only the id, of the disabled webhook. */
  emptyUpdate?: WebhookOutcome;
  /** An update that enables the webhook, with a URL that cannot exist. */
  enabling?: WebhookOutcome;
  emptyUpdateOfEnabled?: WebhookOutcome;
  /** An update with a long name. */
  longName?: WebhookOutcome;
  delete?: WebhookOutcome | undefined;
  updateOfDeleted?: WebhookOutcome;
  deleteOfDeleted?: WebhookOutcome;
  wrongKey?: WebhookOutcome;
}

/** Parses the webhook in a 2xx, even if the reply is not the success that the API documents. */
export function webhookIn(outcome: Outcome<unknown>): RepliedWebhook {
  return outcome.reply && isAccepted(outcome) ? parseWebhook(outcome.reply) : {};
}

/** Reports whether the reply is a 2xx of the API, usable or not. */
export function isAccepted({ result: { status = 500 }, reply }: Outcome<unknown>): boolean {
  return status < 300 && reply !== undefined;
}

/** Reports whether the API itself refused a request as invalid: as some do if they do not know the id. */
export function isRefused(outcome: Outcome<unknown>): boolean {
  return mayBeGone(outcome) && !isGone(outcome);
}

/** Describes what came back, such as `404 Not Found, No such webhook.`, without the secrets. */
export function describeOutcome(outcome: Outcome<unknown>, secrets: readonly string[]): string {
  const { operation, value, result, reply } = outcome;
  if (value !== undefined) return statusLine(result.status ?? 0);
  const message = reply && quoteMessage(reply, secrets);
  if (message === undefined || result.kind !== "response" || result.problem !== undefined)
    return describeResult(operation, result);
  return `${statusLine(result.status)}, ${message}`;
}

/** Reports whether a probe detects a changed URL: by the time of the last change, which the probe must not set. */
export function comparesUrls({ update, emptyUpdate }: Outcomes): boolean {
  const updatedAt = emptyUpdate?.value?.updatedAt;
  const now = serverTime(emptyUpdate?.result.headers);
  if (now === undefined || updatedAt === undefined || updatedAt !== update?.value?.updatedAt) return false;
  // Whether a probe on the next day would detect that this time is later than a recorded one.
  const probed = { updatedAt, repliedAt: now + 86_400, tookSeconds: 0 };
  return compareLastChange("1970-01-01T00:00:00Z", probed) === "changed";
}

/** Reports whether the API itself set `updated_at` of an enabled webhook, such as at a delivery: the probe did not. */
export function isTouchedByApi({ update, emptyUpdate, enabling, emptyUpdateOfEnabled }: Outcomes): boolean {
  const isKept = (before?: WebhookOutcome, after?: WebhookOutcome) =>
    after?.value?.updatedAt === before?.value?.updatedAt;
  return (
    isKept(update, emptyUpdate) && !!emptyUpdateOfEnabled?.value && !isKept(enabling, emptyUpdateOfEnabled)
  );
}

/**
 * Compares the replies to updates of all fields, of the webhook disabled and enabled, with those to the empty updates that followed.
 * @returns `changes`, such as `name is cleared`, the fields that replies do not contain, and whether they show that both were kept.
 */
export function compareOmittedFields({ update, emptyUpdate, enabling, emptyUpdateOfEnabled }: Outcomes) {
  const pairs = [
    [update, emptyUpdate],
    [enabling, emptyUpdateOfEnabled],
  ] as const;
  const [changes, missing] = [new Set<string>(), new Set<string>()];
  for (const [full, empty] of pairs) {
    if (!full || !empty?.value) continue;
    for (const field of ["name", "enabled"] as const) {
      const [before, after] = [full.value?.[field], empty.value[field]];
      if (before === undefined) missing.add(field);
      else if (after === undefined || after === "") changes.add(`${field} is cleared`);
      else if (after !== before)
        changes.add(field === "name" ? "name is changed" : `enabled becomes ${after}`);
    }
  }
  const areCompared = pairs.every(([full, empty]) => full?.value && empty?.value);
  const areKept = areCompared && changes.size + missing.size === 0;
  return { changes: [...changes], missing: [...missing], areKept };
}
