import { order } from "./connection.mjs";
import { part, setText } from "./dom.mjs";

/** @import { WebhookView } from "../view.js" */

const dialog = part(document, "delete-dialog", HTMLDialogElement);
const form = part(dialog, "delete-form", HTMLFormElement);
const problem = part(dialog, "delete-problem", HTMLElement);
const cancel = part(dialog, "delete-cancel", HTMLButtonElement);

let id = "";

cancel.addEventListener("click", () => dialog.close());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await order("delete", { webhook_id: id });
    dialog.close();
  } catch (error) {
    setText(problem, error instanceof Error ? error.message : String(error));
  }
});

/**
 * Deletes the webhook, if the person means it.
 *
 * @param {WebhookView} webhook
 */
export function askToDelete(webhook) {
  id = webhook.id;
  setText(problem, "");
  setText(part(dialog, "delete-name", HTMLElement), webhook.name || "It");
  setText(part(dialog, "delete-id", HTMLElement), id);
  dialog.showModal();
  // Enter pressed once too often deletes nothing.
  cancel.focus();
}
