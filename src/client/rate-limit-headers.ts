import type { Headers } from "./transport.js";
import { serverTime } from "./transport.js";

/** The state of a rate limit. */
export interface RateLimit {
  /** Requests that the API still lets through. */
  remaining: number;
  /** Seconds until it lets more through, if the reply says so. */
  resetSeconds?: number;
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
  const reset = headers[`${prefix}-reset`];
  return toRateLimit(
    parseInteger(headers[`${prefix}-remaining`]),
    typeof reset === "string" ? secondsUntil(reset, headers) : undefined,
  );
}

/** Parses the combined header. If it names several limits, the one with the least left counts. */
function parseCombined(value: string): RateLimit | undefined {
  const figure = (text: string, names: string) =>
    parseInteger(new RegExp(`(?:^|[;,\\s])(?:${names})\\s*=\\s*(\\d+)`).exec(text)?.[1]);
  const limits = /remaining\s*=/.test(value) ? [value] : value.split(",");
  return limits
    .flatMap((text) => toRateLimit(figure(text, "r|remaining"), figure(text, "t|reset")) ?? [])
    .sort((a, b) => a.remaining - b.remaining)[0];
}

function toRateLimit(remaining?: number, resetSeconds?: number): RateLimit | undefined {
  if (remaining === undefined) return undefined;
  return { remaining, ...(resetSeconds !== undefined && { resetSeconds }) };
}

function parseInteger(value: unknown): number | undefined {
  return typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : undefined;
}

/** A number too large to be a wait is a point in time, in seconds or milliseconds since 1970. */
function secondsUntil(reset: string, headers: Headers): number | undefined {
  if (!/^\s*\d{1,15}(?:\.\d+)?\s*$/.test(reset)) return undefined;
  const value = Number(reset);
  if (value < 1e9) return value;
  const now = (serverTime(headers) ?? Date.now()) / 1000;
  return Math.max(0, (value < 1e11 ? value : value / 1000) - now);
}
