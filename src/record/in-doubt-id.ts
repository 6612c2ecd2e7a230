import { randomBytes } from "node:crypto";

const PREFIX = "in-doubt:";

interface Sent {
  /** In ISO 8601. */
  sentAt: string;
  /** Whether it may have been sent earlier. */
  isSentEarlier?: true;
}

/**
 * Creates an id for a webhook that is unresolved: its create was sent, and its outcome is unknown.
 *
 * Such a webhook is recorded under an id of ours, so that no later run creates it again. The id holds the time at which the create
 * was sent, or, after `by-`, a later one. It helps to find the webhook in the dashboard.
 */
export function createInDoubtId({ sentAt, isSentEarlier }: Sent): string {
  const time = new Date(sentAt).toISOString();
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

/** Reads the time, in whole seconds, from the id of a webhook that is unresolved. */
export function readInDoubtId(id: string): Sent {
  const [, by, time = ""] = /^in-doubt:(by-)?(.*)$/.exec(id) ?? [];
  return { sentAt: toSeconds(time), ...(by !== undefined && { isSentEarlier: true }) };
}

/** Cuts a time in ISO 8601 off after its whole seconds. */
export function toSeconds(time: string): string {
  return time.replace(/(?:\.\d+)?Z.*$/, "Z");
}
