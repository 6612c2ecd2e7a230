import { randomBytes } from "node:crypto";

const PREFIX = "in-doubt:";

/** When a create was sent, and until when it may take effect, in ISO 8601. */
export interface SentTime {
  /** Undefined if only `until` is known. */
  sentAt?: string | undefined;
  /** Until then, nobody can know that it has made no webhook. */
  until: string;
}

/** Says when a create was sent: `at about 2026-01-01T12:00:00Z`. */
export function shownTime(time: SentTime): string {
  if (time.sentAt !== undefined) return `at about ${time.sentAt}`;
  return mayTakeEffect(time) ? "shortly before its run was killed" : `before ${time.until}`;
}

/** Says until when a create may take effect, and how long that is from now: `2026-01-01T12:00:00Z, in 7 minutes`. */
export function shownUntil(until: string): string {
  const minutes = Math.ceil((Date.parse(until) - Date.now()) / 60_000);
  return `${until}, in ${minutes === 1 ? "a minute" : `${minutes} minutes`}`;
}

/** A request that has left may take effect after its time-out, too. */
const LATE_SECONDS = 30;

/** Reports whether a create may still take effect, so that nobody can know that it has made no webhook. */
export function mayTakeEffect({ until }: SentTime): boolean {
  return until > new Date().toISOString();
}

/** Returns until when a request may take effect. @param seconds how long after that time it may be under way. */
export function mayTakeEffectUntil(time: string, seconds: number): string {
  return after(time, seconds + LATE_SECONDS);
}

/**
 * Creates an id for a webhook that is unresolved: its create was sent, and its outcome is unknown.
 *
 * Such a webhook is recorded under an id of ours, so that no later run creates it again. The id holds the time at which the create
 * was sent, which helps to find the webhook in the dashboard, and for how many seconds from then on it may take effect; or, after
 * `by-`, only until when.
 */
export function createInDoubtId({ sentAt, until }: SentTime): string {
  const from = new Date(sentAt ?? until);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - from.getTime()) / 1000));
  const time = `${from.toISOString()}+${seconds}-${randomBytes(2).toString("hex")}`;
  return `${PREFIX}${sentAt === undefined ? "by-" : ""}${time}`;
}

export function isInDoubt(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Reports whether a text may be an id of the API, whose format is "not shown": visible ASCII characters, and none of our ids. */
export function mayBeId(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text) && !isInDoubt(text);
}

/** The ids of version 0.1.0 do not say it: more than the longest time-out that anybody sets. */
const UNKNOWN_SECONDS = 3600;

/** Reads the time, in whole seconds, from the id of a webhook that is unresolved. */
export function readInDoubtId(id: string): SentTime {
  const [, by, time = "", seconds = UNKNOWN_SECONDS] = /^in-doubt:(by-)?([^+Z]*Z)(?:\+(\d+))?/.exec(id) ?? [];
  return {
    ...(by === undefined && { sentAt: time.replace(/\.\d+/, "") }),
    until: after(time, Number(seconds)),
  };
}

/** @param time somebody may have edited the id that has it. */
function after(time: string, seconds: number): string {
  return new Date((Date.parse(time) || 0) + seconds * 1000).toISOString();
}
