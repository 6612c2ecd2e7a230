import type { Operation } from "./api.js";
import type { SendResult } from "./attempt.js";
import { parseHttpDate, serverTime } from "./times.js";

/** How often a reply is accepted that a retry seldom changes. */
const MAX_PERMANENT_REPLIES = 3;
/** How often an API may not be there, which takes about ten seconds: it may have just been started. */
const MAX_UNREACHED = 6;
/** How often a 409 or a 423 is: the API may accept one change at a time. */
const MAX_BUSY_RESULTS = 5;

/** How many results of a request so far, the last one included, were of a kind that is accepted a few times. */
export interface Counts {
  permanent: number;
  busy: number;
}

/**
 * Reports whether to send a request again that did not succeed.
 *
 * The API documents neither failures nor limits, so the rules rest on the meaning that HTTP gives each status. A create
 * is repeated only if it certainly took no effect.
 */
export function isWorthRetrying(operation: Operation, result: SendResult, counts: Counts): boolean {
  if (operation === "create" && mayHaveTakenEffect(result)) return false;
  if (isPermanent(operation, result))
    return counts.permanent < (result.kind === "response" ? MAX_PERMANENT_REPLIES : MAX_UNREACHED);
  if (isBusy(result)) return counts.busy < MAX_BUSY_RESULTS;
  if (result.kind !== "response" || mayHaveTakenEffect(result) || isRefusedForNow(result)) return true;
  return result.status === 425 && operation !== "create";
}

/**
 * Reports whether a retry seldom changes a result: a wrong host or port, an invalid certificate, or a complete 2xx or 303 without
 * success. A 202 to a delete is another matter: it takes effect later.
 */
export function isPermanent(operation: Operation, result: SendResult): boolean {
  if (operation === "delete" && result.status === 202) return false;
  if (result.kind === "response") return wasProcessed(result.status) && !result.isIncomplete;
  return result.kind === "not-sent" && result.permanent;
}

/** Reports whether a request may have been refused only because another one is in progress. */
export function isBusy(result: SendResult): boolean {
  return result.status === 409 || result.status === 423;
}

/** Reports whether a request without a success may still have taken effect. */
export function mayHaveTakenEffect(result: SendResult): boolean {
  if (result.kind !== "response") return result.kind === "no-response";
  const { status } = result;
  return wasProcessed(status) || status === 408 || (status >= 500 && !isRefusedForNow(result));
}

/** Reports whether a status means that the request was processed. A 303 does: the result of the POST is at another URL. */
function wasProcessed(status: number): boolean {
  return status < 300 || status === 303;
}

/** Reports whether the API did nothing and invites a retry. For a 503 with `Retry-After` this is an assumption. */
function isRefusedForNow(result: SendResult): boolean {
  return isRateLimited(result) || (result.status === 503 && retryAfterSeconds(result) !== undefined);
}

/** Reports whether the rate limit refused a request: by 429 or, as older APIs do, by 420 or by a 403 with `Retry-After`. */
export function isRateLimited(result: SendResult): boolean {
  if (result.status !== 403) return result.status === 429 || result.status === 420;
  return retryAfterSeconds(result) !== undefined;
}

/** Reads the wait that a reply asks for. @returns seconds, never negative; undefined if there is no readable one. */
export function retryAfterSeconds({ headers }: SendResult): number | undefined {
  const value = headers?.["retry-after"];
  if (typeof value === "string" && /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value)) return Number(value);
  const date = parseHttpDate(value);
  return date === undefined ? undefined : Math.max(0, date - (serverTime(headers) ?? Date.now() / 1000));
}

/** Computes the wait before the next attempt, in seconds: growing, with jitter, so that many do not return at once. */
export function backoffSeconds(attempt: number): number {
  const ceiling = Math.min(20, 0.5 * 2 ** (attempt - 1));
  return ceiling * (0.5 + Math.random() / 2);
}
