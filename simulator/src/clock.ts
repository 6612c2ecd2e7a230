import type { Behavior } from "./behavior.js";

/** Returns the time of the API's clock, with its skew, in milliseconds since 1970. */
export function apiTime({ clockSkewSeconds }: Behavior): number {
  return Date.now() + clockSkewSeconds * 1000;
}

/** Returns the API's time in ISO 8601 with microseconds, at least one microsecond after `previous`. */
export function timestamp(behavior: Behavior, previous = ""): string {
  // Date counts milliseconds. The timer adds the rest, so that a client that drops the last three digits is caught.
  const now = Math.floor(apiTime(behavior)) * 1000 + (Math.floor(performance.now() * 1000) % 1000);
  const next = Date.parse(previous) * 1000 + Number(previous.slice(23, 26)) + 1;
  const micros = Math.max(now, next || now);
  const millis = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1);
  return `${millis}${String(micros % 1000).padStart(3, "0")}Z`;
}

/** Truncates a timestamp to the precision of replies. */
export function withPrecision(stored: string, precision: Behavior["timestampPrecision"]): string {
  const length = { microseconds: 26, milliseconds: 23, seconds: 19 }[precision];
  return `${stored.slice(0, length)}Z`;
}
