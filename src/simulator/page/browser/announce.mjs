import { part, setText } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const announcement = part(document, "announcement", HTMLElement);
const problem = part(document, "problem", HTMLElement);

/**
 * Does what a button of the page itself asks for, and shows what went wrong at its top.
 *
 * @param {() => Promise<void>} work
 */
export async function attempt(work) {
  setText(problem, "");
  try {
    await work();
  } catch (error) {
    setText(problem, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Tells a screen reader, without interrupting it, what became of the webhooks.
 *
 * @param {readonly WebhookView[]} before
 * @param {readonly WebhookView[]} after
 */
export function announce(before, after) {
  const old = new Map(before.map((webhook) => [webhook.id, webhook]));
  const now = new Map(after.map((webhook) => [webhook.id, webhook]));
  const made = after.filter(({ id }) => !old.has(id));
  const changed = after.filter(({ id, updatedAt }) => updatedAt !== (old.get(id)?.updatedAt ?? updatedAt));
  const deleted = before.filter(({ id }) => !now.has(id));
  const said = [...sentence(made, "new"), ...sentence(changed, "changed"), ...sentence(deleted, "deleted")];
  if (said.length > 0) setText(announcement, said.join(" "));
}

/**
 * @param {readonly WebhookView[]} webhooks
 * @param {string} what
 */
function sentence([first, ...others], what) {
  if (!first) return [];
  return others.length === 0
    ? [`Webhook ${first.name} is ${what}.`]
    : [`${others.length + 1} webhooks are ${what}.`];
}
