import { part, setText } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const announcement = part(document, "announcement", HTMLElement);
const problem = part(document, "problem", HTMLElement);

/**
 * Runs an action, and shows its error in an element: by default at the top of the UI.
 *
 * @param {() => Promise<void>} action
 * @param {HTMLElement} [target]
 */
export async function attempt(action, target = problem) {
  setText(target, "");
  try {
    await action();
  } catch (error) {
    setText(target, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Announces changes of webhooks to a screen reader.
 *
 * @param {readonly WebhookView[]} before
 * @param {readonly WebhookView[]} after
 */
export function announce(before, after) {
  const old = new Map(before.map((webhook) => [webhook.id, webhook]));
  const now = new Map(after.map((webhook) => [webhook.id, webhook]));
  const created = after.filter(({ id }) => !old.has(id));
  const changed = after.filter(({ id, updatedAt }) => updatedAt !== (old.get(id)?.updatedAt ?? updatedAt));
  const deleted = before.filter(({ id }) => !now.has(id));
  const sentences = [
    ...describe(created, "created"),
    ...describe(changed, "changed"),
    ...describe(deleted, "deleted"),
  ];
  if (sentences.length > 0) say(sentences.join(" "));
}

/**
 * Makes a screen reader say something, without interrupting it.
 *
 * @param {string} text
 */
export function say(text) {
  setText(announcement, text);
}

/**
 * @param {readonly WebhookView[]} webhooks
 * @param {string} change
 */
function describe([first, ...others], change) {
  if (!first) return [];
  return others.length === 0
    ? [`Webhook ${first.name} was ${change}.`]
    : [`${others.length + 1} webhooks were ${change}.`];
}
