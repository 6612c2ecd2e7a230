import type { Operation } from "./api.js";
import type { SendResult } from "./attempt.js";
import { parseHttpDate, serverTime } from "./times.js";

/**
 * Returns how often a request is sent again after a result of this kind.
 *
 * The API documents neither failures nor limits, so the rules rest on the meaning that HTTP gives each status. A create
 * is repeated only if it certainly took no effect.
 *
 * @param hasAnswered whether the API has answered any request: its host and port are right, and what is in the way may pass.
 */
export function whenToRetry(
  result: SendResult,
  { operation, hasAnswered }: { operation: Operation; hasAnswered: boolean },
): "never" | "a few times" | "until the deadline" {
  if (operation === "create" && mayHaveTakenEffect(result)) return "never";
  if (result.kind === "not-sent" && !hasAnswered) return "a few times";
  if (result.kind !== "response" || isRefusedForNow(result)) return "until the deadline";
  const { status, isIncomplete = false } = result;
  // A 202 to a delete takes effect later.
  const seldomChanges = wasProcessed(status) && !isIncomplete && !(operation === "delete" && status === 202);
  // A replica may not have the webhook yet.
  const isMissing = status === 404 && operation !== "create";
  if (seldomChanges || isMissing || isBusy(result)) return "a few times";
  const mayPass = mayHaveTakenEffect(result) || (status === 425 && operation !== "create");
  return mayPass ? "until the deadline" : "never";
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
  const hadNoEffect = result.kind === "response" && result.hadNoEffect === true;
  const isPutOff = result.status === 503 && retryAfterSeconds(result) !== undefined;
  return hadNoEffect || isPutOff || isRateLimited(result);
}

/** Reports whether the rate limit refused a request: by 429 or, as older APIs do, by a 403 with `Retry-After`. */
export function isRateLimited(result: SendResult): boolean {
  return result.status === 429 || (result.status === 403 && retryAfterSeconds(result) !== undefined);
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
