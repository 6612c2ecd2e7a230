import type { WebhookOutcome } from "./outcome.js";

/**
 * Compares the reply to an update of all fields with the reply to the empty update that followed.
 *
 * @returns `all`: whether they show that both name and enabled were kept. `changes`: what changed, such as
 *   `name is cleared`. `missing`: the fields that they do not contain.
 */
export function compareFields(full: WebhookOutcome, empty: WebhookOutcome) {
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
