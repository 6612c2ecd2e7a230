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
  const ids = new Set(after.map(({ id }) => id));
  const sentences = [
    sentence(
      "new",
      after.filter(({ id }) => !old.has(id)),
    ),
    sentence(
      "changed",
      after.filter(({ id, updatedAt }) => old.has(id) && old.get(id)?.updatedAt !== updatedAt),
    ),
    sentence(
      "deleted",
      before.filter(({ id }) => !ids.has(id)),
    ),
  ].filter((text) => text !== "");
  if (sentences.length > 0) setText(announcement, sentences.join(" "));
}

/**
 * @param {string} what
 * @param {readonly WebhookView[]} webhooks
 */
function sentence(what, webhooks) {
  const [first] = webhooks;
  if (!first) return "";
  return webhooks.length === 1 ? `Webhook ${first.name} ${what}.` : `${webhooks.length} webhooks ${what}.`;
}
