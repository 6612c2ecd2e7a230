import type { Exchange } from "./exchange.js";

/** What the client asks of the API. Only a create does harm when it is done twice. */
export type Operation = "create" | "update" | "delete";

/**
 * What follows from an exchange that did not succeed.
 *
 * - `"again"`: send it again, after the wait that the API asks for.
 * - `"failed"`: the API refused it, or it was never sent; nothing happened.
 * - `"in doubt"`: it may have taken effect, and sending it again could do it twice.
 */
export type Verdict = "again" | "failed" | "in doubt";

/** A host that is not known, or a wrong certificate, is seldom right a minute later: so often is it tried. */
const LASTING_TRIES = 3;

/**
 * The rules of retry. The API documents neither failures nor limits, so they rest on what HTTP says of each status,
 * and a create is repeated only where it surely took no effect.
 */
export function judge(operation: Operation, exchange: Exchange, attempt: number): Verdict {
  if (exchange.kind === "unsent") return exchange.lasting && attempt >= LASTING_TRIES ? "failed" : "again";
  if (mayHaveTakenEffect(exchange)) return operation === "create" ? "in doubt" : "again";
  const isTooEarly = exchange.kind === "answered" && exchange.status === 425 && operation !== "create";
  return isRefusedForNow(exchange) || isTooEarly ? "again" : "failed";
}

/** Whether the API may have done what it was sent, though it did not say so. */
export function mayHaveTakenEffect(exchange: Exchange): boolean {
  if (exchange.kind !== "answered") return exchange.kind === "unanswered";
  const { status } = exchange;
  return status < 300 || status === 408 || (status >= 500 && !isRefusedForNow(exchange));
}

/** Whether a reply says that nothing was done, and to come again. For a 503 with Retry-After that is an assumption. */
function isRefusedForNow(exchange: Exchange): boolean {
  if (exchange.kind !== "answered") return false;
  return exchange.status === 429 || (exchange.status === 503 && retryAfterSeconds(exchange) !== undefined);
}

/** The wait that a reply asks for, in seconds and never negative; undefined where it names none that can be read. */
export function retryAfterSeconds(exchange: Exchange): number | undefined {
  if (exchange.kind !== "answered") return undefined;
  const { "retry-after": value, date } = exchange.headers;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value)) return Number(value);
  // Date.parse() takes almost anything for a date, "-5" for one: only what tells a time of day is one.
  if (!/\d:\d\d:\d\d/.test(value)) return undefined;
  // A date is the server's: measured by the server's own clock where it tells it.
  const now = typeof date === "string" && !Number.isNaN(Date.parse(date)) ? Date.parse(date) : Date.now();
  const seconds = (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** How long to wait before the next attempt where the API does not say: growing, and scattered so that many do not come back at once. */
export function backoffSeconds(attempt: number): number {
  const ceiling = Math.min(20, 0.5 * 2 ** (attempt - 1));
  return ceiling * (0.5 + Math.random() / 2);
}
