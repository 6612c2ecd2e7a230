import { readRecord } from "../schema.js";
import type { Answer } from "./conversation.js";
import { isDone } from "./conversation.js";

/** What an update did to the fields that it omitted, as far as the replies tell. */
export interface KeptFields {
  /** Whether name and enabled were both seen to be kept. */
  all: boolean;
  /** What was seen to change, such as `name is cleared`. */
  changes: string[];
  /** The fields that the replies do not tell. */
  untold: string[];
}

/** Compares the replies to an update of all fields and to an update of none, in this order. */
export function keptFields(full: Answer, empty: Answer): KeptFields {
  const before = recordIn(full);
  const after = recordIn(empty);
  const changes: string[] = [];
  if (before.name !== undefined && after.name !== before.name) {
    changes.push(after.name ? "name is changed" : "name is cleared");
  }
  if (before.enabled !== undefined && after.enabled !== before.enabled) {
    changes.push(after.enabled === undefined ? "enabled is cleared" : `enabled becomes ${after.enabled}`);
  }
  const untold = (["name", "enabled"] as const).filter((field) => before[field] === undefined);
  const all = isDone(full) && isDone(empty) && changes.length === 0 && untold.length === 0;
  return { all, changes, untold };
}

/** The webhook's record in an answer; nothing of it where the API did not do what it was asked. */
export function recordIn(answer: Answer): ReturnType<typeof readRecord> {
  return isDone(answer) && answer.reply !== undefined ? readRecord(answer.reply) : {};
}
