import type { Behavior } from "./behavior.js";

/** Returns the time of the API's clock, with its skew, in milliseconds since 1970. */
export function apiTime({ clockSkewSeconds }: Behavior): number {
  return Date.now() + clockSkewSeconds * 1000;
}

/**
 * Returns the API's time in ISO 8601 with microseconds, at least one microsecond after `previous`.
 */
export function timestamp(behavior: Behavior, previous?: string): string {
  // Date counts milliseconds. The timer adds the rest, so that a client that drops the last three digits is caught.
  const micros = Number((process.hrtime.bigint() / 1000n) % 1000n);
  const now = format(Math.floor(apiTime(behavior)), micros);
  // All timestamps have the same length: their order as text is their order in time.
  if (previous === undefined || now > previous) return now;
  const next = Number(previous.slice(23, 26)) + 1;
  return format(Date.parse(`${previous.slice(0, 23)}Z`) + Math.floor(next / 1000), next % 1000);
}

/** Truncates a timestamp to the precision of replies. */
export function withPrecision(stored: string, precision: Behavior["timestampPrecision"]): string {
  const length = { microseconds: 26, milliseconds: 23, seconds: 19 }[precision];
  return `${stored.slice(0, length)}Z`;
}

function format(millis: number, micros: number): string {
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}
