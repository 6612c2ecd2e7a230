import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
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
  await attempt(async () => {
    await send("delete", { webhook_id: id });
    dialog.close();
  }, problem);
});

/**
 * Deletes a webhook if the person confirms.
 *
 * @param {WebhookView} webhook
 */
export function confirmDelete(webhook) {
  id = webhook.id;
  setText(problem, "");
  setText(part(dialog, "delete-name", HTMLElement), webhook.name || "(no name)");
  setText(part(dialog, "delete-id", HTMLElement), id);
  dialog.showModal();
  // Pressing Enter once too often deletes nothing.
  cancel.focus();
}
