import type { WebhookOutcome } from "./outcome.js";

/** What an update did to the fields that it omitted, as far as the replies show. */
export interface KeptFields {
  /** Whether the replies show that both name and enabled were kept. */
  all: boolean;
  /** What changed, such as `name is cleared`. */
  changes: string[];
  /** The fields that the replies do not contain. */
  missing: string[];
}

/** Compares the reply to an update of all fields with the reply to the empty update that followed. */
export function compareFields(full: WebhookOutcome, empty: WebhookOutcome): KeptFields {
  const before = full.value ?? {};
  const after = empty.value ?? {};
  const changes: string[] = [];
  if (before.name !== undefined && after.name !== before.name) {
    changes.push(after.name ? "name is changed" : "name is cleared");
  }
  if (before.enabled !== undefined && after.enabled !== before.enabled) {
    changes.push(after.enabled === undefined ? "enabled is cleared" : `enabled becomes ${after.enabled}`);
  }
  const missing = (["name", "enabled"] as const).filter((field) => before[field] === undefined);
  const succeeded = full.value !== undefined && empty.value !== undefined;
  return { all: succeeded && changes.length === 0 && missing.length === 0, changes, missing };
}
