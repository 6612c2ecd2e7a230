import { CREATION_SECONDS, parseTime } from "../record/identity.js";

/** The times of a webhook that a probe returned. */
export interface ProbedTimes {
  updatedAt?: string | undefined;
  /** By the server's clock, in seconds since 1970; undefined if the reply has no `Date`. */
  repliedAt: number | undefined;
  /** From sending the first request to the reply. */
  tookSeconds: number;
}

/** An API may keep whole seconds, cut off or rounded, and write different digits from those in its first reply. */
const RESOLUTION_SECONDS = 1;
/** How far a server's clock may be from the one that stamps its webhooks. */
const MARGIN_SECONDS = 1;

/**
 * Compares the time of a webhook's last change in the reply to a probe with the known one. Another time counts as a change
 * if it is certainly older than the probe, which may have set it.
 * @returns `"no time"` if a time cannot be read; `"too new"` if the probe may have set it.
 */
export function compareLastChange(
  knownAt: string | undefined,
  { updatedAt, repliedAt, tookSeconds }: ProbedTimes,
): "same" | "changed" | "too new" | "no time" {
  const known = parseTime(knownAt);
  const probed = parseTime(updatedAt);
  if (known === undefined || probed === undefined || repliedAt === undefined) return "no time";
  if (isSameChange(knownAt, updatedAt)) return "same";
  // By the server's own clock: ours may be minutes off.
  const isOlder = probed + RESOLUTION_SECONDS + MARGIN_SECONDS < repliedAt - tookSeconds;
  return isOlder ? "changed" : "too new";
}

const [DAY_SECONDS, ZONE_SECONDS, DELAY_SECONDS] = [24 * 60 * 60, 15 * 60, 10];

/**
 * Reports whether a webhook was certainly created before its create, which got its reply at `repliedAt`, by the clock of the server.
 * @param inAnyZone whether the API may write local times as UTC: then a time in another zone is no evidence.
 */
export function isOlder(createdAt: string | undefined, repliedAt: number, inAnyZone: boolean): boolean {
  const age = repliedAt - (parseTime(createdAt) ?? repliedAt);
  const rest = Math.abs(age - Math.round(age / ZONE_SECONDS) * ZONE_SECONDS);
  const isZoned = inAnyZone && age < DAY_SECONDS && rest <= DELAY_SECONDS;
  return age > CREATION_SECONDS && !isZoned;
}

/** Reports whether two times are those of one change. One that cannot be read is none. */
export function isSameChange(one: string | undefined, other: string | undefined): boolean {
  const [a = Number.NaN, b = Number.NaN] = [parseTime(one), parseTime(other)];
  return Math.abs(a - b) <= RESOLUTION_SECONDS;
}

/** Reports whether two times are equal as far as the coarser one goes: digits that an API does not keep are missing, or zeros. */
export function isSameInstant(one = "", other = ""): boolean {
  const [a = "", b = ""] = [one, other].map((time) => /\.(\d*?)0*(?!\d)/.exec(time)?.[1] ?? "");
  const unit = 10 ** -Math.min(a.length, b.length);
  return Math.abs((parseTime(one) ?? 0) - (parseTime(other) ?? 0)) < unit + 1e-6;
}

/** How long an API may take until all of it knows a new webhook. */
const YOUNG_SECONDS = 120;

/** Reports whether a webhook was created about when a reply was sent, by the server's clock. A time that cannot be read is no evidence. */
export function isYoung(createdAt: string | undefined, repliedAt = Number.NaN): boolean {
  return Math.abs(repliedAt - (parseTime(createdAt) ?? Number.NaN)) < YOUNG_SECONDS;
}

/** The one form of a date that HTTP lets servers send, such as `Sun, 06 Nov 1994 08:49:37 GMT`: RFC 9110, section 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Parses a date in a header. @returns seconds since 1970; undefined if it is not one. */
export function parseHttpDate(value: unknown): number | undefined {
  const seconds = typeof value === "string" && HTTP_DATE.test(value) ? Date.parse(value) / 1000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Reads the server's clock from the `Date` header. @returns seconds since 1970; undefined if there is none. */
export const serverTime = (headers: Record<string, unknown> = {}) => parseHttpDate(headers.date);
