import { parseWebhook, type RepliedWebhook } from "../../client/api.js";
import { describeResult, statusLine } from "../../client/api-error.js";
import { quoteMessage } from "../../client/quote.js";
import type { Outcome } from "../../client/request.js";

/** The outcome of a request. After a success, `value` is its webhook. */
export type WebhookOutcome = Outcome<RepliedWebhook>;

/** Parses the webhook in a 2xx, even if the reply is not the success that the API documents. */
export function webhookIn(outcome: Outcome<unknown>): RepliedWebhook {
  const { reply } = outcome;
  return reply === undefined || (statusOf(outcome) ?? 500) >= 300 ? {} : parseWebhook(reply);
}

/** Returns the status of the reply; undefined if no reply came. */
export function statusOf({ result }: Outcome<unknown>): number | undefined {
  return result.kind === "response" ? result.status : undefined;
}

/** Statuses that say nothing about the API: the key, the URL, the load or an outage is the cause. */
const INCONCLUSIVE = [401, 403, 404, 405, 408, 425, 429];

/** Grades a request that the API should have accepted: whether it refused the request, or could not be asked. */
export function gradeFailure({ result }: Outcome<unknown>): "bad" | "failed" {
  if (result.kind !== "response" || result.isIncomplete) return "failed";
  const { status } = result;
  const isRedirect = status >= 300 && status < 400;
  return isRedirect || status >= 500 || INCONCLUSIVE.includes(status) ? "failed" : "bad";
}

/** Describes what came back, such as `404 Not Found, No such webhook.`, without the secrets. */
export function describeOutcome(
  { operation, value, result, reply }: Outcome<unknown>,
  secrets: readonly string[],
): string {
  if (result.kind !== "response" || result.problem !== undefined) return describeResult(operation, result);
  const status = statusLine(result.status);
  if (reply === undefined) return `${status}, ${describeBody(result.body)}`;
  const message = value === undefined ? quoteMessage(reply, secrets) : undefined;
  return message === undefined ? status : `${status}, ${message}`;
}

function describeBody(body: string): string {
  if (body.trim() === "") return "an empty body";
  return /^\s*</.test(body) ? "a web page" : "not a JSON object";
}

/**
 * Compares the reply to an update of all fields with the reply to the empty update that followed.
 *
 * @returns `all`: whether they show that both name and enabled were kept. `changes`: what changed, such as
 *   `name is cleared`. `missing`: the fields that they do not contain.
 */
export function compareFields(full: WebhookOutcome, empty: WebhookOutcome) {
  const [changes, missing]: [string[], string[]] = [[], []];
  for (const field of ["name", "enabled"] as const) {
    const [before, after] = [full.value?.[field], empty.value?.[field]];
    if (before === undefined) missing.push(field);
    else if (after === undefined || after === "") changes.push(`${field} is cleared`);
    else if (after !== before)
      changes.push(field === "name" ? "name is changed" : `enabled becomes ${after}`);
  }
  const hasSucceeded = full.value !== undefined && empty.value !== undefined;
  return { all: hasSucceeded && changes.length + missing.length === 0, changes, missing };
}
