import { randomBytes } from "node:crypto";

const PREFIX = "in-doubt:";

/**
 * Creates an id for a webhook in doubt: its create was sent, and its outcome is unknown.
 *
 * Such a webhook is recorded under an id of ours, so that no later run creates it again. The id holds the time at which
 * the create was sent, which helps to find the webhook in the dashboard. For a create during which an engine was killed,
 * that is the time at which the state was last saved.
 */
export function createInDoubtId(sentAt: Date): string {
  return `${PREFIX}${sentAt.toISOString()}-${randomBytes(2).toString("hex")}`;
}

/** The id of a webhook that was in doubt and does not exist, while other resources refer to its record. */
export const NO_WEBHOOK = `${PREFIX}none`;

/** Reports whether an id is that of a webhook in doubt. */
export function isInDoubt(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Reports whether a value contains an id of ours, which is none of the API, also as a URL has it. */
export function containsInDoubtId(value: unknown): boolean {
  return /in-doubt(?::|%3A)(?:none|\d{4}-\d\d-\d\dT)/i.test(String(value));
}

/** Reads the time at which the create was sent, in whole seconds, from the id of a webhook in doubt. */
export function sentAt(inDoubtId: string): string {
  return toSeconds(inDoubtId.slice(PREFIX.length));
}

/** Cuts a time in ISO 8601 off after its whole seconds. */
export function toSeconds(time: string): string {
  return time.replace(/(?:\.\d+)?Z.*$/, "Z");
}
