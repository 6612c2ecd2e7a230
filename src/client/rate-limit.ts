import type { Headers, SendResult } from "./attempt.js";
import { parseHttpDate, serverTime } from "./times.js";

/** The state of a rate limit. */
export interface RateLimit {
  /** Requests that the API still lets through. */
  remaining: number;
  /** Seconds until it lets more through, if the reply says so. */
  resetSeconds?: number | undefined;
}

/** Reports whether the rate limit refused a request: by 429 or, as older APIs do, by 420 or by a 403 that says so. */
export function isRateLimited(result: SendResult): boolean {
  if (result.status !== 403) return result.status === 429 || result.status === 420;
  return retryAfterSeconds(result) !== undefined || parseRateLimit(result.headers)?.remaining === 0;
}

/** Reads the wait that a reply asks for. @returns seconds, never negative; undefined if there is no readable one. */
export function retryAfterSeconds({ headers }: SendResult): number | undefined {
  const value = headers?.["retry-after"];
  if (typeof value === "string" && /^\s*\d{1,9}(?:\.\d+)?\s*$/.test(value)) return Number(value);
  const date = parseHttpDate(value);
  return date === undefined ? undefined : Math.max(0, date - now(headers));
}

/** Header prefixes in use: the IETF drafts up to the sixth, and what many APIs had before. */
const PREFIXES = ["ratelimit", "x-ratelimit", "x-rate-limit"];

/**
 * Parses the rate-limit headers of a reply. @returns undefined if there are none.
 *
 * The API documents no limits, so all forms in use are read: `RateLimit: "default";r=50;t=30` of the IETF's current draft
 * (draft-ietf-httpapi-ratelimit-headers), `RateLimit: limit=100, remaining=50, reset=30` of its seventh, and one header
 * per figure as before those, whose reset is in seconds or, outside the IETF, often a point in time.
 */
export function parseRateLimit(headers: Headers): RateLimit | undefined {
  const { ratelimit } = headers;
  if (typeof ratelimit === "string") return parseCombined(ratelimit);
  const prefix = PREFIXES.find((name) => headers[`${name}-remaining`] !== undefined);
  if (prefix === undefined) return undefined;
  const remaining = parseInteger(headers[`${prefix}-remaining`]);
  return remaining === undefined
    ? undefined
    : { remaining, resetSeconds: secondsUntil(headers[`${prefix}-reset`], headers) };
}

/** Parses the combined header. If it names several limits, the one with the least left counts. */
function parseCombined(value: string): RateLimit | undefined {
  const figure = (text: string, names: string) =>
    parseInteger(new RegExp(`(?:^|[;,\\s])(?:${names})\\s*=\\s*(\\d+)`).exec(text)?.[1]);
  const limits = /remaining\s*=/.test(value) ? [value] : value.split(",");
  return limits
    .flatMap((text) => {
      const remaining = figure(text, "r|remaining");
      return remaining === undefined ? [] : [{ remaining, resetSeconds: figure(text, "t|reset") }];
    })
    .sort((a, b) => a.remaining - b.remaining)[0];
}

function parseInteger(value: unknown): number | undefined {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** A number too large to be a wait is a point in time, in seconds or milliseconds since 1970. */
function secondsUntil(reset: unknown, headers: Headers): number | undefined {
  if (typeof reset !== "string" || !/^\d{1,15}(?:\.\d+)?$/.test(reset)) return undefined;
  const value = Number(reset);
  if (value < 1e9) return value;
  return Math.max(0, (value < 1e11 ? value : value / 1000) - now(headers));
}

/** The server's clock counts, in seconds since 1970. */
const now = (headers?: Headers) => serverTime(headers) ?? Date.now() / 1000;
