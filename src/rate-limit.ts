import type { Headers } from "./exchange.js";

/** What a reply says of the account's rate limit. */
export interface Quota {
  /** How many requests it lets through before it refuses. */
  left: number;
  /** Seconds until more are let through, where the reply says so. */
  resetSeconds?: number;
}

/** The prefixes in use: of the IETF's drafts up to the sixth, and of what many APIs had before. */
const PREFIXES = ["ratelimit", "x-ratelimit", "x-rate-limit"];

/**
 * Reads the rate limit that a reply's headers tell, in any of the forms in use; undefined where none can be read.
 *
 * The API documents no limits. These are `RateLimit: "default";r=50;t=30` of the IETF's current draft
 * (draft-ietf-httpapi-ratelimit-headers), `RateLimit: limit=100, remaining=50, reset=30` of its seventh, and a header for
 * each figure of those before, where the reset is in seconds or, without the IETF, often a time.
 */
export function quotaOf(headers: Headers): Quota | undefined {
  const { ratelimit } = headers;
  if (typeof ratelimit === "string") return combined(ratelimit);
  const prefix = PREFIXES.find((name) => headers[`${name}-remaining`] !== undefined);
  if (prefix === undefined) return undefined;
  const reset = headers[`${prefix}-reset`];
  return quota(
    wholeNumber(headers[`${prefix}-remaining`]),
    typeof reset === "string" ? secondsUntil(reset, headers) : undefined,
  );
}

/** Of several limits the one that has the least left. */
function combined(value: string): Quota | undefined {
  const figure = (text: string, names: string) =>
    wholeNumber(new RegExp(`(?:^|[;,\\s])(?:${names})\\s*=\\s*(\\d+)`).exec(text)?.[1]);
  const limits = /remaining\s*=/.test(value) ? [value] : value.split(",");
  return limits
    .flatMap((text) => quota(figure(text, "r|remaining"), figure(text, "t|reset")) ?? [])
    .sort((a, b) => a.left - b.left)[0];
}

function quota(left: number | undefined, resetSeconds: number | undefined): Quota | undefined {
  if (left === undefined) return undefined;
  return { left, ...(resetSeconds !== undefined && { resetSeconds }) };
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : undefined;
}

/** A number too large to be a wait is a time, in seconds or milliseconds since 1970, by the API's own clock. */
function secondsUntil(reset: string, { date }: Headers): number | undefined {
  if (!/^\s*\d{1,15}(?:\.\d+)?\s*$/.test(reset)) return undefined;
  const value = Number(reset);
  if (value < 1e9) return value;
  const told = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const now = (Number.isNaN(told) ? Date.now() : told) / 1000;
  return Math.max(0, (value < 1e11 ? value : value / 1000) - now);
}
