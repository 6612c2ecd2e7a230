import { printable } from "../wording/unprintable.js";
import { logicalNameOf } from "./urn.js";

const MAX_LENGTH = 60;

/** Returns a name for messages: short, without invisible characters. */
export function shownName(name: string): string {
  const characters = [...printable(name, "")];
  if (characters.length === 0) return "no name";
  const shown = characters.slice(0, MAX_LENGTH).join("");
  return characters.length > MAX_LENGTH ? `${shown}…` : shown;
}

/**
 * Returns the label of a webhook in messages: its id, and its resource if that is known, as in `webhook 42 (orders)`. What the API calls it
 * may be a secret.
 */
export function label(id: string, urn?: string): string {
  return urn === undefined ? `webhook ${id}` : `webhook ${id} (${shownName(logicalNameOf(urn))})`;
}

export function labelAtStart(id: string, urn?: string): string {
  return label(id, urn).replace("w", "W");
}
