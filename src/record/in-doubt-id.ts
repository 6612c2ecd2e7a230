import { randomBytes } from "node:crypto";

const PREFIX = "in-doubt:";

/** When a create was sent, and until when it may take effect. */
export interface SentTime {
  /** In ISO 8601. */
  sentAt: string;
  /** Whether it may have been sent earlier. */
  isSentEarlier?: true;
  /** In ISO 8601. Until then, nobody can know that it has made no webhook. */
  until: string;
}

/** A request that has left may take effect after its time-out, too. */
const LATE_SECONDS = 30;

/** Returns until when a request may take effect. @param seconds how long after that time it may be under way. */
export function mayTakeEffectUntil(time: string, seconds: number): string {
  return after(time, seconds + LATE_SECONDS);
}

/**
 * Creates an id for a webhook that is unresolved: its create was sent, and its outcome is unknown.
 *
 * Such a webhook is recorded under an id of ours, so that no later run creates it again. The id holds the time at which the create
 * was sent, or, after `by-`, a later one, which helps to find the webhook in the dashboard; and for how many seconds from then on it
 * may take effect.
 */
export function createInDoubtId({ sentAt, isSentEarlier, until }: SentTime): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - Date.parse(sentAt)) / 1000));
  const time = `${new Date(sentAt).toISOString()}+${seconds}`;
  return `${PREFIX}${isSentEarlier ? "by-" : ""}${time}-${randomBytes(2).toString("hex")}`;
}

/** Reports whether an id is that of a webhook that is unresolved. */
export function isInDoubt(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Reports whether a text may be an id of the API, whose format is "not shown": visible ASCII characters, and none of our ids. */
export function mayBeId(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text) && !isInDoubt(text);
}

/** Reports whether a value contains one of our ids, plain or as in a URL. The API does not know them. */
export function containsInDoubtId(value: unknown): boolean {
  return /in-doubt(?::|%3A)(?:by-)?\d{4}-\d\d-\d\dT/i.test(String(value));
}

/** The ids of version 0.1.0 do not say it: more than the longest time-out that anybody sets. */
const UNKNOWN_SECONDS = 3600;

/** Reads the time, in whole seconds, from the id of a webhook that is unresolved. */
export function readInDoubtId(id: string): SentTime {
  const [, by, time = "", seconds = UNKNOWN_SECONDS] = /^in-doubt:(by-)?([^+Z]*Z)(?:\+(\d+))?/.exec(id) ?? [];
  return {
    sentAt: time.replace(/\.\d+/, ""),
    ...(by !== undefined && { isSentEarlier: true }),
    until: after(time, Number(seconds)),
  };
}

/** @param time somebody may have edited the id that has it. */
function after(time: string, seconds: number): string {
  return new Date((Date.parse(time) || 0) + seconds * 1000).toISOString();
}
